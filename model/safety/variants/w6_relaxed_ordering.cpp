// w6: relaxed ordering with the baseline protocol: a fetch-add passes the rows that it announces.
#include "../rules.hpp"

namespace fanin::model::safety {

WrongVariant relaxed_ordering() {
  return {"w6", "the baseline protocol in relaxed-ordering mode", {}, [](Rules& rules) {
            rules.relaxed_ordering = true;
          }};
}

}  // namespace fanin::model::safety

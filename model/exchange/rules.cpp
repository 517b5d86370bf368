#include "rules.hpp"

namespace fanin::model {

Rules rules_of(const Exchange& exchange) {
  Rules rules;
  rules.exchange = exchange;
  rules.blocking_pick = exchange.protocol == Protocol::symmetric;
  return rules;
}

}  // namespace fanin::model

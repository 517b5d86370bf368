// Another project's view of the library: describe an exchange, ask what is wrong with it, read a
// prior.
#include <cstdio>
#include <fanin/hw/profile.hpp>
#include <fanin/model/exchange.hpp>

int main() {
  fanin::hw::Profile profile;
  fanin::model::Exchange exchange;
  if (!exchange.validate().empty()) return 1;
  exchange.top_k = exchange.experts + 1;
  if (exchange.validate().empty()) return 2;
  std::printf("%d channels, responder %.1f ns\n", exchange.channels(),
              profile.value("nic.responder.fetch_add"));
  return 0;
}

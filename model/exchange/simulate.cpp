#include "fanin/model/simulate.hpp"

#include "fanin/hw/error.hpp"
#include "paths.hpp"

namespace fanin::model {

SimulationResult simulate(const Exchange& exchange, const hw::Profile& profile,
                          const SimulationOptions& options) {
  const std::vector<std::string> problems = exchange.validate();
  if (!problems.empty()) {
    std::string all;
    for (const std::string& problem : problems) all += (all.empty() ? "" : "; ") + problem;
    throw InputError("exchange", all);
  }
  switch (exchange.path) {
    case Path::nvlink: return simulate_nvlink(exchange, profile, options);
    case Path::direct: return simulate_direct(exchange, profile, options);
    case Path::hybrid: break;
  }
  return exchange.protocol == Protocol::symmetric ? simulate_symmetric(exchange, profile, options)
                                                  : simulate_hybrid(exchange, profile, options);
}

}  // namespace fanin::model

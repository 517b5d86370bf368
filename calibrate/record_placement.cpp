#include "fanin/calibrate/placement.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "fanin/hw/error.hpp"

namespace fanin::calibrate {
namespace {

using Json = nlohmann::json;

/// What the kernels of a placement hold.
struct Held {
  std::set<int> resident;  ///< SMs of the NIC and of FFN kernels that wait for each other
  int copy_ctas = 0;       ///< of the largest grid
  int reduce_ctas = 0;
};

Held held_by(const Json& placement) {
  Held held;
  for (const Json& kernel : placement) {
    const auto name = kernel.at("kernel").get<std::string>();
    const auto sms = kernel.at("sms").get<std::vector<int>>();
    const int ctas = static_cast<int>(sms.size());
    if (name == "nic" || name == "ffn_dispatch" || name == "ffn_combine")
      held.resident.insert(sms.begin(), sms.end());
    if (name == "ffn_copy") held.copy_ctas = std::max(held.copy_ctas, ctas);
    if (name == "attention_reduce") held.reduce_ctas = std::max(held.reduce_ctas, ctas);
  }
  return held;
}

}  // namespace

void take_placement(model::Exchange& exchange, std::string_view line, const std::string& where) {
  if (exchange.path != model::Path::hybrid || exchange.protocol != model::Protocol::role ||
      exchange.gpus_per_domain != 1) {
    return;
  }
  const Json json = Json::parse(line);
  const auto placement = json.find("placement");
  const auto machine = json.find("machine");
  if (placement == json.end() || machine == json.end() || !machine->is_object() ||
      !machine->contains("sms")) {
    return;
  }
  try {
    const Held held = held_by(*placement);
    const int free = machine->at("sms").get<int>() - static_cast<int>(held.resident.size());
    if (held.resident.empty() || free <= exchange.sources()) return;
    exchange.one_gpu = true;
    if (!exchange.attention_sms) exchange.attention_sms = free;
    if (!exchange.copy_ctas && held.copy_ctas > 0) exchange.copy_ctas = held.copy_ctas;
    if (!exchange.reduce_ctas && held.reduce_ctas > 0) exchange.reduce_ctas = held.reduce_ctas;
  } catch (const Json::exception&) {
    throw InputError(where + ": placement", "of another form",
                     R"([{"kernel": name, "sms": [SM of each CTA]}] beside machine.sms)");
  }
}

}  // namespace fanin::calibrate

#include "fanin/kernels/budget.hpp"

namespace fanin::kernels {

std::string SmBudget::sum() const {
  return std::to_string(nic) + " NIC + " + std::to_string(ffn) + " FFN + " +
         std::to_string(sources) +
         " waiting sources + 1 for the rest = " + std::to_string(needed()) + " SMs of " +
         std::to_string(device);
}

SmBudget sm_budget(const Shape& shape, int nic_sms, int device_sms) {
  return {nic_sms, shape.ffn_ranks * shape.sms, shape.attention_ranks(), device_sms};
}

}  // namespace fanin::kernels

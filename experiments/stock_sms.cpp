#include "stock_sms.hpp"

#include "fanin/model/deepep.hpp"

namespace fanin::experiments {

int stock_sms(const model::Exchange& exchange, const hw::Profile& profile) {
  model::DeepEpRates rates;
  rates.rdma = profile.value("nic.line_rate");
  rates.device_sms = static_cast<int>(profile.value("gpu.sms"));
  return model::deepep_v2_default_sms(model::deepep_world(exchange), true, rates);
}

}  // namespace fanin::experiments

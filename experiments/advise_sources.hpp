// Where advice comes from: a law, or a profile through the simulator.
#pragma once

#include <vector>

#include "advice.hpp"
#include "exchange_flags.hpp"
#include "fanin/calibrate/law_predictor.hpp"
#include "fanin/hw/profile.hpp"

namespace fanin::experiments {

/// One token count of a mix.
struct MixPart {
  ExchangeSettings settings;  ///< all but transport-sms
  double share = 1.0;         ///< of the exchanges; the shares sum to 1
};

/// Every fourth number within the SMs of the fitted rows, and both ends.
std::vector<int> candidates_of(const calibrate::LawDomain& domain);

/// 4 to 64 SMs.
std::vector<int> default_candidates();

/// The law reads transport_sms, sources and tokens of the exchanges.
Advice advise_from_law(const calibrate::LawPredictor& predictor, const std::vector<MixPart>& mix,
                       const std::vector<int>& candidates, double tolerance_pct);

/// Times are the mix's mean, intervals those of the profile's ensemble. With gemm_solo_us, both_us
/// is the longer of the exchange and the slowest GEMM beside it, as `simulate` gives them. `known`:
/// measurements, which tell where the profile was fitted and what was fastest.
Advice advise_from_profile(const hw::Profile& profile, const std::vector<calibrate::Record>& known,
                           const std::vector<MixPart>& mix, const std::vector<int>& candidates,
                           double tolerance_pct);

}  // namespace fanin::experiments

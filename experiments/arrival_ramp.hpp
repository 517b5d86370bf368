// When the combine finish words reached the sources in the last exchange of a stamped run: the
// cheapest way to see whether the NIC's drain or the chain of the rows sets the end.
#pragma once

#include <optional>
#include <vector>

#include "fanin/kernels/run.hpp"
#include "output.hpp"

namespace fanin::experiments {

/// Times in µs; zero = the first FFN combine CTA past its entry barrier.
struct RampWord {
  int source = 0;  ///< Attention rank
  int ffn = 0;     ///< FFN rank of its rail
  int channel = 0;
  double posted_us = 0.0;           ///< the forward warp had posted the channel's finishes
  std::optional<double> served_us;  ///< the source's emulated NIC performed it
  double matched_us = 0.0;          ///< collect saw the word
};

enum class RampEnd { chain, drain };

struct ArrivalRamp {
  std::vector<RampWord> words;  ///< by matched_us
  double lone_lag_us = 0.0;  ///< matched − posted of the tenth of the words that lag least, median
  double slope_ns = 0.0;     ///< between two words, from the first tenth to the last
  /// drain: the last word waited more than twice as long as the words that lag least, and more than
  /// 1 us longer, which the steps of the device timer cannot make up.
  RampEnd end = RampEnd::chain;
};

/// Throws InputError when the stamps of a channel's finish have left its ring.
ArrivalRamp arrival_ramp(const kernels::RunResult& result, const kernels::Shape& shape);

Json to_json(const ArrivalRamp& ramp);

/// Deciles of the ramp and the verdict, on stdout.
void print(const ArrivalRamp& ramp);

}  // namespace fanin::experiments

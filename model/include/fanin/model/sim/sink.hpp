// Where finished operations go.
#pragma once

#include <cstdint>

#include "fanin/hw/units.hpp"

namespace fanin::sim {

class Simulator;

/// How servers run. In advance: a FIFO server with deterministic service knows an operation's end
/// when it is submitted, so it tells the sink at once and costs no event. Stepwise: one event for
/// each operation, told when it ends. Both give the same times to the picosecond; tests prove it.
enum class Mode { in_advance, stepwise };

/// Index of an entry of a Trail; kNoCause = none.
using Cause = std::uint32_t;
inline constexpr Cause kNoCause = ~Cause{0};

struct Completion {
  Picoseconds at;           ///< end of the operation; ≥ now, and == now in stepwise mode
  std::uint32_t token = 0;  ///< the submitter's own number for the operation
  Cause cause = kNoCause;   ///< the trail entry of its end
};

/// Takes completions of one server, in order of their time. A sink must not read the future: until
/// the clock reaches `at` it may only hand the completion on (to a later server, a wake-up at `at`,
/// a maximum).
class Sink {
 public:
  virtual void done(Simulator& simulator, const Completion& completion) = 0;

 protected:
  ~Sink() = default;
};

}  // namespace fanin::sim

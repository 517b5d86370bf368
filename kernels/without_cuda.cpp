// The GPU entry points of a build without CUDA; missing() says so before anybody calls them.
#include "fanin/kernels/availability.hpp"
#include "fanin/kernels/run.hpp"

namespace fanin::kernels {

Machine machine() { throw RunFailure(missing()); }
RunResult run_exchange(const RunConfig&) { throw RunFailure(missing()); }
CopyGoal measure_copy_goal(const RunConfig&, int) { throw RunFailure(missing()); }

}  // namespace fanin::kernels

#include "fanin/kernels/stamp.hpp"

namespace fanin::kernels {

const char* to_string(Point point) {
  switch (point) {
    case Point::none: return "none";
    case Point::counts_posted: return "counts_posted";
    case Point::row_posted: return "row_posted";
    case Point::finish_posted: return "finish_posted";
    case Point::counts_seen: return "counts_seen";
    case Point::tail_seen: return "tail_seen";
    case Point::row_forwarded: return "row_forwarded";
    case Point::channel_done: return "channel_done";
    case Point::barrier_passed: return "barrier_passed";
    case Point::row_returned: return "row_returned";
    case Point::combine_finish_posted: return "combine_finish_posted";
  }
  return "unknown";
}

}  // namespace fanin::kernels

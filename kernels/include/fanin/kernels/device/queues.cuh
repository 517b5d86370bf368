// Which context (queue) a channel posts on, as the recorded library assigns them.
#pragma once

#include "fanin/kernels/host_device.hpp"

namespace fanin::kernels::device {

/// Contexts first … first + count − 1 serve the channels.
struct QueueRange {
  int first;
  int count;
};

/// `queues` contexts are allocated. Dispatch keeps context 0 for the counts, combine uses all.
FANIN_HOST_DEVICE constexpr QueueRange dispatch_queues(int queues) {
  return queues > 1 ? QueueRange{1, queues - 1} : QueueRange{0, 1};
}
FANIN_HOST_DEVICE constexpr QueueRange combine_queues(int queues) { return {0, queues}; }

/// Channel `k` of SM `m` out of `sms`: first + m + (k mod n)·sms, n = contexts of that SM. Where
/// there are fewer contexts than SMs, SMs share them in turn.
FANIN_HOST_DEVICE constexpr int queue_of(QueueRange range, int m, int k, int sms) {
  const int n = range.count / sms + (m < range.count % sms ? 1 : 0);
  if (n == 0) return range.first + m % range.count;
  return range.first + m + (k % n) * sms;
}

}  // namespace fanin::kernels::device

// Calls work(0) … work(n − 1) from several threads. Results go into slots that the caller owns, so
// their order does not depend on the threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace fanin::calibrate {

/// Rethrows one exception of `work` after all threads have ended.
template <typename Work>
void parallel_for(std::size_t n, int threads, const Work& work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::mutex guard;
  const auto loop = [&] {
    for (std::size_t i = next++; i < n; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(guard);
        if (!error) error = std::current_exception();
        next = n;
      }
    }
  };
  std::vector<std::jthread> helpers;
  const auto wanted = std::min<std::size_t>(n, static_cast<std::size_t>(std::max(threads, 1)));
  for (std::size_t i = 1; i < wanted; ++i) helpers.emplace_back(loop);
  loop();
  helpers.clear();
  if (error) std::rethrow_exception(error);
}

}  // namespace fanin::calibrate

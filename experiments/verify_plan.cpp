#include "verify_plan.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace fanin::experiments {
namespace {

namespace safety = model::safety;

/// Samples of one exploration; a variant's samples are cut into such pieces for the cores to share.
constexpr std::uint64_t piece = 25'000;
/// Share of the samples, in tenths, that go to the first and smallest of the large systems.
constexpr std::uint64_t tenths_of_first = 9;

struct Exploration {
  std::size_t result = 0;
  safety::System system;
  safety::Options options;
  bool must_exhaust = false;  ///< counts towards `exhausted`
};

void plan_samples(std::vector<Exploration>& plan, std::size_t result, bool expected_safe,
                  model::Protocol protocol, const VerifyOptions& options) {
  const std::vector<safety::System> systems = safety::large_systems(protocol);
  const std::uint64_t samples =
      protocol == model::Protocol::role ? options.samples : options.symmetric_samples;
  const std::uint64_t first = samples * tenths_of_first / 10;
  for (std::size_t i = 0; i < systems.size(); ++i) {
    std::uint64_t left = i == 0 ? first : (samples - first) / (systems.size() - 1);
    if (!expected_safe) left = std::min(left, piece);
    for (std::uint64_t number = 0; left > 0; ++number) {
      safety::Options sampling;
      sampling.samples = std::min(left, piece);
      sampling.seed = options.seed + (number << 32);
      sampling.stop_at_first = !expected_safe;
      left -= sampling.samples;
      plan.push_back({result, systems[i], sampling, false});
    }
  }
}

std::vector<Exploration> make_plan(const std::vector<VariantResult>& results,
                                   const VerifyOptions& options) {
  std::vector<Exploration> plan;
  safety::Options exhaust;
  exhaust.reduction = options.reduction;
  exhaust.max_states = options.max_states;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const model::Protocol protocol = safety::protocol_of(results[i].variant);
    const auto exhaust_all = [&](const std::vector<safety::System>& systems, bool must_exhaust) {
      for (const safety::System& system : systems) {
        if (safety::fits(results[i].variant, system))
          plan.push_back({i, system, exhaust, must_exhaust});
      }
    };
    exhaust_all(safety::small_systems(protocol), true);
    if (results[i].expected_safe && options.reduction) {
      exhaust_all(safety::patterned_systems(protocol), true);
      exhaust_all(safety::large_systems(protocol), false);
    }
    plan_samples(plan, i, results[i].expected_safe, protocol, options);
  }
  return plan;
}

/// Progress on a terminal's stderr, from two seconds on.
class ProgressLine {
 public:
  explicit ProgressLine(std::size_t total)
      : total_(total), start_(Clock::now()), enabled_(isatty(STDERR_FILENO) != 0) {}
  ~ProgressLine() {
    if (shown_) std::fprintf(stderr, "\r\033[K");
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void done(const std::string& variant) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++done_;
    if (!enabled_ || Clock::now() - start_ < std::chrono::seconds(2)) return;
    shown_ = true;
    std::fprintf(stderr, "\r\033[Kverify: %zu of %zu explorations, %s", done_, total_,
                 variant.c_str());
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::size_t total_;
  Clock::time_point start_;
  bool enabled_;
  bool shown_ = false;
};

}  // namespace

std::vector<VariantResult> verify_variants(const std::vector<safety::Variant>& variants,
                                           const VerifyOptions& options) {
  std::vector<VariantResult> results;
  for (const safety::Variant& variant : variants) {
    // Variants that do not exist are refused here, not inside a thread.
    safety::steps_of(variant, safety::small_systems(safety::protocol_of(variant)).front());
    results.push_back({variant, safety::expected_safe(variant), 0, 0, {}});
    results.back().verdict.exhausted = true;
  }
  const std::vector<Exploration> plan = make_plan(results, options);
  std::vector<safety::Verdict> verdicts(plan.size());
  ProgressLine progress(plan.size());
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    for (std::size_t i = next++; i < plan.size(); i = next++) {
      const safety::Variant& variant = results[plan[i].result].variant;
      try {
        verdicts[i] = safety::explore(variant, plan[i].system, plan[i].options);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(failure_mutex);
        failure = std::current_exception();
        return;
      }
      progress.done(safety::to_string(variant));
    }
  };
  {
    std::vector<std::thread> others;
    for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) others.emplace_back(work);
    work();
    for (std::thread& other : others) other.join();
  }
  if (failure) std::rethrow_exception(failure);

  for (std::size_t i = 0; i < plan.size(); ++i) {
    VariantResult& result = results[plan[i].result];
    const bool sampled = plan[i].options.samples > 0;
    if (sampled) result.sampled += verdicts[i].schedules;
    if (verdicts[i].exhausted) ++result.systems_exhausted;
    if (!plan[i].must_exhaust) verdicts[i].exhausted = true;
    safety::merge(result.verdict, verdicts[i]);
  }
  return results;
}

}  // namespace fanin::experiments

#include "fanin/model/law.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace fanin::model {
namespace {

constexpr std::size_t kMostBranches = 4;
using BranchTimes = std::array<double, kMostBranches>;

/// Time of each branch; entry 0 is what is always added.
BranchTimes branch_times(const Law& law, std::span<const double> values, const LawPoint& point) {
  BranchTimes times{};
  for (const LawTerm& term : law.terms) {
    times[static_cast<std::size_t>(term.branch)] +=
        values[term.parameter] * microseconds_per(law.parameters[term.parameter].unit) *
        term.feature(point);
  }
  return times;
}

int largest(const BranchTimes& times, int branches) {
  if (branches == 0) return 0;
  const auto first = times.begin() + 1;
  return static_cast<int>(std::max_element(first, first + branches) - times.begin());
}

}  // namespace

double microseconds_per(std::string_view unit) {
  if (unit == "us") return 1.0;
  if (unit == "ns") return 1e-3;
  throw std::logic_error("law parameter in an unknown unit: " + std::string(unit));
}

int Law::branches() const {
  int most = 0;
  for (const LawTerm& term : terms) most = std::max(most, term.branch);
  return most;
}

double Law::evaluate(std::span<const double> values, const LawPoint& point) const {
  const BranchTimes times = branch_times(*this, values, point);
  const int active = largest(times, branches());
  return active == 0 ? times[0] : times[0] + times[static_cast<std::size_t>(active)];
}

void Law::gradient(std::span<const double> values, const LawPoint& point,
                   std::span<double> gradient) const {
  std::fill(gradient.begin(), gradient.end(), 0.0);
  const int active = active_branch(values, point);
  for (const LawTerm& term : terms) {
    if (term.branch != 0 && term.branch != active) continue;
    gradient[term.parameter] +=
        microseconds_per(parameters[term.parameter].unit) * term.feature(point);
  }
}

int Law::active_branch(std::span<const double> values, const LawPoint& point) const {
  return largest(branch_times(*this, values, point), branches());
}

double tail_updates(const LawPoint& point) {
  const double channels = point.channels();
  const double rows = std::floor(point.tokens / channels);
  const double longer = point.tokens - rows * channels;  // channels that carry one row more
  return channels + longer * std::floor((rows + 1.0) / point.tail_interval) +
         (channels - longer) * std::floor(rows / point.tail_interval);
}

double busiest_channel_rows(const LawPoint& point) {
  return std::ceil(point.tokens / point.channels());
}

}  // namespace fanin::model

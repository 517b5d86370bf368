#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "fanin/calibrate/calibration.hpp"

namespace fanin::calibrate {

ErrorSummary summarise(const std::vector<std::pair<std::string, double>>& error_pct_by_id) {
  ErrorSummary summary;
  summary.n = error_pct_by_id.size();
  if (summary.n == 0) return summary;
  std::vector<double> sizes;
  for (const auto& [id, error] : error_pct_by_id) {
    sizes.push_back(std::abs(error));
    if (sizes.back() < summary.max_abs_pct ||
        (!summary.worst_id.empty() && sizes.back() == summary.max_abs_pct))
      continue;
    summary.max_abs_pct = sizes.back();
    summary.worst_id = id;
  }
  std::sort(sizes.begin(), sizes.end());
  const auto quantile = [&](double q) {
    const double at = q * static_cast<double>(sizes.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const std::size_t high = std::min(low + 1, sizes.size() - 1);
    return sizes[low] + (at - static_cast<double>(low)) * (sizes[high] - sizes[low]);
  };
  summary.median_abs_pct = quantile(0.5);
  summary.p90_abs_pct = quantile(0.9);
  return summary;
}

std::string hash_of(const std::vector<Record>& records) {
  std::map<std::string, const Record*> sorted;
  for (const Record& record : records) sorted[record.id] = &record;
  std::uint64_t hash = 14695981039346656037ULL;
  for (const auto& [id, record] : sorted) {
    for (const char letter : record->json + "\n") {
      hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211ULL;
    }
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

}  // namespace fanin::calibrate

#include "fitted_domain.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace fanin::experiments {
namespace {

std::vector<calibrate::Record> fitted_rows(const hw::Profile& profile,
                                           const std::vector<calibrate::Record>& known) {
  const std::set<std::string> ids(profile.fitted_rows.begin(), profile.fitted_rows.end());
  std::vector<calibrate::Record> rows;
  std::copy_if(known.begin(), known.end(), std::back_inserter(rows),
               [&](const calibrate::Record& record) { return ids.contains(record.id); });
  return rows;
}

}  // namespace

FittedDomain::FittedDomain(const hw::Profile& profile, const std::vector<calibrate::Record>& known)
    : cluster_(profile.cluster),
      fitted_(!profile.fitted_rows.empty()),
      domain_(calibrate::LawDomain::of(fitted_rows(profile, known))) {}

std::vector<std::string> FittedDomain::outside(const calibrate::Record& row) const {
  if (!fitted_) return {"every field"};
  if (domain_.runs.empty()) return {};
  return domain_.outside(row);
}

std::vector<std::string> FittedDomain::outside(const model::Exchange& exchange) const {
  calibrate::Record row;
  row.cluster = cluster_;
  row.protocol = to_string(exchange.protocol);
  row.exchange = exchange;
  return outside(row);
}

}  // namespace fanin::experiments

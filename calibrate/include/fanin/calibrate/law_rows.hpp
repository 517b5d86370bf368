// Records as latency laws take them: one point, one time and its repeats a row.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fanin/calibrate/record.hpp"
#include "fanin/model/law.hpp"

namespace fanin::calibrate {

struct LawRows {
  std::vector<std::string> ids;
  std::vector<model::LawPoint> points;
  std::vector<double> measured_us;              ///< median_us, > 0
  std::vector<std::vector<double>> repeats_us;  ///< empty where not known

  std::size_t size() const { return ids.size(); }
};

/// What laws see of a record. Fields that the record does not state keep their default; `ranks` is
/// the field of that name, ep_ranks or gpus, else attention_ranks + ffn_ranks.
model::LawPoint law_point(const Record& record);

/// Fields that `law` reads and that some of the records do not state, each with the number of
/// records without it. Such a law cannot be fitted.
std::map<std::string, std::size_t> missing_fields(const model::Law& law,
                                                  const std::vector<Record>& records);

LawRows law_rows(const std::vector<Record>& records);

/// Where a fit holds: the range of each numeric field, the values of each other field, and the
/// combinations of SMs, sources and tokens over the rows that were fitted. Fields that no row
/// stated are left out.
struct LawDomain {
  std::map<std::string, std::pair<double, double>> ranges;
  std::map<std::string, std::set<std::string>> values;
  std::set<std::array<double, 3>> runs;  ///< transport_sms, sources, tokens; 0 where not stated

  static LawDomain of(const std::vector<Record>& records);

  /// Fields in which `record` lies outside; empty: the law interpolates. A prediction outside is
  /// `extrapolated`, whether the law reads that field or not. A run whose fields are each within
  /// range still lies outside when no fitted run is on one side of it in all of them (8 SMs with 3
  /// sources, where 8 SMs were measured with 1 source only): "transport_sms+sources+tokens".
  std::vector<std::string> outside(const Record& record) const;

  /// The same for a point: only the fields that it has and that are not 0.
  std::vector<std::string> outside(const model::LawPoint& point) const;
};

}  // namespace fanin::calibrate

// Records predicted with the simulator and the profiles that their clusters name.
#pragma once

#include <string>
#include <vector>

#include "check_result.hpp"
#include "fanin/calibrate/record.hpp"

namespace fanin::experiments {

struct ProfileCheckOptions {
  std::string profile;   ///< path or name for every row; empty: by the row's `cluster`
  unsigned threads = 0;  ///< 0: one a core; the result does not depend on it
};

/// Predicts every row; the rows stay in order. Rows that cannot be predicted are counted in
/// `skipped` by reason: no profile of that name, a configuration that is not whole or that no
/// simulation covers. A row is extrapolated when it lies outside the rows that its profile was
/// fitted on (as far as those are among `known`), or when the profile was fitted on none.
CheckResult check_profiles(const calibrate::RecordSet& set,
                           const std::vector<calibrate::Record>& known,
                           const ProfileCheckOptions& options);

/// The rows of every latency.jsonl below experiments/recorded/ that comes with the program: what
/// profiles may have been fitted on. Other files there (timelines, probes, single unwarmed blocks)
/// are not read.
std::vector<calibrate::Record> recorded_rows();

/// recorded_rows of one folder below experiments/recorded, such as "seed"; empty when there is
/// none.
std::vector<calibrate::Record> recorded_rows(const std::string& folder);

}  // namespace fanin::experiments

#include "law_source.hpp"

#include "fanin/model/law_family.hpp"
#include "law_flags.hpp"

namespace fanin::experiments {

bool is_law_file(const std::string& name_or_file) {
  if (model::find_law(name_or_file)) return false;
  return name_or_file.ends_with(".json") || name_or_file.find('/') != std::string::npos;
}

calibrate::LawPredictor fit_now(const std::string& name,
                                const std::vector<calibrate::Record>& records,
                                const calibrate::LawFitOptions& options) {
  calibrate::ContestOptions contest_options;
  contest_options.fit = options;
  contest_options.laws = {law_named(name)};
  const calibrate::Contest contest = calibrate::contest(valid_rows(records), contest_options);
  return calibrate::LawPredictor::of(contest, contest.laws.front());
}

}  // namespace fanin::experiments

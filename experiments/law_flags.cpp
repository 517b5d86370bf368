#include "law_flags.hpp"

#include <algorithm>
#include <iterator>

#include "fanin/hw/error.hpp"
#include "fanin/model/law_family.hpp"

namespace fanin::experiments {

void LawFlags::add_to(CLI::App& verb) {
  verb.add_option("--loss", loss,
                  "What is minimised: the sum of squared relative errors, or of squared errors in "
                  "microseconds")
      ->check(CLI::IsMember({"relative", "absolute"}))
      ->capture_default_str();
  verb.add_option("--weights", weights,
                  "equal: every row counts the same; repeats: a row counts as often as it was "
                  "repeated")
      ->check(CLI::IsMember({"equal", "repeats"}))
      ->capture_default_str();
  verb.add_option("--draws", draws, "Bootstrap draws behind the intervals")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  verb.add_option("--seed", seed, "Of the bootstrap: the same seed gives the same intervals")
      ->capture_default_str();
}

calibrate::LawFitOptions LawFlags::options() const {
  calibrate::LawFitOptions options;
  options.loss = loss == "relative" ? calibrate::LawLoss::relative : calibrate::LawLoss::absolute;
  options.weights =
      weights == "equal" ? calibrate::LawWeights::equal : calibrate::LawWeights::repeats;
  options.draws = draws;
  options.seed = seed;
  return options;
}

const model::Law* law_named(const std::string& name) {
  const model::Law* law = model::find_law(name);
  if (!law) throw InputError("--law", "'" + name + "'", "one of " + model::law_names());
  return law;
}

std::vector<calibrate::Record> valid_rows(const std::vector<calibrate::Record>& records) {
  std::vector<calibrate::Record> valid;
  std::copy_if(records.begin(), records.end(), std::back_inserter(valid),
               [](const calibrate::Record& record) { return record.data_valid; });
  if (valid.empty()) {
    throw InputError("--records",
                     "none of the " + std::to_string(records.size()) +
                         " rows delivered its data (data_valid is false)",
                     "at least one valid row");
  }
  return valid;
}

}  // namespace fanin::experiments

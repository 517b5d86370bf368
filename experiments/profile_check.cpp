#include "profile_check.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "fanin/hw/error.hpp"
#include "fanin/hw/profile.hpp"
#include "fanin/model/stuck.hpp"
#include "fitted_domain.hpp"
#include "model_error.hpp"
#include "parallel.hpp"
#include "prediction.hpp"
#include "record_flags.hpp"

namespace fanin::experiments {
namespace {

struct Machine {
  hw::Profile profile;
  std::set<std::string> fitted;
  FittedDomain domain;
  ModelError error;
};

struct Outcome {
  std::optional<CheckedRow> row;
  std::string skipped;  ///< reason when there is no row
};

Machine machine_of(const std::string& path_or_name, const std::vector<calibrate::Record>& known) {
  const hw::Profile profile = hw::find_profile(path_or_name);
  return {profile,
          {profile.fitted_rows.begin(), profile.fitted_rows.end()},
          FittedDomain(profile, known),
          ModelError(profile)};
}

bool known_profile(const std::string& name) {
  const std::vector<std::string> names = hw::profile_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

Outcome check_row(const calibrate::Record& record, const Machine& machine) {
  try {
    record.require_configuration();
  } catch (const InputError& error) {
    return {std::nullopt, error.problem()};  // without its place: one reason for all such rows
  }
  // A drawn routing is predicted by its expectation; with one FFN rank the two are the same.
  if (record.routing.rfind("random", 0) != 0) return {std::nullopt, "routing " + record.routing};
  try {
    const Prediction prediction = predict(record.exchange, machine.profile);
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    constexpr std::array<double, 2> kNoInterval{kNone, kNone};
    const double us = prediction.result.exchange.us();
    CheckedRow row{record.id,
                   record.set,
                   record.median_us,
                   us,
                   prediction.ci95_us.value_or(kNoInterval),
                   machine.error.interval(us, prediction.ci95_us).value_or(kNoInterval),
                   machine.fitted.contains(record.id),
                   false,
                   {},
                   record.data_valid};
    if (!row.fitted) {
      row.outside = machine.domain.outside(record);
      row.extrapolated = !row.outside.empty();
    }
    return {std::move(row), ""};
  } catch (const InputError& error) {
    return {std::nullopt, error.where() + ": " + error.problem()};
  } catch (const model::SimulationStuck& stuck) {
    return {std::nullopt, std::string("the simulation never ends: ") + stuck.what()};
  }
}

}  // namespace

CheckResult check_profiles(const calibrate::RecordSet& set,
                           const std::vector<calibrate::Record>& known,
                           const ProfileCheckOptions& options) {
  std::map<std::string, std::optional<Machine>> machines;
  const auto name_of = [&](const calibrate::Record& record) {
    return options.profile.empty() ? record.cluster : options.profile;
  };
  for (const calibrate::Record& record : set.records) {
    const std::string name = name_of(record);
    if (machines.contains(name)) continue;
    const bool there = !options.profile.empty() || known_profile(name);
    machines[name] = there ? std::optional<Machine>(machine_of(name, known)) : std::nullopt;
  }
  std::vector<Outcome> outcomes(set.records.size());
  for_each_index(outcomes.size(), options.threads, [&](std::size_t i) {
    const calibrate::Record& record = set.records[i];
    const std::optional<Machine>& machine = machines.at(name_of(record));
    outcomes[i] = machine ? check_row(record, *machine)
                          : Outcome{std::nullopt, "no profile for cluster " + record.cluster};
  });
  CheckResult result{{}, set.skipped};
  for (Outcome& outcome : outcomes) {
    if (outcome.row) {
      result.rows.push_back(std::move(*outcome.row));
    } else {
      ++result.skipped[outcome.skipped];
    }
  }
  return result;
}

std::vector<calibrate::Record> recorded_rows(const std::string& folder) {
  namespace fs = std::filesystem;
  const fs::path root = fs::path(default_records()).parent_path().parent_path();
  std::vector<std::string> files;
  std::error_code failure;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder, failure)) {
    if (entry.path().filename() == "latency.jsonl") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) return {};
  return calibrate::read_records(files).records;
}

std::vector<calibrate::Record> recorded_rows() { return recorded_rows(""); }

}  // namespace fanin::experiments

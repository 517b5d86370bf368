// What a machine is, as the simulator and the laws see it: one value for each registered parameter,
// with its source, and the rows that the fitted ones were fitted on.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fanin/hw/parameter.hpp"
#include "fanin/hw/units.hpp"

namespace fanin::hw {

inline constexpr int kProfileSchemaVersion = 1;

/// One of several parameter sets that the data allow about equally (for example a mirror pair of
/// requester and responder cost). Weights of a profile's members sum to 1; the heaviest comes
/// first.
struct EnsembleMember {
  double weight = 1.0;
  std::map<std::string, double, std::less<>> values;  ///< overrides, in the registry's unit
};

class Profile {
 public:
  std::string name;     ///< file stem, e.g. "h100-4x-cx7-ndr400"
  std::string cluster;  ///< the records' `cluster` that it predicts
  std::string description;
  std::map<std::string, Parameter, std::less<>>
      parameters;                        ///< stated ones; others take their prior
  std::vector<std::string> fitted_rows;  ///< record ids; predictions of these are not predictions
  std::string fitted_rows_hash;          ///< of the fitted rows' content; empty when not fitted
  std::string fitted_command;            ///< how to make this profile again; empty when not fitted
  std::vector<EnsembleMember> ensemble;  ///< empty when there is a single optimum
  /// Anything else that calibration states (correlations, held-out errors …), as JSON text; kept.
  std::string calibration_report;

  /// Value in the registry's unit: the profile's own, else the registry's prior.
  /// Throws InputError when the registry has no such name.
  double value(std::string_view parameter) const;

  /// The same as a time; throws InputError when the unit is not "us" or "ns".
  Picoseconds time(std::string_view parameter) const;

  /// This profile with the values of ensemble member `index` put in place; its own ensemble is
  /// empty.
  Profile member(std::size_t index) const;

  bool fitted_on(std::string_view record_id) const;
};

/// Reads a profile. Every problem that the file has is reported at once, each with its JSON path,
/// in one InputError; unknown keys are refused with the nearest known name.
Profile read_profile(const std::string& path);

/// `text` as read_profile; `where` stands for the file's name in errors.
Profile parse_profile(const std::string& text, const std::string& where);

std::string to_json(const Profile& profile);

/// Writes to a temporary file beside `path`, then renames it.
void write_profile(const Profile& profile, const std::string& path);

/// A path, or a name in `hw/profiles/` (of the source tree, of the installation, or of the folder
/// in FANIN_PROFILES). Throws InputError that lists the names there are.
Profile find_profile(const std::string& path_or_name);

/// Names of the profiles that find_profile can find by name.
std::vector<std::string> profile_names();

}  // namespace fanin::hw

// fanin profile show|validate|diff
#include "verb.hpp"

namespace fanin::experiments {

std::pair<CLI::App*, Runner> add_profile_verb(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("profile", "Show, validate and compare hardware profiles");
  return {verb, [] { return 0; }};
}

}  // namespace fanin::experiments

// fanin <verb> [options]
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "fanin/hw/error.hpp"
#include "verb.hpp"

namespace {

using fanin::experiments::Runner;

/// The parser alone would only say that a verb is missing.
void refuse_unknown_verb(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::string verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (verb->get_name() == argv[1]) return;
    verbs += (verbs.empty() ? "" : ", ") + verb->get_name();
  }
  throw fanin::InputError("command line", "no verb '" + std::string(argv[1]) + "'",
                          "one of " + verbs);
}

int run(int argc, char** argv) {
  CLI::App app{
      "Predicts, measures and explains the latency of the token exchange between Attention and FFN "
      "GPUs."};
  app.require_subcommand(1);
  app.set_version_flag("--version", FANIN_VERSION);
  std::vector<std::pair<CLI::App*, Runner>> verbs;
  verbs.push_back(fanin::experiments::add_advise_verb(app));
  verbs.push_back(fanin::experiments::add_check_verb(app));
  verbs.push_back(fanin::experiments::add_calibrate_verb(app));
  verbs.push_back(fanin::experiments::add_fit_verb(app));
  verbs.push_back(fanin::experiments::add_fixes_verb(app));
  verbs.push_back(fanin::experiments::add_import_verb(app));
  verbs.push_back(fanin::experiments::add_probe_verb(app));
  verbs.push_back(fanin::experiments::add_profile_verb(app));
  verbs.push_back(fanin::experiments::add_run_verb(app));
  verbs.push_back(fanin::experiments::add_simulate_verb(app));
  verbs.push_back(fanin::experiments::add_trace_verb(app));
  verbs.push_back(fanin::experiments::add_sweep_verb(app));
  verbs.push_back(fanin::experiments::add_verify_verb(app));
  refuse_unknown_verb(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "fanin: %s\n", fanin::InputError("command line", error.what()).what());
    return 2;
  }
  for (const auto& [command, runner] : verbs) {
    if (command->parsed()) return runner();
  }
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const fanin::InputError& error) {
    std::fprintf(stderr, "fanin: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fanin: internal error: %s\n", error.what());
    return 3;
  }
}

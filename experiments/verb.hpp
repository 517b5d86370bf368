// One command of the program. Each verb lives in a file of its own, which defines its maker.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace fanin::experiments {

/// Adds the verb's subcommand and options to `app`; the function that it returns runs the verb
/// after parsing and gives the exit code: 0 done, 1 a check failed. Bad input is thrown as
/// InputError (exit 2).
using Runner = std::function<int()>;
using VerbMaker = std::function<std::pair<CLI::App*, Runner>(CLI::App& app)>;

std::pair<CLI::App*, Runner> add_advise_verb(CLI::App& app);
std::pair<CLI::App*, Runner> add_check_verb(CLI::App& app);
std::pair<CLI::App*, Runner> add_calibrate_verb(CLI::App& app);
std::pair<CLI::App*, Runner> add_fit_verb(CLI::App& app);
std::pair<CLI::App*, Runner> add_fixes_verb(CLI::App& app);
std::pair<CLI::App*, Runner> add_import_verb(CLI::App& app);
std::pair<CLI::App*, Runner> add_probe_verb(CLI::App& app);
std::pair<CLI::App*, Runner> add_profile_verb(CLI::App& app);
std::pair<CLI::App*, Runner> add_run_verb(CLI::App& app);
std::pair<CLI::App*, Runner> add_simulate_verb(CLI::App& app);
std::pair<CLI::App*, Runner> add_trace_verb(CLI::App& app);
std::pair<CLI::App*, Runner> add_sweep_verb(CLI::App& app);
std::pair<CLI::App*, Runner> add_verify_verb(CLI::App& app);

}  // namespace fanin::experiments

// fanin simulate: one exchange through the simulator.
#include <memory>

#include "exchange_flags.hpp"
#include "explain.hpp"
#include "output.hpp"
#include "prediction.hpp"
#include "table.hpp"
#include "trace_file.hpp"
#include "verb.hpp"

namespace fanin::experiments {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  fanin simulate --sources 3 --transport-sms 24 --tokens 1 --explain\n"
    "  fanin simulate --sources 3 --transport-sms 24 --tokens 1 --fix 4:k=8 7 --json\n"
    "  fanin simulate --sources 3 --transport-sms 24 --tokens 512 --trace exchange.json";

struct SimulateCommand {
  ExchangeFlags exchange;
  bool reference = false;
  bool explain = false;
  bool json = false;
  int max_exchanges = 16;
  std::string trace;

  int run() const;
};

/// SMs that the exchange's kernels hold, in µs of one SM, summed over the devices of each role.
std::map<std::string, double> sm_time_us(const model::SimulationResult& result) {
  std::map<std::string, double> reserved;
  for (const model::KernelSpan& kernel : result.kernels) {
    reserved[kernel.role] += kernel.grid * (kernel.end - kernel.start).us();
  }
  return reserved;
}

Json to_json(const Prediction& prediction) {
  const model::SimulationResult& result = prediction.result;
  Json json;
  json["exchange_us"] = result.exchange.us();
  if (prediction.ci95_us) json["ci95"] = *prediction.ci95_us;
  json["events"] = result.events;
  json["exchanges_run"] = result.exchanges_run;
  json["critical_path"] = Json::array();
  for (const model::CriticalShare& share : result.critical_path) {
    json["critical_path"].push_back({{"resource", share.resource}, {"us", share.time.us()}});
  }
  json["operations"] = result.operations;
  json["resources"] = Json::array();
  for (const model::ResourceUse& use : result.resources) {
    json["resources"].push_back({{"resource", use.resource},
                                 {"utilisation", use.utilisation},
                                 {"mean_queue", use.mean_queue},
                                 {"max_queue", use.max_queue}});
  }
  json["kernels"] = Json::array();
  for (const model::KernelSpan& kernel : result.kernels) {
    json["kernels"].push_back({{"device", kernel.device},
                               {"role", kernel.role},
                               {"launch_index", kernel.launch_index},
                               {"kernel", kernel.kernel},
                               {"grid", kernel.grid},
                               {"start_us", kernel.start.us()},
                               {"end_us", kernel.end.us()}});
  }
  json["sm_time_us"] = sm_time_us(result);
  return json;
}

void print_tables(const Prediction& prediction) {
  const model::SimulationResult& result = prediction.result;
  std::printf("exchange  %s us", fixed(result.exchange.us(), 2).c_str());
  if (prediction.ci95_us) {
    std::printf("  95%% %s us",
                interval((*prediction.ci95_us)[0], (*prediction.ci95_us)[1], 4).c_str());
  }
  std::printf("   (%llu events, %d exchanges)\n\n", static_cast<unsigned long long>(result.events),
              result.exchanges_run);
  Table path({"critical path", "us", "%"});
  for (const model::CriticalShare& share : result.critical_path) {
    path.row({share.resource, fixed(share.time.us(), 2),
              fixed(100.0 * share.time.us() / result.exchange.us(), 1)});
  }
  path.print();
  std::printf("\n");
  Table operations({"operations", "kind", "count"}, "ll");
  for (const auto& [resource, counts] : result.operations) {
    for (const auto& [kind, count] : counts)
      operations.row({resource, kind, std::to_string(count)});
  }
  operations.print();
  std::printf("\n");
  Table resources({"server", "busy %", "mean queue", "longest"});
  for (const model::ResourceUse& use : result.resources) {
    if (use.utilisation < 0.001) continue;
    resources.row({use.resource, fixed(100.0 * use.utilisation, 1), fixed(use.mean_queue, 2),
                   std::to_string(use.max_queue)});
  }
  resources.print();
  std::printf("\n");
  Table kernels({"device", "role", "kernel", "start us", "end us", "SMs"}, "lll");
  for (const model::KernelSpan& kernel : result.kernels) {
    kernels.row({std::to_string(kernel.device), kernel.role, kernel.kernel,
                 fixed(kernel.start.us(), 2), fixed(kernel.end.us(), 2),
                 std::to_string(kernel.grid)});
  }
  kernels.print();
  for (const auto& [role, time] : sm_time_us(result)) {
    std::printf("SM time reserved, %s: %s us\n", role.c_str(), fixed(time, 0).c_str());
  }
}

int SimulateCommand::run() const {
  const model::Exchange described = exchange.exchange();
  const hw::Profile profile = exchange.profile();
  model::SimulationOptions options;
  options.reference = reference;
  options.record_trace = !trace.empty();
  options.max_exchanges = max_exchanges;
  const Prediction prediction = predict(described, profile, options);
  if (!trace.empty()) write_trace(trace, prediction.result.trace);
  std::string words;
  if (explain) words = experiments::explain(described, heaviest(profile), prediction.result);
  if (json) {
    Json object = to_json(prediction);
    if (explain) object["explanation"] = words;
    print_json(object);
    return 0;
  }
  print_tables(prediction);
  if (explain) std::printf("\n%s", words.c_str());
  return 0;
}

}  // namespace

std::pair<CLI::App*, Runner> add_simulate_verb(CLI::App& app) {
  auto command = std::make_shared<SimulateCommand>();
  CLI::App* verb = app.add_subcommand(
      "simulate", "Run one exchange through the simulator: time, where it went, why");
  command->exchange.add_to(*verb);
  verb->add_flag("--reference", command->reference,
                 "One event for each operation; the same times, slower");
  verb->add_flag("--explain", command->explain, "Say in words what bounds the exchange");
  verb->add_option("--trace", command->trace, "Write a timeline for ui.perfetto.dev");
  verb->add_option("--max-exchanges", command->max_exchanges,
                   "Exchanges to run in search of a steady period")
      ->check(CLI::Range(4, 100000));
  verb->add_flag("--json", command->json, "One JSON object on stdout");
  verb->footer(kExamples);
  return {verb, [command] { return command->run(); }};
}

}  // namespace fanin::experiments

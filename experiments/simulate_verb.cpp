// fanin simulate: one exchange through the simulator.
#include <memory>
#include <optional>

#include "exchange_flags.hpp"
#include "explain.hpp"
#include "model_error.hpp"
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
    "  fanin simulate --sources 3 --transport-sms 24 --tokens 512 --trace exchange.json\n"
    "  fanin simulate --path nvlink --ffn-ranks 1 --sources 3 --tokens 512 --gemm-solo-us 24.8 "
    "--gemm-on ffn";

struct SimulateCommand {
  ExchangeFlags exchange;
  bool reference = false;
  bool explain = false;
  bool json = false;
  int max_exchanges = 16;
  int exchanges = 200;
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

/// An exchange beside GEMMs, and what it takes without them.
struct Overlap {
  model::GemmTimes gemm;
  double solo_gemm_us = 0.0;
  double exchange_us = 0.0;
  double solo_exchange_us = 0.0;
  int exchanges = 0;  ///< of the makespan

  double makespan_us() const { return exchanges * exchange_us; }
};

std::optional<Overlap> overlap_of(const model::Exchange& exchange, const hw::Profile& profile,
                                  const model::SimulationResult& result, int exchanges,
                                  model::SimulationOptions options) {
  if (!result.gemm) return std::nullopt;
  model::Exchange alone = exchange;
  alone.gemm_solo_us = 0.0;
  options.explain = options.record_trace = false;
  const double solo_us = model::simulate(alone, heaviest(profile), options).exchange.us();
  return Overlap{*result.gemm, exchange.gemm_solo_us, result.exchange.us(), solo_us, exchanges};
}

Json to_json(const Overlap& overlap) {
  Json json{{"solo_us", overlap.solo_gemm_us},
            {"exchange_us", overlap.exchange_us},
            {"solo_exchange_us", overlap.solo_exchange_us},
            {"exchanges", overlap.exchanges},
            {"makespan_us", overlap.makespan_us()}};
  if (overlap.gemm.attention.count > 0) json["attention_us_per_gemm"] = overlap.gemm.attention.us();
  if (overlap.gemm.ffn.count > 0) json["ffn_us_per_gemm"] = overlap.gemm.ffn.us();
  return json;
}

void print(const Overlap& overlap) {
  const auto slowed = [](double us, double alone) {
    return fixed(us, 2) + " us, " + fixed(100.0 * (us / alone - 1.0), 1) + "% slower than alone";
  };
  std::printf("beside GEMMs of %s us: exchange %s\n", fixed(overlap.solo_gemm_us, 2).c_str(),
              slowed(overlap.exchange_us, overlap.solo_exchange_us).c_str());
  const auto role = [&](const char* name, Picoseconds gemm) {
    if (gemm.count > 0)
      std::printf("  a GEMM on %s: %s\n", name, slowed(gemm.us(), overlap.solo_gemm_us).c_str());
  };
  role("Attention", overlap.gemm.attention);
  role("FFN", overlap.gemm.ffn);
  std::printf("  makespan of %d exchanges: %s us\n\n", overlap.exchanges,
              fixed(overlap.makespan_us(), 1).c_str());
}

Json to_json(const Prediction& prediction, const ModelError& error) {
  const model::SimulationResult& result = prediction.result;
  Json json;
  json["exchange_us"] = result.exchange.us();
  if (prediction.ci95_us) json["ci95"] = *prediction.ci95_us;
  if (const auto wide = error.interval(result.exchange.us(), prediction.ci95_us))
    json["ci95_with_model"] = *wide;
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

void print_tables(const Prediction& prediction, const ModelError& error) {
  const model::SimulationResult& result = prediction.result;
  std::printf("exchange  %s us", fixed(result.exchange.us(), 2).c_str());
  if (prediction.ci95_us) {
    std::printf("  95%% %s us",
                interval((*prediction.ci95_us)[0], (*prediction.ci95_us)[1], 4).c_str());
  }
  if (const auto wide = error.interval(result.exchange.us(), prediction.ci95_us))
    std::printf(", with model error %s us", interval((*wide)[0], (*wide)[1], 4).c_str());
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
  const std::optional<Overlap> overlap =
      overlap_of(described, profile, prediction.result, exchanges, options);
  const ModelError error(profile);
  if (!trace.empty()) write_trace(trace, prediction.result.trace);
  std::string words;
  if (explain) words = experiments::explain(described, heaviest(profile), prediction.result);
  if (json) {
    Json object = to_json(prediction, error);
    if (overlap) object["gemm"] = to_json(*overlap);
    if (explain) object["explanation"] = words;
    print_json(object);
    return 0;
  }
  if (overlap) print(*overlap);
  print_tables(prediction, error);
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
  verb->add_option("--exchanges", command->exchanges, "Exchanges of the makespan beside GEMMs")
      ->check(CLI::Range(1, 1000000000))
      ->capture_default_str();
  verb->add_option("--max-exchanges", command->max_exchanges,
                   "Exchanges to run in search of a steady period")
      ->check(CLI::Range(4, 100000));
  verb->add_flag("--json", command->json, "One JSON object on stdout");
  verb->footer(kExamples);
  return {verb, [command] { return command->run(); }};
}

}  // namespace fanin::experiments

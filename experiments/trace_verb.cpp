// fanin trace: one exchange under CUPTI, with in-kernel stamps, and without either.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "arrival_ramp.hpp"
#include "fanin/hw/atomic_file.hpp"
#include "fanin/hw/error.hpp"
#include "fanin/kernels/config_error.hpp"
#include "fanin/model/simulate.hpp"
#include "run_record.hpp"
#include "stamped_points.hpp"
#include "table.hpp"
#include "trace_file.hpp"
#include "traced_timeline.hpp"
#include "verb.hpp"

namespace fanin::experiments {
namespace {

constexpr const char* kHelp =
    "Traces one exchange: start and end of every kernel (CUPTI, in a process of its own), "
    "in-kernel "
    "stamps at the protocol's points, the arrival ramp of the combine finishes, and what either "
    "costs against untraced runs.";

struct TraceCommand {
  RunFlags flags;
  int repeats = 3;
  std::string name;
  std::string out;
  std::string profile;
  bool json = false;
  bool under_cupti = false;  ///< this process is the one that CUPTI watches
};

/// The process that CUPTI watches.
int trace_here(const TraceCommand& command, const RunPoint& point) {
  calibrate::KernelTracer tracer;
  const kernels::RunConfig config = command.flags.config(point);
  const kernels::RunResult result = kernels::run_exchange(config);
  const calibrate::KernelTrace trace = tracer.collect();
  Json out = to_json(measured_timeline(trace, config));
  out["median_us"] = result.median_us;
  out["dropped"] = trace.dropped;
  out["without_time"] = trace.without_time;
  print_json(out);
  return 0;
}

Json fresh(const std::vector<std::string>& verb, const RunFlags& flags, const RunPoint& point) {
  std::vector<std::string> arguments = verb;
  for (std::string& argument : flags.arguments(point)) arguments.push_back(std::move(argument));
  Repeat repeat = run_program(arguments);
  if (!repeat.error.empty()) throw kernels::RunFailure(repeat.error);
  return std::move(repeat.result);
}

/// Rows of kernel_timelines.jsonl: the kernels, then the stamped points.
std::string timeline_lines(const MeasuredTimeline& timeline,
                           const std::vector<StampedPoint>& points, const RunFlags& flags,
                           const RunPoint& point, const std::string& name,
                           const std::string& cluster) {
  std::string text;
  Json rows = to_json(timeline).at("spans");
  for (Json& row : to_json(points)) rows.push_back(std::move(row));
  for (const Json& row : rows) {
    Json line = {{"trace", name},
                 {"cluster", cluster},
                 {"protocol", "role"},
                 {"path", "hybrid"},
                 {"transport", flags.transport},
                 {"gpus_per_domain", flags.gpus_per_domain},
                 {"ffn_ranks", flags.ffn_gpus()},
                 {"attention_ranks", flags.attention_gpus(point)},
                 {"sources", point.sources},
                 {"tokens", point.tokens},
                 {"transport_sms", point.transport_sms},
                 {"channels_per_sm", point.channels_per_sm},
                 {"experts", flags.experts},
                 {"period_us", timeline.period_us},
                 {"anchor_device", flags.ffn_gpus()}};
    line.update(row);
    text += line.dump() + "\n";
  }
  return text;
}

/// Measured kernels, the spans of the stamped points on a time of their own, and, with a profile,
/// the simulated exchange of the same configuration, side by side.
void write_perfetto(const TraceCommand& command, const RunPoint& point,
                    const MeasuredTimeline& timeline, const std::vector<StampedPoint>& points,
                    const std::string& path) {
  double first = 0.0;
  for (const MeasuredSpan& span : timeline.spans) first = std::min(first, span.start_us);
  std::vector<model::TraceEvent> events;
  for (const MeasuredSpan& span : timeline.spans) {
    events.push_back({"measured/" + span.role + std::to_string(span.device), span.kernel,
                      from_us(span.start_us - first), from_us(span.end_us - span.start_us), -1});
  }
  double earliest = 0.0;
  for (const StampedPoint& step : points) earliest = std::min(earliest, step.first_us);
  for (const StampedPoint& step : points) {
    events.push_back({"stamped/" + step.role + std::to_string(step.device) + " " + step.point,
                      step.point, from_us(step.first_us - earliest),
                      from_us(step.last_us - step.first_us), -1});
  }
  if (!command.profile.empty()) {
    model::Exchange exchange;
    exchange.ffn_ranks = command.flags.ffn_gpus();
    exchange.attention_ranks = command.flags.attention_gpus(point);
    exchange.gpus_per_domain = command.flags.gpus_per_domain;
    exchange.tokens = point.tokens;
    exchange.hidden = command.flags.hidden;
    exchange.top_k = command.flags.top_k;
    exchange.experts = command.flags.experts;
    exchange.transport_sms = point.transport_sms;
    exchange.channels_per_sm = point.channels_per_sm;
    exchange.tail_interval = command.flags.tail_interval;
    model::SimulationOptions options;
    options.record_trace = true;
    const auto simulated = model::simulate(exchange, hw::find_profile(command.profile), options);
    events.insert(events.end(), simulated.trace.begin(), simulated.trace.end());
  }
  write_trace(path, events);
}

int trace(const TraceCommand& command) {
  require_gpu("trace");
  const std::vector<RunPoint> grid = command.flags.grid();
  if (grid.size() != 1) throw InputError("trace", std::to_string(grid.size()) + " points", "one");
  const RunPoint& point = grid.front();
  if (command.under_cupti) return trace_here(command, point);

  std::vector<double> untraced;
  std::string gpu;
  std::string nic;
  for (int i = 0; i < command.repeats; ++i) {
    const Json run = fresh({"run", "--one-process", "--json"}, command.flags, point);
    untraced.push_back(run.at("median_us").get<double>());
    gpu = run.at("machine").at("gpu").get<std::string>();
    nic = run.at("nic_name").get<std::string>();
  }
  const Json traced = fresh({"trace", "--under-cupti", "--json"}, command.flags, point);
  const MeasuredTimeline timeline = timeline_from_json(traced);
  kernels::RunConfig stamped = command.flags.config(point);
  stamped.stamps = true;
  const kernels::RunResult result = kernels::run_exchange(stamped);
  const ArrivalRamp ramp = arrival_ramp(result, stamped.shape);
  const std::vector<StampedPoint> points = stamped_points(result, stamped.shape);

  const std::string cluster = cluster_name(gpu, command.flags.gpus_per_domain, nic);
  const std::string name =
      command.name.empty() ? cluster + "/" + point_label(command.flags, point) : command.name;
  const double base = median(untraced);
  const double under_cupti = traced.at("median_us").get<double>();
  Json report = {{"trace", name},
                 {"untraced_us", base},
                 {"stamped_us", result.median_us},
                 {"stamped_ratio", result.median_us / base},
                 {"cupti_us", under_cupti},
                 {"cupti_ratio", under_cupti / base},
                 {"dropped", traced.at("dropped")},
                 {"without_time", traced.at("without_time")},
                 {"timeline", to_json(timeline)},
                 {"points", to_json(points)},
                 {"ramp", to_json(ramp)}};
  if (!command.out.empty()) {
    write_file(command.out + ".timelines.jsonl",
               timeline_lines(timeline, points, command.flags, point, name, cluster));
    write_file(command.out + ".report.json", report.dump() + "\n");
    write_perfetto(command, point, timeline, points, command.out + ".perfetto.json");
  }
  if (command.json) {
    print_json(report);
    return 0;
  }
  Table table({"device", "role", "kernel", "start_us", "end_us", "duration_us"}, "rll");
  for (const MeasuredSpan& span : timeline.spans) {
    table.row({std::to_string(span.device), span.role, span.kernel, fixed(span.start_us, 2),
               fixed(span.end_us, 2), fixed(span.end_us - span.start_us, 2)});
  }
  table.print();
  std::printf(
      "period %s us; untraced %s, with stamps %s (x %s), under CUPTI %s (x %s); %s records "
      "dropped, %s without a time\n",
      fixed(timeline.period_us, 2).c_str(), fixed(base, 2).c_str(),
      fixed(result.median_us, 2).c_str(), fixed(result.median_us / base, 3).c_str(),
      fixed(under_cupti, 2).c_str(), fixed(under_cupti / base, 3).c_str(),
      traced.at("dropped").dump().c_str(), traced.at("without_time").dump().c_str());
  print(points);
  print(ramp);
  return 0;
}

int run(const TraceCommand& command) {
  try {
    return trace(command);
  } catch (const kernels::ConfigError& error) {
    throw InputError(error.where(), error.problem(), error.expected());
  } catch (const kernels::RunFailure& failure) {
    std::fprintf(stderr, "fanin: trace: %s\n", failure.what());
    return 1;
  }
}

}  // namespace

std::pair<CLI::App*, Runner> add_trace_verb(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("trace", kHelp);
  auto command = std::make_shared<TraceCommand>();
  command->flags.add_to(*verb);
  verb->add_option("--repeats", command->repeats, "Fresh untraced processes")
      ->check(CLI::Range(1, 1000));
  verb->add_option("--trace", command->name, "Name of the trace; default cluster/configuration");
  verb->add_option("--out", command->out,
                   "Writes PREFIX.timelines.jsonl, PREFIX.report.json and PREFIX.perfetto.json");
  verb->add_option("--profile", command->profile,
                   "Adds the exchange simulated with this profile to the Perfetto file");
  verb->add_flag("--json", command->json, "One JSON object on stdout");
  verb->add_flag("--under-cupti", command->under_cupti, "Only the traced run, in this process");
  return {verb, [command] { return run(*command); }};
}

}  // namespace fanin::experiments

#include "run_record.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>

#include "fanin/hw/error.hpp"

namespace fanin::experiments {

namespace {

/// The output of a program, its two streams apart; `status` is its exit code.
struct Output {
  std::string out;
  std::string err;
  int status = 0;
};

Output execute(std::vector<std::string> arguments) {
  std::array<int, 2> out{};
  std::array<int, 2> err{};
  if (pipe(out.data()) != 0 || pipe(err.data()) != 0)
    throw InputError("run", "cannot make a pipe", "one");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    for (const int end : {out[0], out[1], err[0], err[1]}) close(end);
    execv("/proc/self/exe", argv.data());
    _exit(127);
  }
  close(out[1]);
  close(err[1]);
  Output result;
  const auto drain = [](int from, std::string& to) {
    std::array<char, 4096> part{};
    for (ssize_t n = 0; (n = read(from, part.data(), part.size())) > 0;)
      to.append(part.data(), static_cast<std::size_t>(n));
    close(from);
  };
  // The child writes one line on stderr at most, which the pipe holds until stdout ends.
  drain(out[0], result.out);
  drain(err[0], result.err);
  int status = 0;
  waitpid(child, &status, 0);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

}  // namespace

Json to_json(const kernels::RunResult& result, const kernels::Machine& machine) {
  Json out;
  out["median_us"] = result.median_us;
  out["block_us"] = result.block_us;
  out["checked_blocks"] = result.checked_blocks;
  out["checked_bytes"] = result.checked_bytes;
  out["nic_name"] = result.nic_name;
  out["machine"] = {{"gpu", machine.gpu},
                    {"driver", machine.driver},
                    {"sms", machine.sms},
                    {"sm_clock_mhz", machine.sm_clock_mhz},
                    {"max_sm_clock_mhz", machine.max_sm_clock_mhz}};
  Json placement = Json::array();
  if (!result.nic_sms.empty())
    placement.push_back({{"kernel", "nic"}, {"rank", -1}, {"sms", result.nic_sms}});
  for (const kernels::Placement& p : result.placement) {
    placement.push_back({{"kernel", p.kernel}, {"rank", p.rank}, {"sms", p.sms}});
  }
  out["placement"] = std::move(placement);
  return out;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2.0;
}

std::string point_label(const RunFlags& flags, const RunPoint& point) {
  std::string label = "T" + std::to_string(point.tokens) + "-S" + std::to_string(point.sources) +
                      "-sm" + std::to_string(point.transport_sms);
  if (point.channels_per_sm != 8) label += "-c" + std::to_string(point.channels_per_sm);
  if (flags.tail_interval != 3) label += "-i" + std::to_string(flags.tail_interval);
  if (flags.gpus_per_domain != 1) label += "-U" + std::to_string(flags.gpus_per_domain);
  if (flags.ffn_gpus() != flags.gpus_per_domain) label += "-F" + std::to_string(flags.ffn_gpus());
  if (point.fix != "none") label += "-fix" + point.fix;
  return label;
}

Repeat run_program(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"fanin"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const Output output = execute(std::move(words));
  Repeat repeat;
  repeat.result = Json::parse(output.out, nullptr, false);
  if (output.status == 0 && repeat.result.is_object()) return repeat;
  repeat.error = output.err.empty() ? "exit code " + std::to_string(output.status) : output.err;
  while (!repeat.error.empty() && repeat.error.back() == '\n') repeat.error.pop_back();
  if (output.status == 2) {
    // Bad input: the child has said where and what; the prefix is the program's.
    const std::string prefix = "fanin: ";
    const bool prefixed = repeat.error.rfind(prefix, 0) == 0;
    throw InputError("run", prefixed ? repeat.error.substr(prefix.size()) : repeat.error, "");
  }
  return repeat;
}

Repeat run_fresh(const RunFlags& flags, const RunPoint& point) {
  std::vector<std::string> arguments = {"run", "--one-process", "--json"};
  for (std::string& argument : flags.arguments(point)) arguments.push_back(std::move(argument));
  return run_program(arguments);
}

std::string cluster_name(const std::string& gpu, int gpus_per_domain, const std::string& nic) {
  std::string name;
  for (const char c : gpu)
    name += c == ' ' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::string vendor = "nvidia-";
  if (name.rfind(vendor, 0) == 0) name.erase(0, vendor.size());
  name += "-x1";
  if (gpus_per_domain > 1) name += "-u" + std::to_string(gpus_per_domain);
  return nic.empty() ? name : name + "-" + nic;
}

Json make_record(const RunFlags& flags, const RunPoint& point, const std::vector<Json>& repeats,
                 const std::string& set, const std::string& commit) {
  const Json& first = repeats.front();
  const std::string cluster =
      cluster_name(first.at("machine").at("gpu").get<std::string>(), flags.gpus_per_domain,
                   first.at("nic_name").get<std::string>());
  std::vector<double> medians;
  std::size_t checked_bytes = 0;
  std::size_t checked_blocks = 0;
  double least = first.at("block_us").front().get<double>();
  double most = least;
  for (const Json& repeat : repeats) {
    medians.push_back(repeat.at("median_us").get<double>());
    checked_bytes += repeat.at("checked_bytes").get<std::size_t>();
    checked_blocks += repeat.at("checked_blocks").get<std::size_t>();
    for (const Json& block : repeat.at("block_us")) {
      least = std::min(least, block.get<double>());
      most = std::max(most, block.get<double>());
    }
  }
  Json record;
  record["id"] = cluster + "/" + set + "/" + point_label(flags, point);
  record["set"] = set;
  record["cluster"] = cluster;
  record["protocol"] = "role";
  record["path"] = "hybrid";
  record["transport"] = flags.transport;
  record["gpus_per_domain"] = flags.gpus_per_domain;
  record["ffn_ranks"] = flags.ffn_gpus();
  record["attention_ranks"] = flags.attention_gpus(point);
  record["sources"] = point.sources;
  record["tokens"] = point.tokens;
  if (!flags.source_tokens.empty()) {
    record["tokens"] = *std::max_element(flags.source_tokens.begin(), flags.source_tokens.end());
    record["source_tokens"] = flags.source_tokens;
  }
  record["transport_sms"] = point.transport_sms;
  record["channels_per_sm"] = point.channels_per_sm;
  record["tail_interval"] = flags.tail_interval;
  if (flags.queues > 0) record["queues"] = flags.queues;
  record["payload"] = "bf16";
  record["hidden"] = flags.hidden;
  record["top_k"] = flags.top_k;
  record["experts"] = flags.experts;
  record["capacity"] = flags.capacity;
  record["routing"] = flags.routing;
  record["fix"] = point.fix;
  if (!flags.nic.empty()) record["nic"] = flags.nic;
  // Without a warm-up the time is not the metric that latency records hold.
  record[flags.warmup_blocks > 0 ? "median_us" : "unwarmed_us"] = median(medians);
  record["repeats_us"] = medians;
  record["block_range_us"] = {least, most};
  record["data_valid"] = checked_blocks > 0;
  record["checked_blocks"] = checked_blocks;
  record["checked_bytes"] = checked_bytes;
  record["exchanges_per_block"] = flags.graph_exchanges * flags.replays;
  record["blocks"] = flags.blocks;
  record["machine"] = first.at("machine");
  record["commit"] = commit;
  record["command"] = "fanin run " + joined(flags.arguments(point)) + " --repeats " +
                      std::to_string(repeats.size());
  record["placement"] = first.at("placement");
  return record;
}

}  // namespace fanin::experiments

#include "nic_probe.hpp"

#include <algorithm>
#include <cmath>

#include "fanin/kernels/nic_bench.hpp"
#include "fanin/kernels/nic_load.hpp"
#include "fanin/probe/stopping.hpp"

namespace fanin::experiments {
namespace {

using kernels::NicObservation;
using kernels::NicSettings;
using kernels::NicTraffic;

constexpr double kGoalPct = 2;
constexpr double kFloorNs = 13;
constexpr double kTickNs = 1.0 / 64;  // service_from_response works in ticks
constexpr double kTimerStepNs = 32;   // of the device's timer

NicSettings settings_of(const std::string& words) { return kernels::parse_nic_settings({words}); }

std::string number(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

class NicProbe {
 public:
  explicit NicProbe(const NicProbeOptions& options) : options_(options) {}

  std::vector<NicRow> run() {
    floor_and_order();
    for (const double ns : {20.0, 28.0, 40.0, 60.0, 100.0, 200.0}) {
      backlog("serve_atomic_ns", "responder", ns);
      backlog("send_atomic_ns", "requester", ns);
      loads(ns);
    }
    costs();
    latencies();
    return rows_;
  }

 private:
  void say(const std::string& what) const {
    if (options_.progress) options_.progress(what);
  }

  std::int64_t scaled(std::int64_t operations) const {
    return options_.quick ? std::max<std::int64_t>(2048, operations / 10 / 2048 * 2048)
                          : operations;
  }

  NicRow row(const char* test, const NicSettings& settings, const std::string& what, double asked,
             const NicObservation& seen) const {
    NicRow row;
    row.test = test;
    row.setting = settings.name();
    row.what = what;
    row.asked_ns = asked;
    row.operations = seen.signals;
    row.inversions = seen.inversions;
    row.pairs = seen.pairs;
    row.late_ns = seen.receiver.late_ns;
    return row;
  }

  void floor_and_order() {
    for (const bool many : {false, true}) {
      NicTraffic traffic;
      traffic.operations = scaled(409'600);
      traffic.words = many ? 32 : 2;
      traffic.producers = many ? 256 : 0;
      traffic.queues = many ? 64 : 1;
      const std::string what = many ? "nothing asked, 256 posting warps" : "nothing asked, backlog";
      say(what);
      const NicSettings settings = settings_of("free");
      const NicObservation seen = kernels::observe_nic(settings, traffic);
      rows_.push_back(row("floor", settings, what, 0, seen));
      rows_.back().held_ns = kernels::held_ns(seen);
      rows_.back().goal_ns = kFloorNs;
    }
    order("free");
    order("nic28");
  }

  void order(const std::string& words) {
    NicTraffic traffic;
    traffic.operations = scaled(409'600);
    traffic.words = 2;
    say("order, " + words);
    const NicSettings settings = settings_of(words);
    const NicObservation seen = kernels::observe_nic(settings, traffic);
    rows_.push_back(row("order", settings, "later adds seen before earlier ones, backlog",
                        settings.serve_atomic_ns, seen));
    rows_.back().held_ns = kernels::held_ns(seen);
    traffic.words = 1;
    traffic.tails_per_finish = 2;
    traffic.operations -= traffic.operations % 3;
    const NicObservation one = kernels::observe_nic(settings, traffic);
    rows_.push_back(row("order", settings, "a word's finishes seen before its tails, backlog",
                        1.5 * settings.serve_atomic_ns, one));
    rows_.back().held_ns = kernels::held_ns(one);
  }

  void backlog(const std::string& key, const std::string& server, double ns) {
    NicTraffic traffic;
    traffic.operations = scaled(204'800);
    traffic.words = 2;
    const NicSettings settings = settings_of(key + "=" + number(ns));
    say("backlog, " + settings.name());
    const NicObservation seen = kernels::observe_nic(settings, traffic);
    rows_.push_back(row("backlog", settings, server + ", one fetch-add, backlog", ns, seen));
    rows_.back().held_ns = kernels::held_ns(seen);
    rows_.back().goal_pct = kGoalPct;
  }

  // Posting and wire are long enough to hide what the emulation itself takes.
  static constexpr const char* kHidden = "post_ns=5000,wire_ns=5000";

  void loads(double ns) {
    const std::string words = std::string(kHidden) + ",serve_atomic_ns=" + number(ns);
    for (const double load : {0.3, 0.6, 0.9}) {
      // Queues at high load remember long; the looks at a run's words last half a second.
      const auto operations = scaled(
          static_cast<std::int64_t>(std::min(1'024'000.0, 1.25e8 * load / ns) / 2048) * 2048);
      say("load " + number(load) + ", " + words);
      const kernels::AlternatingArrivals arrivals(ns, load, scaled(204'800), operations, kSeed);
      NicTraffic traffic;
      // As many words as adds may come together: adds to one word take effect one by one.
      traffic.words = 32;
      traffic.arrival_ns = arrivals.all();
      traffic.operations = static_cast<std::int64_t>(traffic.arrival_ns.size());
      const NicObservation seen = kernels::observe_nic(settings_of(words), traffic);
      const double response_ns = arrivals.response_ns(seen, ns);
      NicRow result =
          row("load", settings_of(words), "responder, one fetch-add, Poisson arrivals", ns, seen);
      result.held_ns = kernels::service_from_response(arrivals.poisson(), response_ns, ns);
      result.resolution_ns = kTickNs;
      result.goal_pct = kGoalPct;
      result.load = load;
      // The drawn arrivals differ from the mean of all draws; that part is known exactly.
      const double drawn = kernels::mean_response_ns(arrivals.poisson(), ns);
      result.md1_response_ns = kernels::md1_response_ns(ns, load);
      result.response_ns = response_ns - drawn + *result.md1_response_ns;
      rows_.push_back(result);
    }
  }

  void cost(const std::string& words, const std::string& what, double asked, NicTraffic traffic) {
    const NicSettings settings = settings_of(words);
    say("cost, " + settings.name());
    traffic.operations = scaled(traffic.operations);
    traffic.operations -= traffic.operations % (traffic.rows_per_add + 1);
    const NicObservation seen = kernels::observe_nic(settings, traffic);
    rows_.push_back(row("cost", settings, what, asked, seen));
    rows_.back().held_ns = kernels::held_ns(seen);
  }

  void costs() {
    NicTraffic one;
    one.operations = 81'920;
    NicTraffic two_words = one;
    two_words.operations = 40'960;
    two_words.words = 2;
    NicTraffic two_queues = one;
    two_queues.queues = 2;
    NicTraffic many_queues = one;
    many_queues.queues = 128;
    many_queues.words = 32;
    NicTraffic rows = one;
    rows.rows_per_add = 3;
    cost("send_atomic_ns=28,doorbell_ns=30", "requester, one fetch-add and its doorbell", 58, one);
    cost("send_atomic_ns=28,queue_switch_ns=50", "requester, queues in turn", 78, two_queues);
    cost("send_atomic_ns=28,queue_switch_ns=50", "requester, one queue", 28, one);
    cost("send_write_ns=40,send_gbps=50", "requester, 3 rows of 4,224 B, per group",
         3 * (40 + 4224 / 50.0), rows);
    cost("serve_write_ns=40,serve_gbps=50", "responder, 3 rows of 4,224 B, per group",
         3 * (40 + 4224 / 50.0), rows);
    cost("serve_atomic_ns=28,lock_slots=512,lock_hold_ns=200", "responder, one word", 200, one);
    cost("serve_atomic_ns=28,lock_slots=1,lock_hold_ns=200", "responder, one slot for 32 words",
         200, many_queues);
    cost("send_atomic_ns=28,contexts=64,context_miss_ns=300", "requester, 128 queues in turn", 328,
         many_queues);
    cost("send_atomic_ns=28,contexts=1024,context_miss_ns=300", "requester, all queues fit", 28,
         many_queues);
    cost("nic28,nics_per_sm=2", "both sides, two NICs in one SM", 28, one);
    for (const int senders : {2, 3, 4, 8}) {
      NicTraffic merged = one;
      merged.operations = 245'760;
      merged.senders = senders;
      cost("serve_atomic_ns=28",
           "responder, operations of " + std::to_string(senders) + " requesters merged", 28,
           merged);
      rows_.back().goal_pct = kGoalPct;
    }
    for (const int outstanding : {1, 16, 64}) {
      cost("wire_ns=5000,serve_atomic_ns=28,outstanding=" + std::to_string(outstanding),
           "requester, " + std::to_string(outstanding) + " outstanding", 10'028.0 / outstanding,
           two_words);
    }
    for (const char* const movers : {"0", "3"}) {
      NicTraffic large = one;
      large.operations = 65'536;
      large.rows_per_add = 15;
      large.row_bytes = 16'896;
      cost(std::string("serve_gbps=100,mover_sms=") + movers,
           "responder, 15 rows of 16,896 B, per group", 15 * 16'896 / 100.0, large);
    }
  }

  void latencies() {
    say("latency of one operation alone");
    constexpr int kRepeats = 200;
    const kernels::NicLatency none = kernels::lone_latency(settings_of("free"), kRepeats);
    NicRow alone;
    alone.test = "latency";
    alone.setting = "free";
    alone.what = "one operation alone, post to effect; asked: a release add without a NIC";
    alone.asked_ns = none.direct_ns;
    alone.held_ns = none.nic_ns;
    alone.resolution_ns = kTimerStepNs;
    alone.operations = kRepeats;
    rows_.push_back(alone);
    for (const std::string key : {"post_ns", "wire_ns"}) {
      const double low = kernels::lone_latency(settings_of(key + "=5000"), kRepeats).nic_ns;
      const double high = kernels::lone_latency(settings_of(key + "=15000"), kRepeats).nic_ns;
      NicRow result = alone;
      result.setting = settings_of(key + "=15000").name();
      result.what = "one operation alone, what 10,000 ns more of " + key + " add";
      result.asked_ns = 10'000;
      result.held_ns = high - low;
      result.resolution_ns = 2 * kTimerStepNs;
      rows_.push_back(result);
    }
  }

  static constexpr std::uint64_t kSeed = 20261130;

  const NicProbeOptions& options_;
  std::vector<NicRow> rows_;
};

}  // namespace

double NicRow::error_pct() const {
  return asked_ns > 0 ? 100 * (held_ns - asked_ns) / asked_ns : 0;
}

bool NicRow::missed() const {
  if (goal_ns > 0 && held_ns > goal_ns) return true;
  return goal_pct > 0 && std::abs(error_pct()) > goal_pct;
}

std::string NicRow::figure() const {
  return test + " " + setting + (load ? " load " + number(*load) : "") + " " + what;
}

std::vector<NicRow> probe_nic(const NicProbeOptions& options) {
  std::vector<NicRow> rows = NicProbe(options).run();
  std::vector<std::vector<probe::Estimate>> held(rows.size());
  const auto keep = [&](const std::vector<NicRow>& from) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      probe::Estimate one;
      one.median = from[i].held_ns;
      const double half = from[i].resolution_ns / 2;
      one.ci95 = {one.median - half, one.median + half};
      one.samples = 1;
      held[i].push_back(one);
    }
  };
  keep(rows);
  for (int repeat = 1; repeat < options.repeats; ++repeat) keep(NicProbe(options).run());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const probe::Estimate joined = probe::join(held[i]);
    rows[i].held_ns = joined.median;
    rows[i].ci95 = joined.ci95;
  }
  return rows;
}

}  // namespace fanin::experiments

// NICs and what travels between them. A work request passes its queue (which may be at its limit),
// the requester of the NIC that posts it, the wire, and the responder of its peer; then it is
// visible.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "context_flush.hpp"
#include "fanin/hw/profile.hpp"
#include "fanin/model/operations.hpp"
#include "fanin/model/sim/merge_server.hpp"
#include "fanin/model/sim/ring.hpp"
#include "fanin/model/sim/server.hpp"
#include "rules.hpp"
#include "world.hpp"

namespace fanin::model {

struct NicCosts {
  sim::Cost requester[kVerbs];
  sim::Cost responder[kVerbs];
  Picoseconds doorbell;  ///< added at the requester for each doorbell rung
  Picoseconds
      silent_saving;  ///< what a fetch-add saves at the requester whose doorbell another rings
  Picoseconds wire;
  Picoseconds inline_saving;  ///< an inline WRITE's wire is shorter by this
  Picoseconds fence;          ///< a fetch-add behind WRITEs of its queue takes this longer
  Picoseconds write_latency;  ///< from the responder's end with a WRITE until it is in memory
  Picoseconds acknowledge;    ///< from visible to the queue's knowing it
  int outstanding = 1;        ///< fetch-adds that a queue may have in flight
  int depth = 1;              ///< work requests that a queue may have in flight
  bool fenced = false;  ///< a fetch-add leaves its queue only after its WRITEs are acknowledged
  bool uses_inline = false;  ///< some message is an inline WRITE
  bool flushes = false;      ///< Network::flush() is used

  /// Messages with different times on the wire may overtake each other: one lane for each.
  int lanes_per_peer() const { return uses_inline || fence.count > 0 ? 3 : 1; }
};

NicCosts nic_costs(const hw::Profile& profile, const Rules& rules);

/// A work request as its receiver sees it.
struct Message {
  Verb verb = Verb::fetch_add;
  Phase phase = Phase::dispatch;
  bool finish = false;         ///< the last of its (channel, sender)
  bool release = false;        ///< the designated release of fixes 7 and 8
  bool barrier = false;        ///< a rank's signal at a kernel's entry (symmetric)
  bool behind_writes = false;  ///< its queue posted WRITEs of the same channel before
  bool rings_doorbell = true;
  std::int32_t channel = 0;
  std::int32_t rows = 0;    ///< that it makes visible
  std::int32_t sender = 0;  ///< as the receiver numbers its peers
  std::int32_t context = 0;
  std::int32_t round = 0;
  std::int64_t flow = -1;  ///< of a signal, while a trace is recorded
  Bytes bytes = {8};
};

class Receiver {
 public:
  /// `at` ≥ now: when the message becomes visible.
  virtual void visible(sim::Simulator& simulator, const Message& message, Picoseconds at,
                       sim::Cause cause) = 0;

 protected:
  ~Receiver() = default;
};

struct QueueLoad {
  std::int32_t writes = 0;
  std::int32_t fetch_adds = 0;
};

/// By context, the larger of both; `most` grows as needed.
void keep_larger(std::vector<QueueLoad>& most, const std::vector<QueueLoad>& loads);

class Network {
 public:
  Network(World& world, const NicCosts& costs) : world_(&world), costs_(costs) {}

  struct NicOptions {
    std::string name;  ///< of its GPU
    Resource requester;
    Resource responder;
    int peers = 1;         ///< that send to it
    bool counted = false;  ///< enters the operation counts
    NicSide outbound = NicSide::ffn_outbound;
    NicSide inbound = NicSide::ffn_inbound;
    /// By context: what one of its queues gets in one exchange. Queues that no limit can hold up
    /// need no bookkeeping, since an exchange's posts are acknowledged before the next one's.
    std::vector<QueueLoad> loads;
  };
  /// Index of the new NIC.
  int add(NicOptions options, Receiver& receiver);

  /// Posts now; to itself, a GPU adds in its own memory. `message.sender` must be the poster's
  /// number among the receiver's peers.
  void post(sim::Simulator& simulator, int from, int to, const Message& message, sim::Cause cause,
            Resource before);

  /// Tells `waiter` when all that `nic` has posted on `context` is acknowledged. Precondition:
  /// NicCosts::flushes.
  void flush(sim::Simulator& simulator, int nic, int context, FlushWaiter& waiter,
             std::uint32_t token);

  const sim::Usage& requester(int nic) const {
    return nics_[static_cast<std::size_t>(nic)]->requester->usage();
  }
  const sim::Usage& responder(int nic) const {
    return nics_[static_cast<std::size_t>(nic)]->responder->usage();
  }
  const std::string& name(int nic) const {
    return nics_[static_cast<std::size_t>(nic)]->options.name;
  }
  int size() const { return static_cast<int>(nics_.size()); }

 private:
  struct Flight {
    Message message;
    std::int32_t from = 0;
    std::int32_t to = 0;
    std::int32_t queue = -1;  // -1: not limited
    sim::Cause cause = sim::kNoCause;
    Resource before = Resource::launch;
    std::uint64_t number = 0;  // on its context, where flushes are used
    Picoseconds posted;
  };
  struct Nic;
  /// One (context, peer) that may reach its limits.
  struct Queue final : sim::Actor {
    Network* network = nullptr;
    Nic* nic = nullptr;
    std::size_t key = 0;  // (context, peer): the order in which queues of one NIC go on at one time
    struct Return {
      Picoseconds at;
      sim::Cause cause;
    };
    sim::Ring<std::uint32_t> waiting;
    sim::Ring<Return> fetch_add_returns;  // acknowledgements on their way, by time
    sim::Ring<Return> write_returns;
    int fetch_adds = 0;  // in flight
    int writes = 0;
    bool wake_pending = false;
    sim::Cause last_return = sim::kNoCause;
    void wake(sim::Simulator& simulator) override;
    void collect_returns(Picoseconds now);
    /// When the next post may leave, as far as acknowledgements on their way tell: now or earlier,
    /// later, or kNever while none that it needs is known.
    Picoseconds room_at(Verb verb, Picoseconds now) const;
    void enter(Verb verb);
    void issue_waiting(sim::Simulator& simulator);
    void wake_at(sim::Simulator& simulator, Picoseconds at);
  };
  struct RequesterSink final : sim::Sink {
    Network* network = nullptr;
    void done(sim::Simulator& simulator, const sim::Completion& completion) override {
      network->sent(simulator, completion);
    }
  };
  struct ResponderSink final : sim::Sink {
    Network* network = nullptr;
    void done(sim::Simulator& simulator, const sim::Completion& completion) override {
      network->arrived(simulator, completion);
    }
  };
  /// Lets the queues go on whose acknowledgements came at one time, after all of them have come and
  /// in order of their keys, so that the order does not depend on how servers run.
  struct Flush final : sim::Actor {
    Nic* nic = nullptr;
    std::vector<Queue*> ready;
    void wake(sim::Simulator& simulator) override;
  };
  struct Nic {
    NicOptions options;
    Flush flush;
    Receiver* receiver = nullptr;
    RequesterSink requester_sink;
    ResponderSink responder_sink;
    std::unique_ptr<sim::Server> requester;
    std::unique_ptr<sim::MergeServer> responder;
    std::vector<std::uint8_t> limited;   // by context
    std::vector<std::int32_t> queue_of;  // [context · NICs + to]; -1: none yet
    std::vector<ContextFlush> contexts;  // only where flushes are used
    Picoseconds visible;                 // all that was served is, with a write latency
  };

  std::uint32_t take_flight(const Flight& flight);
  static ContextFlush& context_of(Nic& nic, int context);
  int queue_index(Nic& nic, int context, int to);
  void issue(sim::Simulator& simulator, std::uint32_t token);
  void sent(sim::Simulator& simulator, const sim::Completion& completion);
  void arrived(sim::Simulator& simulator, const sim::Completion& completion);
  void trace_requester(const Flight& flight, Picoseconds end);
  void trace_responder(const Flight& flight, Picoseconds end);
  Picoseconds requester_service(const Message& message) const;
  Picoseconds responder_service(const Message& message) const;

  World* world_;
  NicCosts costs_;
  std::vector<std::unique_ptr<Nic>> nics_;
  std::vector<Flight> flights_;
  std::vector<std::uint32_t> free_flights_;
  std::deque<Queue> queues_;
};

}  // namespace fanin::model

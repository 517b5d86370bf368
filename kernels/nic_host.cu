#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <string>
#include <thread>

#include "device_buffer.cuh"
#include "fanin/kernels/config_error.hpp"
#include "fanin/kernels/cuda_check.cuh"
#include "fanin/kernels/device/emulated_nic.cuh"
#include "fanin/kernels/emulated_nic.hpp"
#include "nic_kernel.cuh"

namespace fanin::kernels {
namespace {

using device::Word;
using nic::Control;
using nic::Link;
using nic::RankNic;
using nic::StageCosts;

std::int32_t ticks(double ns) {
  return static_cast<std::int32_t>(std::lround(ns * nic::kTicksPerNs));
}

float ticks_per_byte(double gbps) {
  return gbps > 0 ? static_cast<float>(nic::kTicksPerNs / gbps) : 0.0f;
}

StageCosts send_costs(const NicSettings& settings) {
  StageCosts costs;
  costs.atomic = ticks(settings.send_atomic_ns);
  costs.write = ticks(settings.send_write_ns);
  costs.doorbell = ticks(settings.doorbell_ns);
  costs.queue_switch = ticks(settings.queue_switch_ns);
  costs.context_miss = ticks(settings.context_miss_ns);
  costs.contexts = settings.contexts;
  costs.per_byte = ticks_per_byte(settings.send_gbps);
  return costs;
}

StageCosts serve_costs(const NicSettings& settings) {
  StageCosts costs;
  costs.atomic = ticks(settings.serve_atomic_ns);
  costs.write = ticks(settings.serve_write_ns);
  costs.lock_hold = ticks(settings.lock_hold_ns);
  costs.lock_slots = settings.lock_slots;
  costs.per_byte = ticks_per_byte(settings.serve_gbps);
  return costs;
}

std::uint32_t log2_of(int power) {
  return static_cast<std::uint32_t>(std::countr_zero(static_cast<unsigned>(power)));
}

// Words of one rank: posted, consumed, marker count and scratch on lines of their own.
constexpr int kWordsPerRank = 64;
constexpr int kWordsPerLink = 32;

}  // namespace

struct EmulatedNic::State {
  NicSettings settings;
  NicTopology topology;
  DeviceBuffer<RankNic> nics;
  DeviceBuffer<ulonglong2> rings;
  DeviceBuffer<ulonglong2> link_halves;
  DeviceBuffer<Word> words;
  DeviceBuffer<Word> markers;
  DeviceBuffer<Word> acks;
  DeviceBuffer<nic::ServedOp> served;
  DeviceBuffer<Control> control;
  std::vector<RankNic> host;
  cudaStream_t stream = nullptr;
  cudaStream_t control_stream = nullptr;
  unsigned* ready = nullptr;  ///< mapped host memory, one word a CTA
  Word* one = nullptr;        ///< pinned
  std::vector<int> sm;        ///< of each CTA at the last start
  bool records_served;
  bool running = false;
  bool told_to_stop = false;

  State(const NicSettings& s, const NicTopology& t, bool record)
      : settings(s),
        topology(t),
        nics(t.ranks),
        rings(static_cast<std::size_t>(t.ranks) * s.ring_entries * 2),
        link_halves(t.links.size() * nic::kLinkEntries * 2 + 1),
        words(static_cast<std::size_t>(t.ranks) * kWordsPerRank + t.links.size() * kWordsPerLink),
        markers(static_cast<std::size_t>(t.ranks) * device::EmulatedNicTransport::kMarkers),
        acks(s.outstanding > 0 ? static_cast<std::size_t>(t.ranks) * nic::kAcks : 1),
        served(record ? static_cast<std::size_t>(t.ranks) * nic::kServedOps : 1),
        control(1),
        host(t.ranks),
        records_served(record) {}

  int ctas() const {
    return (topology.ranks + settings.nics_per_sm - 1) / settings.nics_per_sm *
           (1 + settings.mover_sms);
  }
  nic::NicKernel* kernel() const { return nic::nic_kernel(records_served); }
  Word* rank_words(int rank) const { return words.get() + rank * kWordsPerRank; }

  void build() {
    for (int rank = 0; rank < topology.ranks; ++rank) {
      RankNic& nic = host[rank];
      nic = {};
      nic.ring.slots.halves =
          rings.get() + static_cast<std::size_t>(rank) * settings.ring_entries * 2;
      nic.ring.slots.log2 = log2_of(settings.ring_entries);
      nic.ring.slots.lanes_log2 = 5;
      nic.ring.posted = rank_words(rank);
      nic.consumed = rank_words(rank) + 16;
      nic.ring.consumed = nic.consumed;
      nic.scratch = rank_words(rank) + 48;
      nic.queues = topology.queues;
      nic.send = send_costs(settings);
      nic.serve = serve_costs(settings);
      nic.post_ns = static_cast<std::uint32_t>(std::lround(settings.post_ns));
      nic.wire_ns = static_cast<std::uint32_t>(std::lround(settings.wire_ns));
      nic.outstanding = static_cast<std::uint32_t>(settings.outstanding);
      if (settings.outstanding > 0) {
        nic.acks = acks.get() + static_cast<std::size_t>(rank) * nic::kAcks;
      }
      if (records_served) {
        nic.served = served.get() + static_cast<std::size_t>(rank) * nic::kServedOps;
      }
      std::memset(nic.link_of_peer, -1, sizeof nic.link_of_peer);
    }
    for (std::size_t i = 0; i < topology.links.size(); ++i) {
      const auto [from, to] = topology.links[i];
      Word* const counts = rank_words(topology.ranks) + i * kWordsPerLink;
      // The responder's warp is split evenly over its links.
      const auto sources = static_cast<unsigned>(std::count_if(
          topology.links.begin(), topology.links.end(),
          [to = to](const std::pair<int, int>& other) { return other.second == to; }));
      Link link{};
      link.slots.halves = link_halves.get() + i * nic::kLinkEntries * 2;
      link.slots.log2 = nic::kLinkLog2;
      link.slots.lanes_log2 = 5 - static_cast<std::uint32_t>(std::bit_width(sources - 1));
      link.tail = counts;
      link.head = counts + 16;
      RankNic& sender = host[from];
      RankNic& receiver = host[to];
      link.acks = sender.acks;
      sender.link_of_peer[to] = static_cast<signed char>(sender.out_count);
      sender.out[sender.out_count++] = link;
      receiver.in[receiver.in_count++] = link;
    }
    FANIN_CUDA_CHECK(
        cudaMemcpy(nics.get(), host.data(), host.size() * sizeof(RankNic), cudaMemcpyHostToDevice));
  }
};

namespace {

void check(const NicTopology& topology) {
  const auto fail = [](const std::string& what, const std::string& expected) {
    throw ConfigError("emulated NIC", what, expected);
  };
  if (topology.ranks < 1 || topology.ranks > nic::kMaxRanks) {
    fail(std::to_string(topology.ranks) + " ranks", "1 to " + std::to_string(nic::kMaxRanks));
  }
  if (topology.queues < 1 || topology.queues > 65535) {
    fail(std::to_string(topology.queues) + " queues", "1 to 65535");
  }
  std::vector<int> out(topology.ranks, 0);
  std::vector<int> in(topology.ranks, 0);
  for (const auto& [from, to] : topology.links) {
    if (from < 0 || from >= topology.ranks || to < 0 || to >= topology.ranks) {
      fail("a link from " + std::to_string(from) + " to " + std::to_string(to), "ranks there are");
    }
    if (++out[from] > nic::kMaxLinks || ++in[to] > nic::kMaxLinks) {
      fail("too many links of one rank", "at most " + std::to_string(nic::kMaxLinks));
    }
  }
}

}  // namespace

EmulatedNic::EmulatedNic(const NicSettings& settings, const NicTopology& topology,
                         bool record_served) {
  validate(settings);
  check(topology);
  state_ = std::make_unique<State>(settings, topology, record_served);
  if (state_->ctas() > nic::kMaxCtas) {
    throw ConfigError("emulated NIC", std::to_string(state_->ctas()) + " SMs",
                      "at most " + std::to_string(nic::kMaxCtas));
  }
  state_->build();
  int least = 0;
  int greatest = 0;
  FANIN_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  FANIN_CUDA_CHECK(cudaStreamCreateWithPriority(&state_->stream, cudaStreamNonBlocking, greatest));
  FANIN_CUDA_CHECK(cudaStreamCreateWithFlags(&state_->control_stream, cudaStreamNonBlocking));
  FANIN_CUDA_CHECK(
      cudaHostAlloc(&state_->ready, state_->ctas() * sizeof(unsigned), cudaHostAllocMapped));
  FANIN_CUDA_CHECK(cudaHostAlloc(&state_->one, sizeof(Word), cudaHostAllocDefault));
  *state_->one = 1;
  FANIN_CUDA_CHECK(cudaFuncSetAttribute(
      state_->kernel(), cudaFuncAttributeMaxDynamicSharedMemorySize, nic::kNicSharedBytes));
}

EmulatedNic::~EmulatedNic() {
  if (state_ == nullptr) return;
  if (state_->running) {
    try {
      stop();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "fanin: %s\n", error.what());
    }
  }
  FANIN_CUDA_WARN(cudaStreamDestroy(state_->stream));
  FANIN_CUDA_WARN(cudaStreamDestroy(state_->control_stream));
  FANIN_CUDA_WARN(cudaFreeHost(state_->ready));
  FANIN_CUDA_WARN(cudaFreeHost(state_->one));
}

int EmulatedNic::sms() const { return state_->ctas(); }

device::EmulatedNicTransport EmulatedNic::endpoint(int rank) const {
  device::EmulatedNicTransport transport;
  transport.ring = state_->host.at(rank).ring;
  transport.markers = state_->markers.get() +
                      static_cast<std::size_t>(rank) * device::EmulatedNicTransport::kMarkers;
  transport.marker_count = state_->rank_words(rank) + 32;
  transport.wire_ns = state_->host[rank].wire_ns;
  return transport;
}

void EmulatedNic::start(StallReport* report, std::uint64_t limit_ns) {
  State& state = *state_;
  FANIN_CUDA_CHECK(cudaMemsetAsync(state.control.get(), 0, sizeof(Control), state.stream));
  std::fill_n(state.ready, state.ctas(), 0u);
  device::Watch watch;
  watch.report = report;
  watch.limit_ns = limit_ns;
  watch.kernel = KernelId::nic;
  cudaLaunchAttribute cluster;
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(1 + state.settings.mover_sms), 1, 1};
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(static_cast<unsigned>(state.ctas()));
  launch.blockDim = dim3(nic::kThreads);
  launch.dynamicSmemBytes = nic::kNicSharedBytes;
  launch.stream = state.stream;
  launch.attrs = &cluster;
  // A tool that traces kernels holds up a cluster launch; a cluster of one CTA needs none.
  launch.numAttrs = state.settings.mover_sms > 0 ? 1 : 0;
  FANIN_CUDA_CHECK(cudaLaunchKernelEx(&launch, state.kernel(), state.nics.get(),
                                      state.topology.ranks, state.settings.nics_per_sm,
                                      state.settings.mover_sms, state.control.get(),
                                      static_cast<volatile unsigned*>(state.ready), watch));
  state.running = true;
  state.told_to_stop = false;
  const auto limit = std::max<std::chrono::nanoseconds>(std::chrono::seconds(5),
                                                        std::chrono::nanoseconds(limit_ns));
  const auto begin = std::chrono::steady_clock::now();
  const volatile unsigned* const ready = state.ready;
  for (int cta = 0; cta < state.ctas(); ++cta) {
    while (ready[cta] == 0) {
      std::this_thread::yield();
      if (std::chrono::steady_clock::now() - begin > limit) {
        throw CudaError("emulated NIC: only " + std::to_string(cta) + " of " +
                        std::to_string(state.ctas()) + " CTAs found an SM within " +
                        std::to_string(std::chrono::duration<double>(limit).count()) + " s");
      }
    }
  }
}

void EmulatedNic::stop_behind(std::span<const cudaEvent_t> posted) {
  State& state = *state_;
  for (const cudaEvent_t event : posted) {
    FANIN_CUDA_CHECK(cudaStreamWaitEvent(state.control_stream, event, 0));
  }
  // A copy, not a memset: it needs no SM while all may be taken.
  FANIN_CUDA_CHECK(cudaMemcpyAsync(&state.control.get()->stop, state.one, sizeof(Word),
                                   cudaMemcpyHostToDevice, state.control_stream));
  state.told_to_stop = true;
}

void EmulatedNic::stop() {
  State& state = *state_;
  if (!state.running) return;
  if (!state.told_to_stop) stop_behind({});
  state.running = false;
  FANIN_CUDA_CHECK(cudaStreamSynchronize(state.control_stream));
  FANIN_CUDA_CHECK(cudaStreamSynchronize(state.stream));
  FANIN_CUDA_CHECK(cudaMemcpy(state.host.data(), state.nics.get(),
                              state.host.size() * sizeof(RankNic), cudaMemcpyDeviceToHost));
  const Control control = state.control.download()[0];
  state.sm.assign(control.sm, control.sm + state.ctas());
}

std::vector<int> EmulatedNic::placement() const { return state_->sm; }

std::vector<ServedAt> EmulatedNic::served(int rank) const {
  const std::uint64_t all = state_->host.at(rank).acted;
  if (!state_->records_served) return {};
  const std::uint64_t kept = std::min<std::uint64_t>(all, nic::kServedOps);
  std::vector<nic::ServedOp> ring(nic::kServedOps);
  FANIN_CUDA_CHECK(cudaMemcpy(ring.data(),
                              state_->served.get() + static_cast<std::size_t>(rank) * ring.size(),
                              ring.size() * sizeof(nic::ServedOp), cudaMemcpyDeviceToHost));
  std::vector<ServedAt> out;
  for (std::uint64_t i = all - kept; i < all; ++i) {
    const nic::ServedOp& op = ring[i % nic::kServedOps];
    out.push_back({op.ns, op.target});
  }
  return out;
}

NicStatistics EmulatedNic::statistics(int rank) const {
  const RankNic& nic = state_->host.at(rank);
  return {nic.requested, nic.responded, nic.late_ns};
}

}  // namespace fanin::kernels

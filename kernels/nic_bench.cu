#include <algorithm>
#include <memory>
#include <stdexcept>

#include "device_buffer.cuh"
#include "fanin/kernels/config_error.hpp"
#include "fanin/kernels/cuda_check.cuh"
#include "fanin/kernels/device/emulated_nic.cuh"
#include "fanin/kernels/nic_bench.hpp"

namespace fanin::kernels {
namespace {

using device::EmulatedNicTransport;
using device::NicEntry;
using device::NicOp;
using device::Watch;
using device::Word;

constexpr std::uint64_t kLimitNs = 5'000'000'000;
constexpr std::int64_t kMaxLooks = 1 << 20;
constexpr int kWordStride = 16;  // words: 128 B
constexpr int kRowSlots = 256;
constexpr int kMaxSenders = 8;
constexpr int kGenerators = 4;  // warps of a generating CTA; at given times, one is soon enough
constexpr std::uint32_t kAll = 0xffffffffu;

struct Traffic {
  const std::uint32_t* arrival;
  std::int64_t operations;
  int words;
  int tails_per_finish;
  int queues;
  int rows_per_add;
  int row_bytes;
  int producers;
  int senders;
  unsigned char* source;
  unsigned char* target;
  Word* word;
};

struct Looks {
  std::uint64_t start_ns;
  std::int64_t count;
  std::int64_t pairs;
  std::int64_t inversions;
};

struct Senders {
  EmulatedNicTransport nic[kMaxSenders];
};

/// One CTA, the only poster of its ring: its warps take places in turn without the ticket.
__device__ void generate(const EmulatedNicTransport& nic, const Traffic& traffic,
                         std::uint64_t start) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Word begin = *nic.ring.posted;
  const Word entries = nic.ring.entries();
  // 32 bits: a division of 64 takes longer than a NIC takes for an operation.
  const auto group = static_cast<std::uint32_t>(traffic.rows_per_add + 1);
  const auto queues = static_cast<std::uint32_t>(traffic.queues);
  const auto tails_and_finish = static_cast<std::uint32_t>(traffic.tails_per_finish + 1);
  Word consumed = begin;
  // Read one block ahead: a late post is late for the NIC too.
  const auto arrival = [&](std::int64_t i) {
    return traffic.arrival != nullptr && i < traffic.operations ? traffic.arrival[i] : 0u;
  };
  const std::int64_t warp = static_cast<std::int64_t>(threadIdx.x) / 32;
  const std::int64_t step = blockDim.x;
  std::uint32_t next_arrival = arrival(32 * warp + lane);
  for (std::int64_t first = 32 * warp; first < traffic.operations; first += step) {
    const std::int64_t i = first + lane;
    const bool mine = i < traffic.operations;
    const std::uint64_t when = start + next_arrival;
    next_arrival = arrival(i + step);
    const Word index = begin + i;
    const Word last = begin + first + 31;
    if (last - consumed >= entries &&
        !device::wait_until(
            nic.watch, WordKind::queue_space, lane, index,
            [&] { return consumed = device::load_relaxed(nic.ring.consumed); },
            [&](Word seen) { return last - seen < entries; })) {
      return;
    }
    const auto number = static_cast<std::uint32_t>(i);
    const std::uint32_t of_group = number / group;
    const std::uint32_t in_group = number % group;
    const bool row = in_group != group - 1;
    const std::uint32_t row_number = of_group * (group - 1) + in_group;
    const Word slot = static_cast<Word>(row_number % kRowSlots) * traffic.row_bytes;
    Word* const word =
        traffic.word + (of_group & static_cast<std::uint32_t>(traffic.words - 1)) * kWordStride;
    const auto queue = static_cast<int>(number % queues);
    const bool finish =
        traffic.tails_per_finish > 0 && number % tails_and_finish == tails_and_finish - 1;
    NicEntry entry =
        row ? device::make_entry(NicOp::row, false, queue, traffic.senders,
                                 reinterpret_cast<Word>(traffic.target) + slot,
                                 reinterpret_cast<Word>(traffic.source) + slot,
                                 static_cast<std::uint32_t>(traffic.row_bytes), 0)
            : device::make_entry(NicOp::add, true, queue, traffic.senders,
                                 reinterpret_cast<Word>(word), finish ? Word{1} << 32 : 1, 0, 0);
    bool waiting = mine;
    while (__any_sync(kAll, waiting)) {
      const std::uint64_t now = device::global_ns();
      if (waiting && now >= when) {
        entry.set_time(static_cast<std::uint32_t>(traffic.arrival != nullptr ? when : now));
        nic.ring.slots.store(index, entry);
        waiting = false;
      }
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) *nic.ring.posted = begin + traffic.operations;
}

__device__ void produce(const EmulatedNicTransport& nic, const Traffic& traffic, int producer) {
  if (threadIdx.x != 0) return;
  const std::int64_t each = traffic.operations / traffic.producers;
  for (std::int64_t i = 0; i < each; ++i) {
    const std::int64_t number = producer + i * traffic.producers;
    nic.add(static_cast<int>(number % traffic.queues), 1,
            traffic.word + number % traffic.words * kWordStride, 1);
  }
}

/// One warp: how many signals are visible, again and again.
__device__ void watch_words(const Traffic& traffic, const Watch& watch, std::int64_t signals,
                            Looks* looks, std::uint64_t* ns, std::uint32_t* seen) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Word* const mine = traffic.word + lane % traffic.words * kWordStride;
  const std::uint64_t begin = device::global_ns();
  std::int64_t count = 0;
  for (;;) {
    const std::uint64_t at = device::global_ns();
    const auto part =
        lane < traffic.words ? static_cast<std::uint32_t>(device::load_relaxed(mine)) : 0u;
    const std::uint32_t sum = __reduce_add_sync(kAll, part);
    const bool last = sum >= signals || at - begin > watch.limit_ns || watch.given_up();
    // A full buffer keeps room for the last look.
    if (lane == 0 && (count + 1 < kMaxLooks || last)) {
      ns[count] = at;
      seen[count] = sum;
    }
    if (count + 1 < kMaxLooks || last) ++count;
    if (last) break;
  }
  if (lane == 0) looks->count = count;
}

/// One thread: adds go to word 0 and word 1 in turn, so that word 0 is never behind word 1, nor
/// ahead by more than one. Reading the one that must lag first makes a violation an inversion, not
/// a race.
__device__ void watch_order(const Traffic& traffic, const Watch& watch, std::int64_t signals,
                            Looks* looks) {
  if (threadIdx.x % 32 != 0 || traffic.words != 2 || traffic.producers != 0) return;
  const Word* const even = traffic.word;
  const Word* const odd = traffic.word + kWordStride;
  const std::uint64_t begin = device::global_ns();
  std::int64_t pairs = 0;
  std::int64_t inversions = 0;
  while (device::global_ns() - begin < watch.limit_ns && !watch.given_up()) {
    const Word later = device::load_acquire<device::Scope::gpu>(odd);
    const Word earlier = device::load_acquire<device::Scope::gpu>(even);
    const Word now_odd = device::load_acquire<device::Scope::gpu>(odd);
    if (earlier < later) ++inversions;
    if (now_odd + 1 < earlier) ++inversions;
    pairs += 2;
    if (static_cast<std::int64_t>(earlier + now_odd) >= signals) break;
  }
  looks->pairs = pairs;
  looks->inversions = inversions;
}

/// One thread: a word that has its adds in order is at most one finish short of its tails.
__device__ void watch_finishes(const Traffic& traffic, const Watch& watch, std::int64_t signals,
                               Looks* looks) {
  if (threadIdx.x % 32 != 0) return;
  const std::uint64_t begin = device::global_ns();
  const auto tails = static_cast<std::int64_t>(traffic.tails_per_finish);
  std::int64_t pairs = 0;
  std::int64_t inversions = 0;
  while (device::global_ns() - begin < watch.limit_ns && !watch.given_up()) {
    const Word seen = device::load_relaxed(traffic.word);
    const auto added = static_cast<std::int64_t>(seen & 0xffffffffu);
    const auto finished = static_cast<std::int64_t>(seen >> 32);
    if (added < finished * tails || added > (finished + 1) * tails) ++inversions;
    ++pairs;
    if (added >= signals) break;
  }
  looks->pairs = pairs;
  looks->inversions = inversions;
}

// CTA 0 posts (and further ones, with several producers or senders), the last two watch.
__global__ void traffic_kernel(Senders senders, Traffic traffic, std::int64_t signals, Looks* looks,
                               std::uint64_t* ns, std::uint32_t* seen) {
  const EmulatedNicTransport& nic = senders.nic[0];
  const int watcher = static_cast<int>(gridDim.x) - 2;
  const int block = static_cast<int>(blockIdx.x);
  if (block == watcher) {
    if (threadIdx.x < 32) watch_words(traffic, nic.watch, signals, looks, ns, seen);
  } else if (block == watcher + 1) {
    if (traffic.tails_per_finish > 0) {
      watch_finishes(traffic, nic.watch, signals, looks);
    } else {
      watch_order(traffic, nic.watch, signals, looks);
    }
  } else if (traffic.producers > 0) {
    produce(nic, traffic, block);
  } else {
    // Late enough for the watchers to have begun.
    const std::uint64_t start = device::global_ns() / 32 * 32 + 32'000;
    if (threadIdx.x == 0 && block == 0) looks->start_ns = start;
    Traffic share = traffic;
    share.operations /= traffic.senders;
    generate(senders.nic[block], share, start);
  }
}

__global__ void lone_kernel(EmulatedNicTransport nic, Word* word, int repeats, bool through_nic,
                            std::uint32_t* ns) {
  for (int i = 0; i < repeats; ++i) {
    // A pause lets the NIC run empty.
    const std::uint64_t begin = device::global_ns();
    while (device::global_ns() - begin < 4000) {
    }
    const std::uint64_t post = device::global_ns();
    if (through_nic) {
      nic.add(0, 1, word, 1);
    } else {
      device::add_release<device::Scope::gpu>(word, 1);
    }
    device::wait_until(
        nic.watch, WordKind::completion, 0, i + 1,
        [&] { return device::load_acquire<device::Scope::gpu>(word); },
        [&](Word seen) { return seen >= static_cast<Word>(i + 1); });
    ns[i] = static_cast<std::uint32_t>(device::global_ns() - post);
  }
}

__global__ void fill_kernel(unsigned char* bytes, std::int64_t count) {
  for (std::int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += gridDim.x * blockDim.x) {
    bytes[i] = static_cast<unsigned char>((i * 2654435761u) >> 13);
  }
}

std::int64_t differing_pieces(const DeviceBuffer<unsigned char>& a,
                              const DeviceBuffer<unsigned char>& b) {
  const std::vector<unsigned char> left = a.download();
  const std::vector<unsigned char> right = b.download();
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < left.size(); i += 16) {
    if (!std::equal(left.begin() + i, left.begin() + i + 16, right.begin() + i)) ++wrong;
  }
  return wrong;
}

/// Ranks 0 … senders − 1 post to rank `senders`.
NicTopology star(int senders, int queues) {
  NicTopology topology{senders + 1, queues, {}};
  for (int s = 0; s < senders; ++s) topology.links.emplace_back(s, senders);
  return topology;
}

void check(const NicTraffic& traffic) {
  const auto fail = [](const char* what, const char* expected) {
    throw ConfigError("NIC traffic", what, expected);
  };
  if (traffic.operations < 64) fail("too few operations", "at least 64");
  if (traffic.words < 1 || traffic.words > 32 || (traffic.words & (traffic.words - 1)) != 0) {
    fail("number of words", "1, 2, 4, 8, 16 or 32");
  }
  if (!traffic.arrival_ns.empty() &&
      static_cast<std::int64_t>(traffic.arrival_ns.size()) != traffic.operations) {
    fail("number of arrivals", "one for each operation");
  }
  if (traffic.operations % (traffic.rows_per_add + 1) != 0) {
    fail("operations and rows", "whole groups of rows and one add");
  }
  if (traffic.row_bytes < 16 || traffic.row_bytes % 16 != 0) {
    fail("row size", "a multiple of 16");
  }
  if (traffic.senders < 1 || traffic.senders > kMaxSenders ||
      (traffic.senders > 1 &&
       (!traffic.arrival_ns.empty() || traffic.rows_per_add > 0 || traffic.producers > 0 ||
        traffic.operations % traffic.senders != 0))) {
    fail("several senders", "1 to 8, no arrivals, rows or producers, operations divisible by them");
  }
  if (traffic.tails_per_finish < 0 ||
      (traffic.tails_per_finish > 0 &&
       (traffic.words != 1 || traffic.rows_per_add > 0 || traffic.producers > 0 ||
        traffic.operations % (traffic.tails_per_finish + 1) != 0))) {
    fail("tails and finishes",
         "one word, no rows, no producers, operations divisible by a finish and its tails");
  }
  if (traffic.producers > 0 && (!traffic.arrival_ns.empty() || traffic.rows_per_add > 0 ||
                                traffic.operations % traffic.producers != 0)) {
    fail("several producers", "no arrivals, no rows, operations divisible by producers");
  }
}

/// Runs a kernel between the NIC's start and its stop; throws what stalled.
template <class Kernel, class Launch>
void run_beside(EmulatedNic& nic, const DeviceBuffer<StallReport>& stall, Kernel* kernel,
                Launch&& launch) {
  // Loads the kernel now: loading waits for the device, which the NIC keeps busy.
  cudaFuncAttributes attributes;
  FANIN_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  cudaStream_t stream = nullptr;
  FANIN_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaEvent_t posted = nullptr;
  FANIN_CUDA_CHECK(cudaEventCreateWithFlags(&posted, cudaEventDisableTiming));
  FANIN_CUDA_CHECK(cudaDeviceSynchronize());
  nic.start(stall.get(), kLimitNs);
  launch(stream);
  const cudaError_t launched = cudaGetLastError();
  FANIN_CUDA_CHECK(cudaEventRecord(posted, stream));
  nic.stop_behind({&posted, 1});
  const cudaError_t ran = cudaStreamSynchronize(stream);
  nic.stop();
  FANIN_CUDA_CHECK(launched);
  FANIN_CUDA_CHECK(ran);
  FANIN_CUDA_CHECK(cudaEventDestroy(posted));
  FANIN_CUDA_CHECK(cudaStreamDestroy(stream));
  const StallReport report = stall.download()[0];
  if (report.claimed != 0) throw CudaError("stalled: " + describe(report));
}

EmulatedNicTransport watched(const EmulatedNic& nic, const DeviceBuffer<StallReport>& stall,
                             int rank = 0) {
  EmulatedNicTransport transport = nic.endpoint(rank);
  transport.watch.report = stall.get();
  transport.watch.limit_ns = kLimitNs;
  transport.watch.kernel = KernelId::probe;
  return transport;
}

}  // namespace

NicObservation observe_nic(const NicSettings& settings, const NicTraffic& plan) {
  check(plan);
  EmulatedNic nic(settings, star(plan.senders, plan.queues));
  const DeviceBuffer<StallReport> stall(1);
  const DeviceBuffer<Looks> looks(1);
  const DeviceBuffer<std::uint64_t> ns(kMaxLooks);
  const DeviceBuffer<std::uint32_t> seen(kMaxLooks);
  const DeviceBuffer<Word> words(32 * kWordStride);
  const DeviceBuffer<std::uint32_t> arrivals(plan.arrival_ns.empty() ? std::vector<std::uint32_t>{0}
                                                                     : plan.arrival_ns);
  const std::size_t row_bytes =
      plan.rows_per_add > 0 ? static_cast<std::size_t>(kRowSlots) * plan.row_bytes : 16;
  const DeviceBuffer<unsigned char> source(row_bytes);
  const DeviceBuffer<unsigned char> target(row_bytes);
  fill_kernel<<<64, 256>>>(source.get(), static_cast<std::int64_t>(row_bytes));
  FANIN_CUDA_CHECK(cudaGetLastError());

  Traffic traffic{};
  traffic.arrival = plan.arrival_ns.empty() ? nullptr : arrivals.get();
  traffic.operations = plan.operations;
  traffic.words = plan.words;
  traffic.tails_per_finish = plan.tails_per_finish;
  traffic.queues = plan.queues;
  traffic.rows_per_add = plan.rows_per_add;
  traffic.row_bytes = plan.row_bytes;
  traffic.producers = plan.producers;
  traffic.senders = plan.senders;
  traffic.source = source.get();
  traffic.target = target.get();
  traffic.word = words.get();
  NicObservation result;
  result.signals = plan.operations / (plan.rows_per_add + 1);
  if (plan.tails_per_finish > 0) {
    result.signals -= plan.operations / (plan.tails_per_finish + 1);
  }
  const int threads = plan.arrival_ns.empty() ? 32 * kGenerators : 32;
  run_beside(nic, stall, traffic_kernel, [&](cudaStream_t stream) {
    Senders senders{};
    for (int s = 0; s < plan.senders; ++s) senders.nic[s] = watched(nic, stall, s);
    traffic_kernel<<<std::max({plan.producers, plan.senders, 1}) + 2, threads, 0, stream>>>(
        senders, traffic, result.signals, looks.get(), ns.get(), seen.get());
  });
  const Looks summary = looks.download()[0];
  result.start_ns = summary.start_ns;
  result.pairs = summary.pairs;
  result.inversions = summary.inversions;
  result.ns = ns.download(static_cast<std::size_t>(summary.count));
  result.seen = seen.download(static_cast<std::size_t>(summary.count));
  if (plan.rows_per_add > 0) result.wrong_rows = differing_pieces(source, target);
  result.sender = nic.statistics(0);
  result.receiver = nic.statistics(plan.senders);
  return result;
}

NicLatency lone_latency(const NicSettings& settings, int repeats) {
  EmulatedNic nic(settings, star(1, 1));
  const DeviceBuffer<StallReport> stall(1);
  const auto median = [&](bool through_nic) {
    const DeviceBuffer<Word> word(1);
    const DeviceBuffer<std::uint32_t> ns(static_cast<std::size_t>(repeats));
    run_beside(nic, stall, lone_kernel, [&](cudaStream_t stream) {
      lone_kernel<<<1, 1, 0, stream>>>(watched(nic, stall), word.get(), repeats, through_nic,
                                       ns.get());
    });
    std::vector<std::uint32_t> all = ns.download();
    std::nth_element(all.begin(), all.begin() + repeats / 2, all.end());
    return static_cast<double>(all[static_cast<std::size_t>(repeats) / 2]);
  };
  return {median(true), median(false)};
}

}  // namespace fanin::kernels

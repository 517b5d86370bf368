#include "world.cuh"

#include <algorithm>
#include <functional>

namespace fanin::kernels {

namespace {

constexpr std::size_t kAlign = 256;

constexpr KernelId kSourceKernels[] = {KernelId::attention_dispatch, KernelId::attention_finalize,
                                       KernelId::attention_collect, KernelId::attention_reduce};
constexpr KernelId kFfnKernels[] = {KernelId::ffn_dispatch, KernelId::ffn_copy,
                                    KernelId::ffn_combine, KernelId::ffn_complete};
constexpr int kMostWarps = 32;  ///< of a CTA

template <class T>
std::vector<T> fetch(const void* from, std::size_t count) {
  std::vector<T> out(count);
  FANIN_CUDA_CHECK(cudaMemcpy(out.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
  return out;
}

template <class T>
void upload(const T* to, const std::vector<T>& from) {
  FANIN_CUDA_CHECK(
      cudaMemcpy(const_cast<T*>(to), from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
}

/// First measures the arena, then sets the pointers: the same code runs in both passes.
class Placer {
 public:
  explicit Placer(Arena& arena, bool place) : arena_(arena), place_(place) {}

  template <class T>
  void operator()(T*& pointer, std::size_t count) {
    const std::size_t bytes = layout::align_up(std::max<std::size_t>(count, 1) * sizeof(T), kAlign);
    if (place_) {
      pointer = reinterpret_cast<T*>(arena_.at(offset_));
    } else {
      arena_.reserve(bytes);
    }
    offset_ += bytes;
  }
  std::size_t offset() const { return offset_; }

 private:
  Arena& arena_;
  bool place_;
  std::size_t offset_ = 0;
};

}  // namespace

Arena::~Arena() { FANIN_CUDA_WARN(cudaFree(base_)); }

std::size_t Arena::reserve(std::size_t bytes) {
  const std::size_t offset = size_;
  size_ += bytes;
  return offset;
}

void Arena::allocate() {
  FANIN_CUDA_CHECK(cudaMalloc(&base_, size_));
  fill(0, size_, 0);
}

void Arena::fill(std::size_t begin, std::size_t end, int byte) const {
  FANIN_CUDA_CHECK(cudaMemset(base_ + begin, byte, end - begin));
  FANIN_CUDA_CHECK(cudaDeviceSynchronize());
}

World::World(const RunConfig& config, int most_ctas)
    : shape_(config.shape),
      tokens_(config.tokens),
      routing_(config.routing),
      most_ctas_(most_ctas),
      stamped_(config.stamps),
      sources_(static_cast<std::size_t>(shape_.attention_ranks())),
      ffns_(static_cast<std::size_t>(shape_.ffn_ranks)) {
  lay_out(config);
}

void World::lay_out(const RunConfig& config) {
  const auto channels = static_cast<std::size_t>(shape_.channels());
  const auto experts = static_cast<std::size_t>(shape_.experts);
  const auto local = static_cast<std::size_t>(shape_.local_experts());
  const auto capacity = static_cast<std::size_t>(shape_.capacity);
  const auto top_k = static_cast<std::size_t>(shape_.top_k);
  const Shape rail = rail_view(shape_, 0);
  const auto rails = static_cast<std::size_t>(shape_.gpus_per_domain);
  const auto domains = static_cast<std::size_t>(shape_.ffn_domains());
  const auto sources = static_cast<std::size_t>(shape_.sources);
  const std::size_t count_words = layout::count_words(rail);
  const std::size_t payload = layout::payload_bytes(shape_);
  const std::size_t dispatch_row = layout::dispatch_row_bytes(shape_);
  const std::size_t combine_row = layout::combine_row_bytes(shape_);
  const std::size_t inbox_rows = layout::inbox_rows(shape_);
  const std::size_t list_rows = rails * inbox_rows;
  const std::size_t most_tokens =
      static_cast<std::size_t>(*std::max_element(tokens_.begin(), tokens_.end()));
  const std::size_t expert_rows = sources_.size() * most_tokens * std::min(top_k, local);

  for (const bool place : {false, true}) {
    if (place) arena_.allocate();
    Placer put(arena_, place);
    for (roles::SourceMemory& m : sources_) {
      put(m.counts, experts + domains);
      put(m.count_arrivals, 1);
      put(m.inbox.finishes, domains * channels);
    }
    for (roles::FfnMemory& m : ffns_) {
      put(m.inbox.tails, channels * sources);
      put(m.inbox.counts, sources * count_words);
      put(m.channel_tails, rails * channels);
      put(m.reduced_tails, rails * channels);
      put(m.zero_counts, experts);
      put(m.zero_arrivals, 1);
      put(m.expert_fill, local);
      if (rails > 1) put(m.member_counts, rails * local);
    }
    if (place) words_end_ = put.offset();
    for (roles::SourceMemory& m : sources_) {
      put(m.staging, capacity * dispatch_row);
      put(m.count_message, domains * count_words);
      put(m.inbox.rows, domains * capacity * combine_row);
      put(m.output, capacity * payload);
    }
    for (roles::FfnMemory& m : ffns_) {
      put(m.inbox.rows, inbox_rows * dispatch_row);
      put(m.channel_rows, list_rows * dispatch_row);
      put(m.origins, list_rows);
      put(m.expert_begin, local + 1);
      put(m.expert_rows, expert_rows * payload);
      put(m.reduced_rows, list_rows * combine_row);
      put(m.staging, inbox_rows * combine_row);
      if (rails > 1) {
        put(m.forwarded, inbox_rows);
        put(m.forwarded_rows, channels);
      }
    }
    if (place) poison_end_ = put.offset();
    for (roles::SourceMemory& m : sources_) {
      char* input = nullptr;
      std::int32_t* routing = nullptr;
      float* weights = nullptr;
      put(input, most_tokens * payload);
      put(routing, most_tokens * top_k);
      put(weights, most_tokens * top_k);
      m.input = input;
      m.experts = routing;
      m.weights = weights;
    }
    for (roles::FfnMemory& m : ffns_) {
      put(m.grid_arrivals, 1);
      put(m.domain_arrivals, 1);
      put(m.domain_epoch, 1);
    }
    put(report_, 1);
  }
  lay_out_traces();
  for (int s = 0; s < shape_.attention_ranks(); ++s) {
    sources_[s].source = s / shape_.gpus_per_domain;
    sources_[s].tokens = config.tokens[s];
  }
  for (int f = 0; f < shape_.ffn_ranks; ++f) ffns_[f].ffn = f;
}

void World::lay_out_traces() {
  const auto finishes = static_cast<std::size_t>(shape_.ffn_domains()) * shape_.channels();
  for (const bool place : {false, true}) {
    if (place) trace_arena_.allocate();
    Placer put(trace_arena_, place);
    const auto add_trace = [&](int rank, KernelId kernel) {
      roles::Trace& trace = traces_[{rank, kernel}];
      put(trace.placement, static_cast<std::size_t>(most_ctas_));
      if (stamped_) {
        put(trace.rings, static_cast<std::size_t>(most_ctas_) * kMostWarps);
        put(trace.matched_ns, finishes);
      }
    };
    for (int f = 0; f < shape_.ffn_ranks; ++f) {
      for (const KernelId kernel : kFfnKernels) add_trace(f, kernel);
    }
    for (int s = 0; s < shape_.attention_ranks(); ++s) {
      for (const KernelId kernel : kSourceKernels) add_trace(shape_.rank_of_source(s), kernel);
    }
  }
  for (auto& [key, trace] : traces_) {
    FANIN_CUDA_CHECK(cudaMemset(trace.placement, 0xff, static_cast<std::size_t>(most_ctas_) * 4));
  }
}

roles::FfnPeers World::ffn_peers(int rail) const {
  roles::FfnPeers peers;
  for (int d = 0; d < shape_.ffn_domains(); ++d) {
    peers.inbox[d] = ffn(d * shape_.gpus_per_domain + rail).inbox;
  }
  return peers;
}

roles::SourcePeers World::source_peers(int rail) const {
  roles::SourcePeers peers;
  for (int s = 0; s < shape_.sources; ++s) {
    peers.inbox[s] = source(s * shape_.gpus_per_domain + rail).inbox;
  }
  return peers;
}

roles::Domain World::domain(int ffn) const {
  roles::Domain out;
  out.gpus = shape_.gpus_per_domain;
  out.rail = ffn % out.gpus;
  out.local_experts = shape_.local_experts();
  const int first = ffn - out.rail;
  out.first_expert = first * out.local_experts;
  for (int i = 0; i < out.gpus; ++i) {
    const roles::FfnMemory& m = ffns_[static_cast<std::size_t>(first + i)];
    out.member[i] = {m.channel_rows, m.origins,       m.channel_tails,  m.member_counts,
                     m.reduced_rows, m.reduced_tails, m.domain_arrivals};
  }
  return out;
}

roles::Trace World::trace(int rank, KernelId kernel) const { return traces_.at({rank, kernel}); }

void World::load(std::uint64_t seed) {
  data_ = draw_data(shape_, tokens_, routing_, seed);
  for (std::size_t s = 0; s < data_.size(); ++s) {
    upload(reinterpret_cast<const std::uint16_t*>(sources_[s].input), data_[s].rows);
    upload(sources_[s].experts, data_[s].experts);
    upload(sources_[s].weights, data_[s].weights);
  }
  arena_.fill(words_end_, poison_end_, 0xff);
}

FfnDelivery World::fetch_ffn(int ffn) const {
  const roles::FfnMemory& m = ffns_[static_cast<std::size_t>(ffn)];
  const std::size_t row_bytes = layout::dispatch_row_bytes(shape_);
  const auto counts = expected_channel_rows(shape_, data_)[static_cast<std::size_t>(ffn)];
  FfnDelivery out;
  out.channel_rows.resize(counts.size());
  out.origins.resize(counts.size());
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] == 0) continue;
    const auto rows = static_cast<std::size_t>(counts[c]);
    const std::size_t at = layout::channel_row(shape_, static_cast<int>(c), 0);
    out.channel_rows[c] = fetch<char>(m.channel_rows + at * row_bytes, rows * row_bytes);
    out.origins[c] = fetch<layout::Origin>(m.origins + at, rows);
  }
  out.expert_begin =
      fetch<std::int32_t>(m.expert_begin, static_cast<std::size_t>(shape_.local_experts()) + 1);
  std::size_t owned = 0;
  for (const SourceData& source : data_) {
    owned += static_cast<std::size_t>(
        std::count_if(source.experts.begin(), source.experts.end(),
                      [&](int e) { return e >= 0 && e / shape_.local_experts() == ffn; }));
  }
  out.expert_rows = fetch<char>(m.expert_rows, owned * layout::payload_bytes(shape_));
  return out;
}

SourceDelivery World::fetch_source(int source) const {
  const roles::SourceMemory& m = sources_[static_cast<std::size_t>(source)];
  const auto tokens = static_cast<std::size_t>(m.tokens);
  SourceDelivery out;
  for (int d = 0; d < shape_.ffn_domains(); ++d) {
    const std::size_t row_bytes = layout::combine_row_bytes(shape_);
    out.returned.push_back(fetch<char>(
        m.inbox.rows + layout::returned_row(shape_, d, 0) * row_bytes, tokens * row_bytes));
  }
  out.output = fetch<char>(m.output, tokens * layout::payload_bytes(shape_));
  return out;
}

CheckResult World::check() const {
  CheckResult result;
  for (int f = 0; f < shape_.ffn_ranks; ++f) {
    result.merge(check_ffn(shape_, f, data_, fetch_ffn(f)));
  }
  for (int s = 0; s < shape_.attention_ranks(); ++s) {
    result.merge(check_source(shape_, data_[static_cast<std::size_t>(s)], s, fetch_source(s)));
  }
  result.merge(check_words());
  return result;
}

CheckResult World::check_words() const {
  CheckResult result;
  const auto bytes = fetch<char>(arena_.at(0), words_end_);
  result.bytes = bytes.size();
  const auto left = std::find_if(bytes.begin(), bytes.end(), [](char byte) { return byte != 0; });
  if (left != bytes.end()) {
    result.fail("a word is not cleared after the exchange, byte " +
                std::to_string(left - bytes.begin()) + " of the words");
  }
  return result;
}

std::vector<Placement> World::placement() const {
  std::vector<Placement> out;
  for (const auto& [key, trace] : traces_) {
    Placement placement{to_string(key.second), key.first, {}};
    for (const std::int32_t sm :
         fetch<std::int32_t>(trace.placement, static_cast<std::size_t>(most_ctas_))) {
      if (sm >= 0) placement.sms.push_back(sm);
    }
    out.push_back(std::move(placement));
  }
  return out;
}

std::vector<WarpStamps> World::stamps() const {
  std::vector<WarpStamps> out;
  if (!stamped_) return out;
  for (const auto& [key, trace] : traces_) {
    const auto rings =
        fetch<StampRing>(trace.rings, static_cast<std::size_t>(most_ctas_) * kMostWarps);
    for (std::size_t warp = 0; warp < rings.size(); ++warp) {
      const StampRing& ring = rings[warp];
      if (ring.written == 0) continue;
      WarpStamps stamps{to_string(key.second), key.first, static_cast<int>(warp), {}};
      const std::uint64_t first = ring.written > kRingStamps ? ring.written - kRingStamps : 0;
      for (std::uint64_t i = first; i < ring.written; ++i)
        stamps.stamps.push_back(ring.stamps[i % kRingStamps]);
      out.push_back(std::move(stamps));
    }
  }
  return out;
}

std::vector<std::vector<std::uint64_t>> World::matched_ns() const {
  std::vector<std::vector<std::uint64_t>> out;
  if (!stamped_) return out;
  const auto words =
      static_cast<std::size_t>(shape_.ffn_domains()) * static_cast<std::size_t>(shape_.channels());
  for (int s = 0; s < shape_.attention_ranks(); ++s) {
    const roles::Trace own = trace(shape_.rank_of_source(s), KernelId::attention_collect);
    out.push_back(fetch<std::uint64_t>(own.matched_ns, words));
  }
  return out;
}

void World::throw_if_stalled() const {
  const StallReport report = fetch<StallReport>(report_, 1).front();
  if (report.claimed != 0) throw RunFailure("stalled: " + describe(report));
}

}  // namespace fanin::kernels

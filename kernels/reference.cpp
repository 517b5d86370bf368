#include "fanin/kernels/reference.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace fanin::kernels {

namespace {

/// splitmix64.
std::uint64_t next(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15ull;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

/// Any sign and mantissa, exponent 2^-7 … 2^8: finite, and sums stay so.
std::uint16_t finite_bf16(std::uint64_t bits) {
  const std::uint64_t exponent = 120 + (bits >> 7 & 15);
  return static_cast<std::uint16_t>((bits & 0x8000u) | exponent << 7 | (bits & 0x7fu));
}

float from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// Round to nearest even; the values here are finite.
std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

bool owns(const Shape& shape, int ffn, std::int32_t expert) {
  return expert >= 0 && expert / shape.local_experts() == ffn;
}

bool travels(const Shape& shape, int ffn, const SourceData& source, int token) {
  const auto* experts = source.experts.data() + static_cast<std::size_t>(token) * shape.top_k;
  return std::any_of(experts, experts + shape.top_k,
                     [&](std::int32_t e) { return owns(shape, ffn, e); });
}

template <class T>
T read(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::string name(int source, int token) {
  return "token " + std::to_string(token) + " of source " + std::to_string(source);
}

/// Metadata that a dispatch row must carry, and the expert rows that it points at.
void check_choices(const Shape& shape, int ffn, const SourceData& source, int number, int token,
                   const char* row, const FfnDelivery& delivery, std::vector<char>& used,
                   CheckResult& result) {
  const std::size_t payload = layout::payload_bytes(shape);
  const char* rows = reinterpret_cast<const char*>(source.rows.data());
  for (int choice = 0; choice < shape.top_k; ++choice) {
    const std::size_t at = static_cast<std::size_t>(token) * shape.top_k + choice;
    const std::int32_t expert = source.experts[at];
    const std::size_t field = static_cast<std::size_t>(choice) * 4;
    result.bytes += 12;
    if (read<std::int32_t>(row + layout::expert_offset(shape) + field) != expert ||
        read<std::uint32_t>(row + layout::weight_offset(shape) + field) !=
            std::bit_cast<std::uint32_t>(source.weights[at])) {
      result.fail("expert or weight of " + name(number, token));
      continue;
    }
    const auto slot = read<std::int32_t>(row + layout::slot_offset(shape) + field);
    if (!owns(shape, ffn, expert)) {
      if (slot != -1) result.fail("slot of an expert elsewhere, " + name(number, token));
      continue;
    }
    const int local = expert % shape.local_experts();
    if (slot < delivery.expert_begin[local] || slot >= delivery.expert_begin[local + 1] ||
        used[static_cast<std::size_t>(slot)] != 0) {
      result.fail("slot " + std::to_string(slot) + " of expert " + std::to_string(expert) + ", " +
                  name(number, token));
      continue;
    }
    used[static_cast<std::size_t>(slot)] = 1;
    result.bytes += payload;
    if (std::memcmp(delivery.expert_rows.data() + static_cast<std::size_t>(slot) * payload,
                    rows + static_cast<std::size_t>(token) * payload, payload) != 0) {
      result.fail("expert row " + std::to_string(slot) + ", " + name(number, token));
    }
  }
}

/// The row that an FFN domain returns for a token: each of its GPUs sums its experts' rows in the
/// order of the choices, the rail's GPU sums what they sent in the order of the GPUs; each sum is
/// rounded. False where no GPU of the domain owns an expert of the token.
bool sum_in_domain(const Shape& shape, int domain, const SourceData& source, int token,
                   std::vector<std::uint16_t>& rounded) {
  const auto hidden = static_cast<std::size_t>(shape.hidden);
  const std::uint16_t* row = source.rows.data() + static_cast<std::size_t>(token) * hidden;
  std::vector<float> total(hidden, 0.0f);
  std::vector<float> sum(hidden);
  bool any = false;
  for (int rail = 0; rail < shape.gpus_per_domain; ++rail) {
    const int ffn = domain * shape.gpus_per_domain + rail;
    if (!travels(shape, ffn, source, token)) continue;
    any = true;
    std::fill(sum.begin(), sum.end(), 0.0f);
    for (int choice = 0; choice < shape.top_k; ++choice) {
      const std::size_t at = static_cast<std::size_t>(token) * shape.top_k + choice;
      if (!owns(shape, ffn, source.experts[at])) continue;
      const float weight = source.weights[at];
      for (std::size_t i = 0; i < hidden; ++i) sum[i] += weight * from_bf16(row[i]);
    }
    for (std::size_t i = 0; i < hidden; ++i) total[i] += from_bf16(to_bf16(sum[i]));
  }
  for (std::size_t i = 0; i < hidden; ++i) rounded[i] = to_bf16(total[i]);
  return any;
}

}  // namespace

void CheckResult::fail(const std::string& what) {
  if (wrong++ == 0) first = what;
}

void CheckResult::merge(const CheckResult& other) {
  if (wrong == 0) first = other.first;
  bytes += other.bytes;
  wrong += other.wrong;
}

std::vector<SourceData> draw_data(const Shape& shape, const std::vector<int>& tokens,
                                  const std::vector<std::int32_t>& routing, std::uint64_t seed) {
  const int most = *std::max_element(tokens.begin(), tokens.end());
  std::uint64_t state = seed;
  std::vector<SourceData> sources(tokens.size());
  for (std::size_t s = 0; s < sources.size(); ++s) {
    SourceData& source = sources[s];
    source.tokens = tokens[s];
    source.rows.resize(static_cast<std::size_t>(source.tokens) * shape.hidden);
    for (std::size_t i = 0; i < source.rows.size(); i += 4) {
      const std::uint64_t bits = next(state);
      for (std::size_t j = 0; j < 4; ++j)
        source.rows[i + j] = finite_bf16(bits >> (16 * j) & 0xffffu);
    }
    const std::size_t choices = static_cast<std::size_t>(source.tokens) * shape.top_k;
    const auto* own = routing.data() + s * static_cast<std::size_t>(most) * shape.top_k;
    source.experts.assign(own, own + choices);
    source.weights.resize(choices);
    for (float& weight : source.weights) {
      weight = (static_cast<float>(next(state) >> 40) + 0.5f) * 0x1p-24f;
    }
  }
  return sources;
}

std::vector<std::vector<int>> expected_channel_rows(const Shape& shape,
                                                    const std::vector<SourceData>& sources) {
  std::vector<std::vector<int>> rows(
      static_cast<std::size_t>(shape.ffn_ranks),
      std::vector<int>(static_cast<std::size_t>(shape.gpus_per_domain * shape.channels()), 0));
  for (int s = 0; s < shape.attention_ranks(); ++s) {
    for (int token = 0; token < sources[s].tokens; ++token) {
      const int shift =
          static_cast<int>(static_cast<std::int64_t>(s) * shape.options.rotate % shape.channels());
      const int channel = (token + shift) % shape.channels();
      const int list = s % shape.gpus_per_domain * shape.channels() + channel;
      for (int ffn = 0; ffn < shape.ffn_ranks; ++ffn) {
        if (travels(shape, ffn, sources[s], token)) ++rows[ffn][list];
      }
    }
  }
  return rows;
}

CheckResult check_ffn(const Shape& shape, int ffn, const std::vector<SourceData>& sources,
                      const FfnDelivery& delivery) {
  CheckResult result;
  const std::size_t payload = layout::payload_bytes(shape);
  const std::size_t row_bytes = layout::dispatch_row_bytes(shape);
  std::vector<std::vector<char>> seen;
  for (const SourceData& source : sources)
    seen.emplace_back(static_cast<std::size_t>(source.tokens), 0);
  std::vector<char> used(delivery.expert_rows.size() / payload, 0);
  for (std::size_t list = 0; list < delivery.origins.size(); ++list) {
    const int rail = static_cast<int>(list) / shape.channels();
    for (std::size_t r = 0; r < delivery.origins[list].size(); ++r) {
      const layout::Origin origin = delivery.origins[list][r];
      const char* row = delivery.channel_rows[list].data() + r * row_bytes;
      const bool known = origin.source >= 0 && origin.source < shape.sources;
      const int number = known ? origin.source * shape.gpus_per_domain + rail : 0;
      const SourceData& source = sources[number];
      if (!known || origin.token < 0 || origin.token >= source.tokens ||
          !travels(shape, ffn, source, origin.token) || seen[number][origin.token] != 0) {
        result.fail("origin of row " + std::to_string(r) + " of channel " +
                    std::to_string(static_cast<int>(list) % shape.channels()) + ", rail " +
                    std::to_string(rail) + ": " + name(origin.source, origin.token));
        continue;
      }
      seen[number][origin.token] = 1;
      result.bytes += payload + 4;
      if (std::memcmp(row,
                      source.rows.data() + static_cast<std::size_t>(origin.token) * shape.hidden,
                      payload) != 0 ||
          read<std::int32_t>(row + layout::token_offset(shape)) != origin.token) {
        result.fail("dispatched row of " + name(number, origin.token));
      }
      check_choices(shape, ffn, source, number, origin.token, row, delivery, used, result);
    }
  }
  for (int s = 0; s < shape.attention_ranks(); ++s) {
    for (int token = 0; token < sources[s].tokens; ++token) {
      if (travels(shape, ffn, sources[s], token) && seen[s][token] == 0) {
        result.fail("no row of " + name(s, token) + " at FFN rank " + std::to_string(ffn));
      }
    }
  }
  if (std::find(used.begin(), used.end(), 0) != used.end())
    result.fail("an expert row that no token owns");
  return result;
}

CheckResult check_source(const Shape& shape, const SourceData& source, int number,
                         const SourceDelivery& delivery) {
  CheckResult result;
  const auto hidden = static_cast<std::size_t>(shape.hidden);
  const std::size_t payload = layout::payload_bytes(shape);
  const std::size_t row_bytes = layout::combine_row_bytes(shape);
  std::vector<float> total(hidden);
  std::vector<std::uint16_t> rounded(hidden);
  for (int token = 0; token < source.tokens; ++token) {
    std::fill(total.begin(), total.end(), 0.0f);
    for (int domain = 0; domain < shape.ffn_domains(); ++domain) {
      if (!sum_in_domain(shape, domain, source, token, rounded)) continue;
      const char* returned =
          delivery.returned[domain].data() + static_cast<std::size_t>(token) * row_bytes;
      for (int choice = 0; choice < shape.top_k; ++choice) {
        const std::size_t at = static_cast<std::size_t>(token) * shape.top_k + choice;
        const std::int32_t expert = source.experts[at];
        const bool here =
            expert >= 0 && expert / shape.local_experts() / shape.gpus_per_domain == domain;
        result.bytes += 8;
        if (read<std::int32_t>(returned + layout::choice_offset(shape, choice)) !=
                (here ? expert : -1) ||
            read<std::uint32_t>(returned + layout::choice_offset(shape, choice) + 4) !=
                std::bit_cast<std::uint32_t>(source.weights[at])) {
          result.fail("returned choice of " + name(number, token));
        }
      }
      for (std::size_t i = 0; i < hidden; ++i) total[i] += from_bf16(rounded[i]);
      result.bytes += payload;
      if (std::memcmp(returned, rounded.data(), payload) != 0) {
        result.fail("returned row of " + name(number, token) + " from FFN domain " +
                    std::to_string(domain));
      }
    }
    for (std::size_t i = 0; i < hidden; ++i) rounded[i] = to_bf16(total[i]);
    result.bytes += payload;
    if (std::memcmp(delivery.output.data() + static_cast<std::size_t>(token) * payload,
                    rounded.data(), payload) != 0) {
      result.fail("output row of " + name(number, token));
    }
  }
  return result;
}

}  // namespace fanin::kernels

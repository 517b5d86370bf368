#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "exchange_flags.hpp"
#include "fanin/hw/error.hpp"

namespace fanin::experiments {
namespace {

/// SplitMix64: the same draw on every machine.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}
  /// In [0, bound).
  std::uint64_t below(std::uint64_t bound) {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    z ^= z >> 31;
    return ((z >> 32) * bound) >> 32;
  }

 private:
  std::uint64_t state_;
};

std::shared_ptr<const model::RoutingTable> draw(std::uint64_t seed,
                                                const model::Exchange& exchange) {
  auto table = std::make_shared<model::RoutingTable>();
  table->top_k = exchange.top_k;
  table->tokens = exchange.tokens;
  table->attention_ranks = exchange.attention_ranks;
  Generator random(seed);
  std::vector<std::int32_t> experts(static_cast<std::size_t>(exchange.experts));
  std::iota(experts.begin(), experts.end(), 0);
  const std::int64_t rows = std::int64_t{exchange.attention_ranks} * exchange.tokens;
  for (std::int64_t row = 0; row < rows; ++row) {
    // The first top-k places of a shuffle.
    for (int i = 0; i < exchange.top_k; ++i) {
      const auto place = static_cast<std::size_t>(i);
      std::swap(experts[place], experts[place + random.below(experts.size() - place)]);
      table->experts.push_back(experts[place]);
    }
  }
  return table;
}

std::shared_ptr<const model::RoutingTable> read_file(const std::string& path,
                                                     const model::Exchange& exchange) {
  std::ifstream file(path);
  if (!file)
    throw InputError("--routing", "cannot read " + path, "random, random:SEED or a JSON file");
  auto table = std::make_shared<model::RoutingTable>();
  try {
    const nlohmann::json json = nlohmann::json::parse(file);
    table->top_k = json.at("top_k").get<int>();
    table->tokens = json.at("tokens").get<int>();
    table->attention_ranks = json.at("attention_ranks").get<int>();
    table->experts = json.at("experts").get<std::vector<std::int32_t>>();
  } catch (const nlohmann::json::exception& error) {
    throw InputError(path, error.what(),
                     "{\"top_k\", \"tokens\", \"attention_ranks\", \"experts\": [...]}");
  }
  if (table->top_k != exchange.top_k || table->tokens != exchange.tokens ||
      table->attention_ranks != exchange.attention_ranks) {
    throw InputError(path, "top_k, tokens or attention_ranks differ from the exchange's",
                     "the same ones");
  }
  const std::size_t entries = static_cast<std::size_t>(table->top_k) *
                              static_cast<std::size_t>(table->tokens) *
                              static_cast<std::size_t>(table->attention_ranks);
  if (table->experts.size() != entries) {
    throw InputError(path + ": experts", std::to_string(table->experts.size()) + " entries",
                     "attention_ranks × tokens × top_k = " + std::to_string(entries));
  }
  for (const std::int32_t expert : table->experts) {
    if (expert < -1 || expert >= exchange.experts) {
      throw InputError(path + ": experts", std::to_string(expert),
                       "-1 (no expert) to " + std::to_string(exchange.experts - 1));
    }
  }
  return table;
}

}  // namespace

std::shared_ptr<const model::RoutingTable> read_routing(const std::string& text,
                                                        const model::Exchange& exchange) {
  if (text == "random") return nullptr;
  constexpr std::string_view random = "random:";
  if (text.rfind(random, 0) != 0) return read_file(text, exchange);
  const std::string seed = text.substr(random.size());
  if (seed.empty() || seed.size() > 18 ||
      seed.find_first_not_of("0123456789") != std::string::npos) {
    throw InputError("--routing", "'" + text + "'",
                     "random:SEED with a whole number of at most 18 digits");
  }
  return draw(std::stoull(seed), exchange);
}

}  // namespace fanin::experiments

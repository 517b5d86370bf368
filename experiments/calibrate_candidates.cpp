#include "calibrate_candidates.hpp"

#include <algorithm>
#include <set>

#include "fanin/calibrate/law_next.hpp"

namespace fanin::experiments {
namespace {

/// Fixes whose savings hang on costs that base rows cannot separate.
constexpr int kTellingFixes[] = {1, 7, 8, 9};

calibrate::RunGrid grid_around(const std::vector<calibrate::Record>& records) {
  std::set<double> tokens;
  double sources = 1.0;
  for (const calibrate::Record& record : records) {
    tokens.insert(record.exchange.tokens);
    sources = std::max(sources, static_cast<double>(record.exchange.sources()));
  }
  calibrate::RunGrid grid;
  grid["transport_sms"] = {8, 12, 16, 24, 32, 48, 64};
  for (double s = 1.0; s <= sources + 1.0; s += 1.0) grid["sources"].push_back(s);
  grid["tokens"].assign(tokens.begin(), tokens.end());
  return grid;
}

std::vector<double> values(const calibrate::RunGrid& grid, const std::string& field,
                           double otherwise) {
  const auto it = grid.find(field);
  return it == grid.end() ? std::vector<double>{otherwise} : it->second;
}

void set_sources(model::Exchange& exchange, int sources) {
  exchange.attention_ranks =
      exchange.path == model::Path::nvlink ? sources : sources * exchange.gpus_per_domain;
  if (exchange.path == model::Path::nvlink)
    exchange.gpus_per_domain = exchange.ffn_ranks + exchange.attention_ranks;
}

}  // namespace

std::string describe(const model::Exchange& exchange) {
  std::string text =
      std::string(to_string(exchange.path)) + " " + std::string(to_string(exchange.protocol)) +
      ", " + std::to_string(exchange.sources()) + " sources, " + std::to_string(exchange.tokens) +
      " tokens, " + std::to_string(exchange.transport_sms) + " SMs";
  if (!exchange.fixes.empty()) text += ", fix " + fixes_to_string(exchange.fixes);
  if (exchange.tail_interval != model::Exchange{}.tail_interval)
    text += ", tail interval " + std::to_string(exchange.tail_interval);
  if (exchange.channels_per_sm != model::Exchange{}.channels_per_sm)
    text += ", " + std::to_string(exchange.channels_per_sm) + " channels per SM";
  return text;
}

std::vector<model::Exchange> next_candidates(const std::vector<calibrate::Record>& records,
                                             const std::string& text) {
  const calibrate::RunGrid grid = text.empty() ? grid_around(records) : calibrate::parse_grid(text);
  std::set<std::string> measured;
  std::vector<model::Exchange> bases;
  std::set<std::string> kinds;
  for (const calibrate::Record& record : records) {
    measured.insert(describe(record.exchange));
    model::Exchange base = record.exchange;
    const bool plain = base.variant == model::Variant::none && base.gemm_solo_us == 0.0;
    const std::string kind =
        std::string(to_string(base.path)) + std::string(to_string(base.protocol));
    if (plain && kinds.insert(kind).second) bases.push_back(base);
  }
  std::vector<model::Exchange> candidates;
  const auto consider = [&](const model::Exchange& exchange) {
    if (measured.insert(describe(exchange)).second && exchange.validate().empty())
      candidates.push_back(exchange);
  };
  for (const model::Exchange& base : bases) {
    for (const double sms : values(grid, "transport_sms", base.transport_sms)) {
      for (const double sources : values(grid, "sources", base.sources())) {
        for (const double tokens : values(grid, "tokens", base.tokens)) {
          for (const double channels : values(grid, "channels_per_sm", base.channels_per_sm)) {
            for (const double interval : values(grid, "tail_interval", base.tail_interval)) {
              model::Exchange exchange = base;
              exchange.transport_sms = static_cast<int>(sms);
              exchange.tokens = static_cast<int>(tokens);
              exchange.channels_per_sm = static_cast<int>(channels);
              exchange.tail_interval = static_cast<int>(interval);
              set_sources(exchange, static_cast<int>(sources));
              consider(exchange);
              if (exchange.path != model::Path::hybrid || !text.empty()) continue;
              for (const int fix : kTellingFixes) {
                exchange.fixes = {model::Fix{fix, {}}};
                consider(exchange);
              }
            }
          }
        }
      }
    }
  }
  return candidates;
}

}  // namespace fanin::experiments

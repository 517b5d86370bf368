#include "fanin/calibrate/law_rows.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace fanin::calibrate {
namespace {

constexpr std::array kNumbers{
    "transport_sms", "channels_per_sm", "combine_sms",     "ffn_combine_sms",
    "sources",       "tokens",          "tail_interval",   "attention_ranks",
    "ffn_ranks",     "ranks",           "gpus_per_domain", "hidden",
    "top_k",         "experts",         "queue_depth",     "payload_start_delay_us"};
constexpr std::array kWords{"cluster", "path", "protocol",     "payload",
                            "variant", "exit", "collect_view", "combine_flush"};

constexpr const char* kRun = "transport_sms+sources+tokens";

std::optional<double> number(const Record& record, std::string_view field) {
  const std::optional<FieldValue> value = record.field(field);
  if (!value || !std::holds_alternative<double>(*value)) return std::nullopt;
  // Combine with the SMs of dispatch is no setting of its own.
  if (field.ends_with("combine_sms") && std::get<double>(*value) == record.exchange.transport_sms) {
    return std::nullopt;
  }
  return std::get<double>(*value);
}

std::optional<std::string> word(const Record& record, std::string_view field) {
  const std::optional<FieldValue> value = record.field(field);
  if (!value) return std::nullopt;
  if (const bool* flag = std::get_if<bool>(&*value)) return *flag ? "true" : "false";
  if (const double* figure = std::get_if<double>(&*value)) return std::to_string(*figure);
  return std::get<std::string>(*value);
}

/// `ranks` under the names that published tables use, else all Attention and FFN ranks.
std::optional<double> ranks_of(const Record& record) {
  for (const char* name : {"ranks", "ep_ranks", "gpus"}) {
    if (const auto stated = number(record, name)) return stated;
  }
  const auto attention = number(record, "attention_ranks");
  const auto ffn = number(record, "ffn_ranks");
  if (!attention || !ffn) return std::nullopt;
  return *attention + *ffn;
}

std::optional<double> law_field(const Record& record, std::string_view field) {
  return field == "ranks" ? ranks_of(record) : number(record, field);
}

std::array<double, 3> run_of(const model::LawPoint& point) {
  return {point.transport_sms, point.sources, point.tokens};
}

/// Whether every orthant around `run` holds one of `runs`.
bool surrounded(const std::array<double, 3>& run, const std::set<std::array<double, 3>>& runs) {
  unsigned seen = 0;  // bit k: orthant k, whose bit j says that coordinate j is at least run[j]
  for (const std::array<double, 3>& known : runs) {
    for (unsigned orthant = 0; orthant < 8; ++orthant) {
      bool inside = true;
      for (unsigned j = 0; j < 3; ++j) {
        inside &= (orthant >> j & 1u) != 0 ? known[j] >= run[j] : known[j] <= run[j];
      }
      if (inside) seen |= 1u << orthant;
    }
  }
  return seen == 0xFFu;
}

}  // namespace

model::LawPoint law_point(const Record& record) {
  model::LawPoint point;
  const auto take = [&](std::string_view field, double& into) {
    if (const auto value = law_field(record, field)) into = *value;
  };
  take("transport_sms", point.transport_sms);
  take("channels_per_sm", point.channels_per_sm);
  take("sources", point.sources);
  take("tokens", point.tokens);
  take("tail_interval", point.tail_interval);
  take("ranks", point.ranks);
  return point;
}

std::map<std::string, std::size_t> missing_fields(const model::Law& law,
                                                  const std::vector<Record>& records) {
  std::map<std::string, std::size_t> missing;
  for (const std::string_view field : law.fields) {
    const auto without = std::count_if(records.begin(), records.end(), [&](const Record& record) {
      return !law_field(record, field);
    });
    if (without > 0) missing[std::string(field)] = static_cast<std::size_t>(without);
  }
  return missing;
}

LawRows law_rows(const std::vector<Record>& records) {
  LawRows rows;
  for (const Record& record : records) {
    rows.ids.push_back(record.id);
    rows.points.push_back(law_point(record));
    rows.measured_us.push_back(record.median_us);
    rows.repeats_us.push_back(record.repeats_us);
  }
  return rows;
}

LawDomain LawDomain::of(const std::vector<Record>& records) {
  LawDomain domain;
  for (const Record& record : records) {
    for (const char* field : kNumbers) {
      const auto value = number(record, field);
      if (!value) continue;
      const auto [at, added] = domain.ranges.try_emplace(field, *value, *value);
      at->second.first = std::min(at->second.first, *value);
      at->second.second = std::max(at->second.second, *value);
    }
    for (const char* field : kWords) {
      if (const auto value = word(record, field)) domain.values[field].insert(*value);
    }
    domain.runs.insert(run_of(law_point(record)));
  }
  return domain;
}

std::vector<std::string> LawDomain::outside(const Record& record) const {
  std::vector<std::string> fields;
  for (const auto& [field, range] : ranges) {
    const auto value = number(record, field);
    if (value && (*value < range.first || *value > range.second)) fields.push_back(field);
  }
  for (const auto& [field, known] : values) {
    const auto value = word(record, field);
    if (value && !known.contains(*value)) fields.push_back(field);
  }
  if (fields.empty() && !surrounded(run_of(law_point(record)), runs)) fields.emplace_back(kRun);
  return fields;
}

std::vector<std::string> LawDomain::outside(const model::LawPoint& point) const {
  const std::pair<const char*, double> fields[] = {{"transport_sms", point.transport_sms},
                                                   {"channels_per_sm", point.channels_per_sm},
                                                   {"sources", point.sources},
                                                   {"tokens", point.tokens},
                                                   {"tail_interval", point.tail_interval},
                                                   {"ranks", point.ranks}};
  std::vector<std::string> outside;
  for (const auto& [field, value] : fields) {
    const auto range = ranges.find(field);
    if (range == ranges.end() || value == 0.0) continue;
    if (value < range->second.first || value > range->second.second) outside.emplace_back(field);
  }
  if (outside.empty() && !surrounded(run_of(point), runs)) outside.emplace_back(kRun);
  return outside;
}

}  // namespace fanin::calibrate

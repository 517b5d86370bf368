#include "fanin/calibrate/timeline.hpp"

#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "fanin/hw/error.hpp"
#include "json_line.hpp"
#include "line_reader.hpp"
#include "record_line.hpp"

namespace fanin::calibrate {
namespace {

/// One line's own fields, by name and type.
class Fields {
 public:
  Fields(const JsonLine& line, const std::string& where) : line_(line), where_(where) {}

  std::optional<double> number(std::string_view name, double low) const {
    const LineValue* value = find(name, LineValue::Kind::number, "a number");
    if (value == nullptr) return std::nullopt;
    if (value->number < low)
      fail(name, std::to_string(value->number), "at least " + std::to_string(low));
    return value->number;
  }
  std::optional<int> whole(std::string_view name) const {
    const auto value = number(name, 0.0);
    if (!value) return std::nullopt;
    const int result = *value <= 1e9 ? static_cast<int>(*value) : -1;
    if (static_cast<double>(result) != *value) fail(name, "no whole number", "0 to 1e9");
    return result;
  }
  std::string text(std::string_view name) const {
    const LineValue* value = find(name, LineValue::Kind::text, "a text");
    return value == nullptr ? std::string{} : value->text;
  }
  [[noreturn]] void fail(std::string_view name, const std::string& what,
                         const std::string& expected) const {
    throw InputError(where_ + ": " + std::string(name), what, expected);
  }

 private:
  const LineValue* find(std::string_view name, LineValue::Kind kind,
                        const std::string& expected) const {
    const LineValue* value = line_.find(name);
    if (value == nullptr || value->kind == LineValue::Kind::null) return nullptr;
    if (value->kind != kind) fail(name, "wrong type", expected);
    return value;
  }

  const JsonLine& line_;
  const std::string& where_;
};

TimelineSpan span_of(const Fields& fields) {
  constexpr double kAny = std::numeric_limits<double>::lowest();
  TimelineSpan span;
  span.node = fields.whole("node");
  span.device = fields.whole("device").value_or(0);
  span.role = fields.text("role");
  if (span.role != "ffn" && span.role != "attention")
    fields.fail("role", "'" + span.role + "'", "ffn or attention");
  span.launch_index = fields.whole("launch_index").value_or(0);
  span.kernel = fields.text("kernel");
  span.start_us = fields.number("start_us", kAny);
  span.end_us = fields.number("end_us", kAny);
  if (span.start_us && span.end_us && *span.end_us < *span.start_us) {
    fields.fail("end_us", "before start_us", "at least start_us");
  }
  const auto duration = fields.number("duration_us", 0.0);
  if (!duration && !(span.start_us && span.end_us)) {
    fields.fail("duration_us", "missing", "duration_us, or start_us and end_us, in microseconds");
  }
  span.duration_us = duration ? *duration : *span.end_us - *span.start_us;
  span.grid = fields.whole("grid");
  span.threads = fields.whole("threads");
  return span;
}

std::string name_of(const Record& record) {
  const model::Exchange& exchange = record.exchange;
  return std::string(to_string(exchange.path)) + "-" + record.protocol + "-" +
         std::to_string(exchange.ffn_ranks) + "f" + std::to_string(exchange.attention_ranks) +
         "a-t" + std::to_string(exchange.tokens) + "-" + std::to_string(exchange.transport_sms) +
         "sm";
}

bool same(const model::Exchange& a, const model::Exchange& b) {
  const auto key = [](const model::Exchange& e) {
    return std::tuple(e.protocol, e.path, e.ffn_ranks, e.attention_ranks, e.gpus_per_domain,
                      e.tokens, e.hidden, e.top_k, e.experts, e.payload, e.transport_sms,
                      e.combine_sms, e.ffn_combine_sms, e.channels_per_sm);
  };
  return key(a) == key(b);
}

/// Collects spans into timelines; looks them up by cluster and name.
class Collector {
 public:
  void add(const JsonLine& line, const std::string& where) {
    const Fields fields(line, where);
    TimelineSpan span = span_of(fields);
    Record row;
    row.id = where;
    take_fields(row, line, where);
    const bool hosts = span.node.has_value();
    const model::Path path = hosts ? model::Path::hybrid : model::Path::nvlink;
    complete_configuration(row, line, where, path);
    if (!row.missing.empty())
      fields.fail(row.missing.front(), "missing", "the whole configuration");

    Timeline& timeline = find(fields, row, where);
    const auto place =
        std::tuple(timeline.trace, span.node.value_or(-1), span.device, span.launch_index);
    if (span.start_us && !placed_.insert(place).second) {
      fields.fail("launch_index",
                  std::to_string(span.launch_index) + " occurs twice on this device",
                  "each launch once");
    }
    timeline.spans.push_back(std::move(span));
  }

  TimelineSet set;

 private:
  Timeline& find(const Fields& fields, const Record& row, const std::string& where) {
    const std::string stated = fields.text("trace");
    const std::string name = stated.empty() ? name_of(row) : stated;
    const auto period = fields.number("period_us", 0.0);
    const auto anchor = fields.whole("anchor_device");
    const auto [it, fresh] = index_.try_emplace({row.cluster, name}, set.timelines.size());
    if (fresh) {
      set.timelines.push_back({name, row.cluster, row.protocol, row.exchange, period, anchor, {}});
      return set.timelines.back();
    }
    Timeline& timeline = set.timelines[it->second];
    if (!same(timeline.exchange, row.exchange) || timeline.protocol != row.protocol ||
        timeline.period_us != period || timeline.anchor_device != anchor) {
      throw InputError(where + ": trace",
                       "'" + name + "' has another configuration or period in an earlier row",
                       "one configuration a trace");
    }
    return timeline;
  }

  std::map<std::pair<std::string, std::string>, std::size_t> index_;
  std::set<std::tuple<std::string, int, int, int>> placed_;
};

}  // namespace

TimelineSet read_timelines(const std::vector<std::string>& paths) {
  Collector collector;
  JsonLine line;
  for (const std::string& path : paths) {
    LineReader reader(path);
    while (const std::optional<std::string_view> text = reader.next()) {
      const std::string where = reader.where();
      line.parse(*text, where);
      if (line.find("kernel") == nullptr) {
        ++collector.set.skipped["no kernel"];
        continue;
      }
      collector.add(line, where);
    }
  }
  return std::move(collector.set);
}

}  // namespace fanin::calibrate

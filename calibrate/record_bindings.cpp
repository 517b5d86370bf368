#include "record_bindings.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "fanin/hw/error.hpp"
#include "fanin/hw/nearest.hpp"
#include "fanin/model/fixes_text.hpp"

namespace fanin::calibrate {
namespace {

using Field = std::optional<FieldValue>;

Field number(int value) { return FieldValue{static_cast<double>(value)}; }
Field text(std::string_view value) { return FieldValue{std::string(value)}; }
Field stated(const std::string& value) {
  return value.empty() ? Field{} : Field{FieldValue{value}};
}
int whole(const LineValue& value) { return static_cast<int>(value.number); }
double mean(const std::vector<double>& values) {
  return values.empty() ? 0.0
                        : std::accumulate(values.begin(), values.end(), 0.0) /
                              static_cast<double>(values.size());
}

/// Sets `member` to the enumerator whose name the text is; the names come from to_string, so that
/// there is one list of them.
template <typename Enum, std::size_t N>
std::string choose(Enum& member, const std::string& word, const Enum (&choices)[N]) {
  std::string expected = "one of";
  for (const Enum choice : choices) {
    if (word == model::to_string(choice)) {
      member = choice;
      return {};
    }
    expected += ' ' + std::string(model::to_string(choice));
  }
  return expected;
}

std::string set_protocol(Record& record, const LineValue& value) {
  // A plugin build runs the same protocol as the stock kernels, shared kernels that of role ones.
  const bool role = value.text == "role" || value.text == "role_shared_kernels";
  const bool symmetric = value.text == "symmetric" || value.text == "symmetric_plugin_build";
  if (!role && !symmetric)
    return "one of role role_shared_kernels symmetric symmetric_plugin_build";
  record.protocol = value.text;
  record.exchange.protocol = role ? model::Protocol::role : model::Protocol::symmetric;
  return {};
}

std::string set_path(Record& record, const LineValue& value) {
  return choose(record.exchange.path, value.text,
                {model::Path::nvlink, model::Path::hybrid, model::Path::direct});
}
std::string set_payload(Record& record, const LineValue& value) {
  return choose(record.exchange.payload, value.text, {model::Payload::bf16, model::Payload::fp8});
}
std::string set_exit(Record& record, const LineValue& value) {
  return choose(record.exchange.exit, value.text,
                {model::ExitMode::per_cta, model::ExitMode::grid_sync});
}
std::string set_gemm_on(Record& record, const LineValue& value) {
  return choose(record.exchange.gemm_on, value.text,
                {model::GemmSide::both, model::GemmSide::attention, model::GemmSide::ffn});
}
std::string set_variant(Record& record, const LineValue& value) {
  return choose(
      record.exchange.variant, value.text,
      {model::Variant::none, model::Variant::ffn_combine_grid,
       model::Variant::combine_grid_all_ranks, model::Variant::expand_overlaps_ingress_bound});
}
std::string set_fix(Record& record, const LineValue& value) {
  try {
    record.exchange.fixes = model::parse_fixes(value.text);
  } catch (const InputError& error) {
    return error.expected();
  }
  return {};
}
std::string set_routing(Record& record, const LineValue& value) {
  record.routing = value.text;
  return value.text.empty() ? "random, random:SEED or the name of a routing file" : "";
}
/// One figure an Attention rank, or one for all: the model takes a single one.
std::string set_gemm(Record& record, const LineValue& value) {
  record.exchange.gemm_solo_us =
      value.kind == LineValue::Kind::numbers ? mean(value.numbers) : value.number;
  return {};
}

constexpr double kRanks = 1 << 16;
constexpr double kTokens = 1 << 24;
constexpr double kSms = 1024;
// Nothing that leaves a GPU is back within 0.1 us, and no exchange takes 10 s: outside of that the
// number is in another unit.
constexpr double kLeastUs = 0.1;
constexpr double kMostUs = 1e7;
constexpr auto kText = FieldType::text;
constexpr auto kInteger = FieldType::integer;
constexpr auto kNumber = FieldType::number;
constexpr auto kBoolean = FieldType::boolean;
constexpr auto kNumbers = FieldType::numbers;

// clang-format off
const FieldBinding kBindings[] = {
    {{"attention_ranks", kInteger, "count", 1, kRanks, true, "Attention GPUs of the exchange."},
     [](Record& r, const LineValue& v) { r.exchange.attention_ranks = whole(v); return std::string{}; },
     [](const Record& r) { return number(r.exchange.attention_ranks); }},
    {{"attention_sms", kInteger, "count", 1, 1 << 20, false, "SMs for CTAs of Attention's dispatch; default from placement, else one a CTA."},
     [](Record& r, const LineValue& v) { r.exchange.attention_sms = whole(v); return std::string{}; },
     [](const Record& r) { return r.exchange.attention_sms ? number(*r.exchange.attention_sms) : Field{}; }},
    {{"capacity", kInteger, "count", 1, kTokens, false, "Largest tokens that the buffers hold; default 2048."},
     [](Record& r, const LineValue& v) { r.exchange.capacity = whole(v); return std::string{}; },
     [](const Record& r) { return number(r.exchange.capacity); }},
    {{"channels_per_sm", kInteger, "count", 1, 64, false, "Channels of one transport SM; default 8."},
     [](Record& r, const LineValue& v) { r.exchange.channels_per_sm = whole(v); return std::string{}; },
     [](const Record& r) { return number(r.exchange.channels_per_sm); }},
    {{"cluster", kText, "", 0, 0, false, "Machine and emulator setting; names the profile that predicts the row."},
     [](Record& r, const LineValue& v) { r.cluster = v.text; return std::string{}; },
     [](const Record& r) { return stated(r.cluster); }},
    {{"collect_view", kBoolean, "", 0, 0, false, "The Attention side reads results in place; default false."},
     [](Record& r, const LineValue& v) { r.exchange.collect_view = v.flag; return std::string{}; },
     [](const Record& r) { return Field{FieldValue{r.exchange.collect_view}}; }},
    {{"combine_flush", kBoolean, "", 0, 0, false, "A combine warp waits for its WRITEs before it posts finishes; default false."},
     [](Record& r, const LineValue& v) { r.exchange.combine_flush = v.flag; return std::string{}; },
     [](const Record& r) { return Field{FieldValue{r.exchange.combine_flush}}; }},
    {{"combine_sms", kInteger, "count", 1, kSms, false, "SMs of combine on all ranks; default transport_sms."},
     [](Record& r, const LineValue& v) { r.exchange.combine_sms = whole(v); return std::string{}; },
     [](const Record& r) { return number(r.exchange.attention_combine_sms()); }},
    {{"copy_ctas", kInteger, "count", 1, 1 << 16, false, "CTAs of the FFN copy epilogue; default from placement, else the SMs of the GPU."},
     [](Record& r, const LineValue& v) { r.exchange.copy_ctas = whole(v); return std::string{}; },
     [](const Record& r) { return r.exchange.copy_ctas ? number(*r.exchange.copy_ctas) : Field{}; }},
    {{"data_valid", kBoolean, "", 0, 0, false, "false: a timing bound that did not deliver its data; default true."},
     [](Record& r, const LineValue& v) { r.data_valid = v.flag; return std::string{}; },
     [](const Record& r) { return Field{FieldValue{r.data_valid}}; }},
    {{"exit", kText, "", 0, 0, false, "per_cta (default) or grid_sync: who announces that a sender is done."},
     set_exit,
     [](const Record& r) { return text(model::to_string(r.exchange.exit)); }},
    {{"experts", kInteger, "count", 1, 1 << 20, false, "Experts over all FFN GPUs; default 128."},
     [](Record& r, const LineValue& v) { r.exchange.experts = whole(v); return std::string{}; },
     [](const Record& r) { return number(r.exchange.experts); }},
    {{"ffn_combine_sms", kInteger, "count", 1, kSms, false, "SMs of combine on FFN ranks; default combine_sms."},
     [](Record& r, const LineValue& v) { r.exchange.ffn_combine_sms = whole(v); return std::string{}; },
     [](const Record& r) { return number(r.exchange.ffn_combine_sms_used()); }},
    {{"ffn_ranks", kInteger, "count", 1, kRanks, true, "FFN GPUs of the exchange."},
     [](Record& r, const LineValue& v) { r.exchange.ffn_ranks = whole(v); return std::string{}; },
     [](const Record& r) { return number(r.exchange.ffn_ranks); }},
    {{"fix", kText, "", 0, 0, false, "Protocol fixes switched on: none (default), 4, 4+8, 4:k=8."},
     set_fix,
     [](const Record& r) { return text(model::fixes_to_string(r.exchange.fixes)); }},
    {{"gemm_on", kText, "", 0, 0, false, "GPUs that run GEMMs beside the exchange: both (default), attention or ffn."},
     set_gemm_on,
     [](const Record& r) { return text(model::to_string(r.exchange.gemm_on)); }},
    {{"gemm_solo_us", kNumbers, "us", 0, kMostUs, false, "One GEMM's time with nothing beside it, one figure an Attention rank; default 0: no compute beside."},
     set_gemm,
     [](const Record& r) { return Field{FieldValue{r.exchange.gemm_solo_us}}; }},
    {{"gpus_per_domain", kInteger, "count", 1, 1024, true, "GPUs of one NVLink domain."},
     [](Record& r, const LineValue& v) { r.exchange.gpus_per_domain = whole(v); return std::string{}; },
     [](const Record& r) { return number(r.exchange.gpus_per_domain); }},
    {{"hidden", kInteger, "count", 1, 1 << 20, false, "Elements of one token row; default 2048."},
     [](Record& r, const LineValue& v) { r.exchange.hidden = whole(v); return std::string{}; },
     [](const Record& r) { return number(r.exchange.hidden); }},
    {{"id", kText, "", 0, 0, false, "Unique in the repository; default FILE:LINE."},
     [](Record& r, const LineValue& v) { r.id = v.text; return std::string(v.text.empty() ? "a name" : ""); },
     [](const Record& r) { return stated(r.id); }},
    {{"median_us", kNumber, "us", kLeastUs, kMostUs, false, "Median time of one exchange; a line without it is no latency record."},
     [](Record& r, const LineValue& v) { r.median_us = v.number; return std::string{}; },
     [](const Record& r) { return Field{FieldValue{r.median_us}}; }},
    {{"one_gpu", kBoolean, "", 0, 0, false, "All ranks sit on one GPU; default from placement, else false."},
     [](Record& r, const LineValue& v) { r.exchange.one_gpu = v.flag; return std::string{}; },
     [](const Record& r) { return Field{FieldValue{r.exchange.one_gpu}}; }},
    {{"outstanding", kInteger, "count", 1, 1 << 16, false, "Fetch-adds in flight per queue; default the profile's."},
     [](Record& r, const LineValue& v) { r.exchange.outstanding = whole(v); return std::string{}; },
     [](const Record& r) { return r.exchange.outstanding ? number(*r.exchange.outstanding) : Field{}; }},
    {{"path", kText, "", 0, 0, true, "nvlink, hybrid or direct."},
     set_path,
     [](const Record& r) { return text(model::to_string(r.exchange.path)); }},
    {{"payload", kText, "", 0, 0, false, "bf16 (default) or fp8."},
     set_payload,
     [](const Record& r) { return text(model::to_string(r.exchange.payload)); }},
    {{"payload_start_delay_us", kNumber, "us", 0, kMostUs, false, "Payload warps idle this long first; default 0."},
     [](Record& r, const LineValue& v) { r.exchange.payload_start_delay_us = v.number; return std::string{}; },
     [](const Record& r) { return Field{FieldValue{r.exchange.payload_start_delay_us}}; }},
    {{"protocol", kText, "", 0, 0, true, "role, role_shared_kernels, symmetric or symmetric_plugin_build."},
     set_protocol,
     [](const Record& r) { return stated(r.protocol); }},
    {{"queue_depth", kInteger, "count", 1, 1 << 20, false, "Entries of one queue; default 128."},
     [](Record& r, const LineValue& v) { r.exchange.queue_depth = whole(v); return std::string{}; },
     [](const Record& r) { return number(r.exchange.queue_depth); }},
    {{"queues", kInteger, "count", 1, 1 << 16, false, "Queue contexts allocated; default min(16 x SMs + 1, 129)."},
     [](Record& r, const LineValue& v) { r.exchange.queues = whole(v); return std::string{}; },
     [](const Record& r) { return number(r.exchange.queues.value_or(std::min(16 * r.exchange.transport_sms + 1, 129))); }},
    {{"reduce_ctas", kInteger, "count", 1, 1 << 16, false, "CTAs of the Attention reduce epilogue; default from placement, else the SMs of the GPU."},
     [](Record& r, const LineValue& v) { r.exchange.reduce_ctas = whole(v); return std::string{}; },
     [](const Record& r) { return r.exchange.reduce_ctas ? number(*r.exchange.reduce_ctas) : Field{}; }},
    {{"repeats_us", kNumbers, "us", kLeastUs, kMostUs, false, "Times of the repeats, one per fresh process."},
     [](Record& r, const LineValue& v) { r.repeats_us = v.numbers; return std::string{}; },
     [](const Record&) { return Field{}; }},
    {{"routing", kText, "", 0, 0, false, "random (default, expected values), random:SEED or the name of a routing file."},
     set_routing,
     [](const Record& r) { return text(r.routing); }},
    {{"set", kText, "", 0, 0, false, "Measurements taken together."},
     [](Record& r, const LineValue& v) { r.set = v.text; return std::string{}; },
     [](const Record& r) { return stated(r.set); }},
    {{"sources", kInteger, "count", 1, kRanks, false, "Attention domains per FFN domain, on nvlink Attention ranks; default from the ranks."},
     [](Record&, const LineValue&) { return std::string{}; },
     [](const Record& r) { return number(r.exchange.sources()); }},
    {{"tail_interval", kInteger, "count", 1, 1 << 20, false, "Tokens between two tail updates; default 3."},
     [](Record& r, const LineValue& v) { r.exchange.tail_interval = whole(v); return std::string{}; },
     [](const Record& r) { return number(r.exchange.tail_interval); }},
    {{"tokens", kInteger, "count", 0, kTokens, true, "Tokens of one Attention GPU."},
     [](Record& r, const LineValue& v) { r.exchange.tokens = whole(v); return std::string{}; },
     [](const Record& r) { return number(r.exchange.tokens); }},
    {{"top_k", kInteger, "count", 1, 64, false, "Experts of one token; default 8."},
     [](Record& r, const LineValue& v) { r.exchange.top_k = whole(v); return std::string{}; },
     [](const Record& r) { return number(r.exchange.top_k); }},
    {{"transport_sms", kInteger, "count", 1, kSms, true, "SMs of dispatch, and of combine unless stated."},
     [](Record& r, const LineValue& v) { r.exchange.transport_sms = whole(v); return std::string{}; },
     [](const Record& r) { return number(r.exchange.transport_sms); }},
    {{"variant", kText, "", 0, 0, false, "none (default), ffn_combine_grid, combine_grid_all_ranks or expand_overlaps_ingress_bound."},
     set_variant,
     [](const Record& r) { return text(model::to_string(r.exchange.variant)); }},
};
// clang-format on

}  // namespace

std::span<const FieldBinding> record_bindings() { return kBindings; }

const FieldBinding* find_binding(std::string_view name) {
  const auto* const it = std::lower_bound(
      std::begin(kBindings), std::end(kBindings), name,
      [](const FieldBinding& binding, std::string_view n) { return binding.spec.name < n; });
  return it != std::end(kBindings) && it->spec.name == name ? it : nullptr;
}

std::span<const FieldSpec> record_fields() {
  static const std::vector<FieldSpec> specs = [] {
    std::vector<FieldSpec> list;
    for (const FieldBinding& binding : kBindings) list.push_back(binding.spec);
    return list;
  }();
  return specs;
}

const FieldSpec* find_field(std::string_view name) {
  const FieldBinding* binding = find_binding(name);
  return binding == nullptr ? nullptr : &binding->spec;
}

std::string_view nearest_field(std::string_view name) {
  std::vector<std::string_view> names;
  for (const FieldBinding& binding : kBindings) names.push_back(binding.spec.name);
  return nearest_name(name, names);
}

}  // namespace fanin::calibrate

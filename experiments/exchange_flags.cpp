#include "exchange_flags.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <memory>

#include "fanin/hw/error.hpp"
#include "fanin/model/fixes_text.hpp"
#include "fanin/model/preset.hpp"

namespace fanin::experiments {
namespace {

using model::Exchange;

template <class Number>
Number parse_number(const std::string& flag, const std::string& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw InputError("--" + flag, "'" + text + "'",
                     std::is_integral_v<Number> ? "a whole number in range" : "a number");
  }
  return number;
}

/// The enumerator whose text is `text`.
template <class Enum>
Enum parse_enum(const std::string& flag, const std::string& text, std::initializer_list<Enum> all) {
  std::string expected;
  for (const Enum value : all) {
    if (model::to_string(value) == text) return value;
    expected += (expected.empty() ? "" : ", ") + std::string(model::to_string(value));
  }
  throw InputError("--" + flag, "'" + text + "'", "one of " + expected);
}

bool parse_bool(const std::string& flag, const std::string& text) {
  if (text == "true" || text == "1" || text.empty()) return true;
  if (text == "false" || text == "0") return false;
  throw InputError("--" + flag, "'" + text + "'", "true or false");
}

struct Binding {
  ExchangeFlag flag;
  /// Null: handled by ExchangeSettings itself.
  void (*set)(Exchange&, const std::string& flag, const std::string& text);
};

template <auto Member>
void set_number(Exchange& exchange, const std::string& flag, const std::string& text) {
  exchange.*Member = parse_number<int>(flag, text);
}

template <auto Member>
void set_double(Exchange& exchange, const std::string& flag, const std::string& text) {
  exchange.*Member = parse_number<double>(flag, text);
}

const std::vector<Binding>& bindings() {
  using model::ExitMode;
  using model::Path;
  using model::Payload;
  using model::Protocol;
  using model::Variant;
  static const std::vector<Binding> all = {
      {{"profile", "Machine: a profile's path, or its name in hw/profiles"}, nullptr},
      {{"preset", "recorded or deepep-v2: channels per SM, tail interval, queues, protocol"},
       nullptr},
      {{"protocol", "role or symmetric"},
       [](Exchange& e, const std::string& f, const std::string& t) {
         e.protocol = parse_enum(f, t, {Protocol::role, Protocol::symmetric});
       }},
      {{"path", "nvlink, hybrid or direct"},
       [](Exchange& e, const std::string& f, const std::string& t) {
         e.path = parse_enum(f, t, {Path::nvlink, Path::hybrid, Path::direct});
       }},
      {{"ffn-ranks", "FFN GPUs"}, set_number<&Exchange::ffn_ranks>},
      {{"attention-ranks", "Attention GPUs"}, set_number<&Exchange::attention_ranks>},
      {{"gpus-per-domain", "GPUs of one NVLink domain"}, set_number<&Exchange::gpus_per_domain>},
      {{"sources", "Attention domains (nvlink: Attention GPUs); short for attention ranks"},
       nullptr},
      {{"tokens", "Tokens of one Attention GPU"}, set_number<&Exchange::tokens>},
      {{"hidden", "Values of one token"}, set_number<&Exchange::hidden>},
      {{"top-k", "Experts of one token"}, set_number<&Exchange::top_k>},
      {{"experts", "Experts of all FFN GPUs"}, set_number<&Exchange::experts>},
      {{"payload", "bf16 or fp8"},
       [](Exchange& e, const std::string& f, const std::string& t) {
         e.payload = parse_enum(f, t, {Payload::bf16, Payload::fp8});
       }},
      {{"capacity", "Most tokens that buffers hold"}, set_number<&Exchange::capacity>},
      {{"routing", "random (expected values), random:SEED, or a JSON file"}, nullptr},
      {{"transport-sms", "SMs of dispatch, and of combine unless it is told"},
       set_number<&Exchange::transport_sms>},
      {{"combine-sms", "SMs of combine"},
       [](Exchange& e, const std::string& f, const std::string& t) {
         e.combine_sms = parse_number<int>(f, t);
       }},
      {{"ffn-combine-sms", "SMs of the FFN's combine"},
       [](Exchange& e, const std::string& f, const std::string& t) {
         e.ffn_combine_sms = parse_number<int>(f, t);
       }},
      {{"channels-per-sm", "Channels of one transport SM"}, set_number<&Exchange::channels_per_sm>},
      {{"tail-interval", "Tokens between two tail updates"}, set_number<&Exchange::tail_interval>},
      {{"queues", "Contexts allocated"},
       [](Exchange& e, const std::string& f, const std::string& t) {
         e.queues = parse_number<int>(f, t);
       }},
      {{"queue-depth", "Work requests that a queue holds"}, set_number<&Exchange::queue_depth>},
      {{"outstanding", "Fetch-adds that a queue may have in flight"},
       [](Exchange& e, const std::string& f, const std::string& t) {
         e.outstanding = parse_number<int>(f, t);
       }},
      {{"exit", "per_cta or grid_sync"},
       [](Exchange& e, const std::string& f, const std::string& t) {
         e.exit = parse_enum(f, t, {ExitMode::per_cta, ExitMode::grid_sync});
       }},
      {{"collect-view", "true: the Attention side reads results in place"},
       [](Exchange& e, const std::string& f, const std::string& t) {
         e.collect_view = parse_bool(f, t);
       }},
      {{"combine-flush", "true: combine waits for its WRITEs before it posts finishes (hybrid)"},
       [](Exchange& e, const std::string& f, const std::string& t) {
         e.combine_flush = parse_bool(f, t);
       }},
      {{"variant", "A recorded variant of timing"},
       [](Exchange& e, const std::string& f, const std::string& t) {
         e.variant =
             parse_enum(f, t,
                        {Variant::none, Variant::ffn_combine_grid, Variant::combine_grid_all_ranks,
                         Variant::expand_overlaps_ingress_bound});
       }},
      {{"payload-start-delay-us", "Payload warps idle this long first"},
       set_double<&Exchange::payload_start_delay_us>},
      {{"gemm-solo-us", "A GEMM of this length runs beside the exchange"},
       set_double<&Exchange::gemm_solo_us>},
      {{"gemm-on", "GPUs that run it: both, attention or ffn"},
       [](Exchange& e, const std::string& f, const std::string& t) {
         e.gemm_on = parse_enum(
             f, t, {model::GemmSide::both, model::GemmSide::attention, model::GemmSide::ffn});
       }},
      {{"one-gpu", "true: all ranks sit on one GPU and share its SMs and memory (hybrid, role)"},
       [](Exchange& e, const std::string& f, const std::string& t) {
         e.one_gpu = parse_bool(f, t);
       }},
      {{"attention-sms",
        "SMs for CTAs of Attention's dispatch, which runs in waves where they are few"},
       [](Exchange& e, const std::string& f, const std::string& t) {
         e.attention_sms = parse_number<int>(f, t);
       }},
      {{"copy-ctas", "CTAs of the FFN copy epilogue"},
       [](Exchange& e, const std::string& f, const std::string& t) {
         e.copy_ctas = parse_number<int>(f, t);
       }},
      {{"reduce-ctas", "CTAs of the Attention reduce epilogue"},
       [](Exchange& e, const std::string& f, const std::string& t) {
         e.reduce_ctas = parse_number<int>(f, t);
       }},
      {{"fix", "Fixes by number, as in 4:k=8 8; several are combined"},
       [](Exchange& e, const std::string&, const std::string& t) {
         e.fixes = model::parse_fixes(t);
       }},
  };
  return all;
}

const Binding& binding_of(const std::string& name) {
  for (const Binding& binding : bindings()) {
    if (binding.flag.name == name) return binding;
  }
  throw InputError("--" + name, "no flag of an exchange");
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

}  // namespace

const std::vector<ExchangeFlag>& exchange_flags() {
  static const std::vector<ExchangeFlag> flags = [] {
    std::vector<ExchangeFlag> all;
    for (const Binding& binding : bindings()) all.push_back(binding.flag);
    return all;
  }();
  return flags;
}

void ExchangeSettings::set(const std::string& name, const std::string& value) {
  values_[std::string(binding_of(name).flag.name)] = value;
}

std::string ExchangeSettings::text(const std::string& name, const std::string& otherwise) const {
  const auto given = values_.find(name);
  return given == values_.end() ? otherwise : given->second;
}

model::Exchange ExchangeSettings::exchange() const {
  Exchange exchange;
  const auto apply_fields = [&] {
    for (const Binding& binding : bindings()) {
      const auto given = values_.find(std::string(binding.flag.name));
      if (binding.set != nullptr && given != values_.end())
        binding.set(exchange, given->first, given->second);
    }
  };
  apply_fields();
  const bool nvlink = exchange.path == model::Path::nvlink;
  if (has("sources")) {
    if (has("attention-ranks"))
      throw InputError("--sources", "given beside --attention-ranks", "one of the two");
    exchange.attention_ranks = parse_number<int>("sources", values_.at("sources")) *
                               (nvlink ? 1 : exchange.gpus_per_domain);
  }
  if (has("preset")) {
    // A preset looks at the exchange's size and payload, and flags that are given win over it.
    model::apply_preset(values_.at("preset"), exchange);
    apply_fields();
  }
  if (nvlink && !has("gpus-per-domain"))
    exchange.gpus_per_domain = exchange.ffn_ranks + exchange.attention_ranks;
  if (!has("capacity")) exchange.capacity = std::max(exchange.capacity, exchange.tokens);
  const std::vector<std::string> problems = exchange.validate();
  if (!problems.empty()) {
    std::string all;
    for (const std::string& problem : problems) all += (all.empty() ? "" : "; ") + problem;
    throw InputError("exchange", all);
  }
  if (has("routing")) exchange.routing = read_routing(values_.at("routing"), exchange);
  return exchange;
}

std::string ExchangeSettings::profile_name() const {
  if (has("profile")) return values_.at("profile");
  const bool nvlink = has("path") && values_.at("path") == "nvlink";
  return nvlink ? "h200-nvlink-domain" : "h100-4x-cx7-ndr400";
}

void ExchangeFlags::add_to(CLI::App& verb, bool grid) {
  for (const ExchangeFlag& flag : exchange_flags()) {
    const std::string name(flag.name);
    std::string help(flag.help);
    if (grid && name != "profile") help += "; a list spans the grid";
    CLI::Option* option = verb.add_option_function<std::vector<std::string>>(
        "--" + name,
        [this, name](const std::vector<std::string>& values) { given_[name] = values; }, help);
    option->group("Exchange");
    if (name == "fix") {
      option->expected(1, 9);
    } else if (name == "collect-view" || name == "combine-flush" || name == "one-gpu") {
      option->expected(0, 1);
    } else {
      option->expected(1);
    }
  }
}

ExchangeSettings ExchangeFlags::settings() const {
  ExchangeSettings settings;
  for (const auto& [name, values] : given_) {
    std::string text;
    // Only --fix takes several values: 4 8 is 4+8.
    for (const std::string& value : values) text += (text.empty() ? "" : "+") + value;
    settings.set(name, text);
  }
  return settings;
}

std::vector<ExchangeSettings> ExchangeFlags::grid() const {
  std::vector<ExchangeSettings> grid(1);
  for (const ExchangeFlag& flag : exchange_flags()) {
    const auto given = given_.find(std::string(flag.name));
    if (given == given_.end()) continue;
    const std::string text = given_text(given->first);
    const std::vector<std::string> values =
        flag.name == "profile" ? std::vector{text} : split(text, ',');
    std::vector<ExchangeSettings> larger;
    for (const ExchangeSettings& settings : grid) {
      for (const std::string& value : values)
        larger.emplace_back(settings).set(given->first, value);
    }
    grid = std::move(larger);
  }
  return grid;
}

std::vector<std::string> ExchangeFlags::given() const {
  std::vector<std::string> names;
  for (const ExchangeFlag& flag : exchange_flags()) {
    if (given_.count(std::string(flag.name)) > 0) names.emplace_back(flag.name);
  }
  return names;
}

std::string ExchangeFlags::given_text(const std::string& name) const {
  const auto given = given_.find(name);
  if (given == given_.end()) return {};
  std::string text;
  for (const std::string& value : given->second) text += (text.empty() ? "" : "+") + value;
  return text;
}

}  // namespace fanin::experiments

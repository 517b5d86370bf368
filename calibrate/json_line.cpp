#include "json_line.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "fanin/hw/error.hpp"

namespace fanin::calibrate {
namespace {

using Json = nlohmann::json;

/// Keys are looked up one by one, which is the fastest for the few that a record has.
constexpr std::size_t kMostFields = 1000;

/// Words that other writers use for numbers that JSON does not have.
std::string_view not_a_number(std::string_view rest) {
  static constexpr std::array<std::string_view, 6> words = {"NaN", "nan",       "Infinity",
                                                            "inf", "-Infinity", "-inf"};
  for (const std::string_view word : words) {
    if (rest.starts_with(word)) return word;
  }
  return {};
}

}  // namespace

/// Parser events of one line. Depth 1 is inside the object; deeper containers are skipped over,
/// except a list of plain numbers.
struct JsonLine::Handler : nlohmann::json_sax<Json> {
  Handler(JsonLine& out, std::string_view text, const std::string& place)
      : line(out), source(text), where(place) {}

  bool null() override { return scalar(LineValue::Kind::null); }
  bool boolean(bool flag) override {
    if (!scalar(LineValue::Kind::boolean)) return false;
    if (depth == 1) current->flag = flag;
    return true;
  }
  bool number_integer(number_integer_t number) override {
    return real(static_cast<double>(number));
  }
  bool number_unsigned(number_unsigned_t number) override {
    return real(static_cast<double>(number));
  }
  bool number_float(number_float_t number, const string_t&) override { return real(number); }
  bool string(string_t& text) override {
    if (!scalar(LineValue::Kind::text)) return false;
    if (depth == 1) current->text.swap(text);
    return true;
  }
  bool binary(binary_t&) override { return scalar(LineValue::Kind::other); }
  bool start_object(std::size_t) override {
    if (depth >= 1) current->kind = LineValue::Kind::other;
    ++depth;
    return true;
  }
  bool end_object() override {
    --depth;
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth == 0) no_object();
    current->kind = depth == 1 ? LineValue::Kind::numbers : LineValue::Kind::other;
    ++depth;
    return true;
  }
  bool end_array() override {
    --depth;
    return true;
  }
  bool key(string_t& name) override {
    if (depth != 1) return true;
    if (line.find(name) != nullptr)
      throw InputError(where + ": " + name, "occurs twice", "each field once");
    if (line.used_ == kMostFields) {
      throw InputError(where, "more than " + std::to_string(kMostFields) + " fields",
                       "one measurement a line");
    }
    current = &line.next();
    current->key.swap(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const Json::exception& error) override {
    const std::size_t at = position == 0 ? 0 : std::min(position - 1, source.size());
    const std::string field = current != nullptr ? ": " + current->key : std::string{};
    // The parser may stop one character into "-Infinity".
    for (const std::size_t start : {at == 0 ? at : at - 1, at}) {
      const std::string_view word = not_a_number(source.substr(start));
      if (!word.empty()) throw InputError(where + field, std::string(word), "a finite number");
    }
    if (error.id == 406) throw InputError(where + field, "number too large", "a finite number");
    const bool cut = at >= source.size();
    throw InputError(
        where,
        cut ? "JSON ends in the middle of the object, at column " + std::to_string(at + 1)
            : "malformed JSON at column " + std::to_string(at + 1),
        "one JSON object a line");
  }

  [[noreturn]] void no_object() const {
    throw InputError(where, "the line is no JSON object", "one JSON object a line");
  }

  /// Takes a value of the given kind at depth 1; inside a list everything but numbers makes it
  /// `other`.
  bool scalar(LineValue::Kind kind) {
    if (depth == 0) no_object();
    current->kind = depth == 1 ? kind : LineValue::Kind::other;
    return true;
  }
  bool real(double number) {
    if (depth == 0) no_object();
    if (depth == 1) {
      current->kind = LineValue::Kind::number;
      current->number = number;
    } else if (depth == 2 && current->kind == LineValue::Kind::numbers) {
      current->numbers.push_back(number);
    }
    return true;
  }

  JsonLine& line;
  std::string_view source;
  const std::string& where;
  LineValue* current = nullptr;
  int depth = 0;
};

LineValue& JsonLine::next() {
  if (used_ == entries_.size()) entries_.emplace_back();
  LineValue& entry = entries_[used_++];
  entry.kind = LineValue::Kind::null;
  entry.numbers.clear();
  return entry;
}

const LineValue* JsonLine::find(std::string_view key) const {
  for (const LineValue& entry : values()) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

void JsonLine::parse(std::string_view line, const std::string& where) {
  used_ = 0;
  Handler handler(*this, line, where);
  Json::sax_parse(line.begin(), line.end(), &handler);
}

}  // namespace fanin::calibrate

// One flat JSON object, as it stands on a line of JSONL: keys in their order, each with a scalar, a
// list of numbers, or "something else". Built by a streaming parser, so that nothing is allocated
// per line once the buffers have grown.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fanin::calibrate {

struct LineValue {
  enum class Kind { null, boolean, number, text, numbers, other };
  std::string key;
  Kind kind = Kind::null;
  bool flag = false;            ///< boolean
  double number = 0.0;          ///< number
  std::string text;             ///< text
  std::vector<double> numbers;  ///< numbers, and the empty list
};

class JsonLine {
 public:
  /// Replaces what was parsed before. Throws InputError with `where` in front for malformed JSON, a
  /// line that is no object, NaN and Infinity, numbers outside double, a key that occurs twice, and
  /// more than 1000 fields.
  void parse(std::string_view line, const std::string& where);

  std::span<const LineValue> values() const { return {entries_.data(), used_}; }

  /// nullptr when the line has no such key.
  const LineValue* find(std::string_view key) const;

 private:
  struct Handler;
  LineValue& next();
  std::vector<LineValue> entries_;
  std::size_t used_ = 0;
};

}  // namespace fanin::calibrate

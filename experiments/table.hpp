// A readable table on stdout: columns as wide as their widest cell, two spaces between them.
#pragma once

#include <string>
#include <vector>

namespace fanin::experiments {

class Table {
 public:
  /// `alignment` has one letter a column, l(eft) or r(ight); columns that it leaves out are right.
  explicit Table(std::vector<std::string> headings, std::string alignment = "l");

  /// Adds a row; missing cells stay empty. Throws std::logic_error when there are too many.
  void row(std::vector<std::string> cells);

  bool empty() const { return rows_.empty(); }
  std::string text() const;
  void print() const;

 private:
  std::vector<std::string> headings_;
  std::string alignment_;
  std::vector<std::vector<std::string>> rows_;
};

/// `value` with that many digits after the point; "-" when it is not finite.
std::string fixed(double value, int digits);

/// `value` with that many significant digits, without an exponent where it is short; "-" when it is
/// not finite.
std::string significant(double value, int digits);

/// "[low, high]" with that many significant digits.
std::string interval(double low, double high, int digits);

}  // namespace fanin::experiments

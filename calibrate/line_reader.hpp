// A text file line by line, with the place for error messages.
#pragma once

#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace fanin::calibrate {

class LineReader {
 public:
  /// Throws InputError for a directory, a missing or unreadable file.
  explicit LineReader(std::string path);

  /// The next line that is not blank, without its end and without a byte order mark; nullopt at the
  /// end. Valid until the next call. Throws InputError when the file has no such line at all, or
  /// holds a line longer than 64 MiB.
  std::optional<std::string_view> next();

  /// "path:line" of the line that next() gave last.
  std::string where() const { return path_ + ':' + std::to_string(number_); }
  std::size_t line() const { return number_; }

 private:
  std::string path_;
  std::ifstream stream_;
  std::string line_;
  std::size_t number_ = 0;
  bool any_ = false;
};

}  // namespace fanin::calibrate

// A table of comma-separated values row by row (RFC 4180).
#pragma once

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace fanin::calibrate {

class CsvTable {
 public:
  /// Reads the header. Throws InputError for what cannot be opened, an empty file, and headers that
  /// are empty or occur twice.
  CsvTable(std::string path, char separator);

  const std::vector<std::string>& header() const { return header_; }

  /// The next row into `cells`, as many as the header has; false at the end. Blank lines do not
  /// count. Throws InputError with the line for another number of cells and an open quote.
  bool next(std::vector<std::string>& cells);

  /// "path:line" of the row that next() gave last; the line on which it starts.
  std::string where() const;
  std::size_t line() const { return start_; }

 private:
  bool read(std::vector<std::string>& cells);

  std::string path_;
  char separator_;
  std::ifstream stream_;
  std::vector<std::string> header_;
  std::size_t line_ = 1;   ///< of the next character
  std::size_t start_ = 1;  ///< of the row
};

/// A cell as the table writes it: quoted where it holds separators, quotes or line ends.
std::string csv_cell(std::string_view text, char separator);

}  // namespace fanin::calibrate

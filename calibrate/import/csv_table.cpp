#include "csv_table.hpp"

#include <set>
#include <utility>

#include "fanin/hw/atomic_file.hpp"
#include "fanin/hw/error.hpp"

namespace fanin::calibrate {
namespace {

constexpr std::size_t kLongestRow = std::size_t{16} << 20;

void trim(std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return text.clear();
  text.erase(text.find_last_not_of(" \t") + 1);
  text.erase(0, first);
}

}  // namespace

CsvTable::CsvTable(std::string path, char separator)
    : path_(std::move(path)), separator_(separator) {
  require_readable(path_);
  stream_.open(path_, std::ios::binary);
  if (!stream_) throw InputError(path_, "cannot be opened");
  if (!read(header_)) throw InputError(path_, "is empty", "a header line and rows");
  if (header_.front().starts_with("\xEF\xBB\xBF")) header_.front().erase(0, 3);
  constexpr std::size_t kMostColumns = 1000;
  if (header_.size() > kMostColumns) {
    throw InputError(where(), std::to_string(header_.size()) + " columns",
                     "at most " + std::to_string(kMostColumns));
  }
  std::set<std::string> seen;
  for (std::string& name : header_) {
    trim(name);
    if (name.empty()) throw InputError(where(), "a column without a name", "a header line");
    if (!seen.insert(name).second)
      throw InputError(where(), "column '" + name + "' occurs twice", "each column once");
  }
}

std::string CsvTable::where() const { return path_ + ':' + std::to_string(start_); }

bool CsvTable::next(std::vector<std::string>& cells) {
  if (!read(cells)) return false;
  for (std::string& cell : cells) trim(cell);
  if (cells.size() == header_.size()) return true;
  throw InputError(where(), std::to_string(cells.size()) + " cells",
                   std::to_string(header_.size()) + ", as many as the header has");
}

bool CsvTable::read(std::vector<std::string>& cells) {
  std::streambuf& buffer = *stream_.rdbuf();
  constexpr int kEnd = std::char_traits<char>::eof();
  for (;;) {
    cells.assign(1, {});
    start_ = line_;
    bool quoted = false;
    bool any = false;
    std::size_t length = 0;
    int c = buffer.sbumpc();
    if (c == kEnd) return false;
    for (; c != kEnd; c = buffer.sbumpc()) {
      if (c == '\n') ++line_;
      if (++length > kLongestRow)
        throw InputError(where(), "a row of more than 16 MiB", "one measurement a row");
      if (c == '"') {
        if (quoted && buffer.sgetc() == '"') {
          cells.back() += static_cast<char>(buffer.sbumpc());
        } else {
          quoted = !quoted;
        }
        any = true;
      } else if (!quoted && c == separator_) {
        cells.emplace_back();
        any = true;
      } else if (!quoted && c == '\n') {
        break;
      } else if (quoted || c != '\r') {
        cells.back() += static_cast<char>(c);
        any = any || (c != ' ' && c != '\t');
      }
    }
    if (quoted) throw InputError(where(), "a quote that is never closed", "\"…\" around the cell");
    if (any) return true;
  }
}

std::string csv_cell(std::string_view text, char separator) {
  if (text.find_first_of("\"\r\n") == std::string_view::npos &&
      text.find(separator) == std::string_view::npos) {
    return std::string(text);
  }
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + '"';
}

}  // namespace fanin::calibrate

#include "line_reader.hpp"

#include <utility>

#include "fanin/hw/atomic_file.hpp"
#include "fanin/hw/error.hpp"

namespace fanin::calibrate {

LineReader::LineReader(std::string path) : path_(std::move(path)) {
  require_readable(path_);
  stream_.open(path_, std::ios::binary);
  if (!stream_) throw InputError(path_, "cannot be opened");
}

std::optional<std::string_view> LineReader::next() {
  constexpr std::size_t kLongest = std::size_t{64} << 20;
  while (std::getline(stream_, line_)) {
    ++number_;
    if (line_.size() > kLongest)
      throw InputError(where(), "a line of more than 64 MiB", "one row a line");
    std::string_view line = line_;
    if (number_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    any_ = true;
    return line;
  }
  if (stream_.bad()) throw InputError(path_, "cannot be read to its end");
  if (!any_) throw InputError(path_, "is empty", "at least one row");
  return std::nullopt;
}

}  // namespace fanin::calibrate

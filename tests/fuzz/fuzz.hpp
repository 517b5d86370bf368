// What the fuzz targets share: InputError is the right answer to bad input, everything else is a
// find.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fanin/calibrate/record.hpp"
#include "fanin/hw/atomic_file.hpp"
#include "fanin/hw/error.hpp"

namespace fanin::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// The input as a file, for readers that take paths. One file a process, overwritten each time.
inline std::string file_of(const std::uint8_t* data, std::size_t size) {
  static const std::string path = "/dev/shm/fanin_fuzz_" + std::to_string(::getpid());
  write_file(path, text_of(data, size));
  return path;
}

template <typename Read>
int expect_input_errors(const Read& read) {
  try {
    read();
  } catch (const InputError&) {
    return 0;
  }
  return 0;
}

/// What an importer makes must be readable as a record.
inline void read_back(const calibrate::Record& record) {
  if (!calibrate::parse_record(calibrate::to_json_line(record), "fuzz:1")) __builtin_trap();
}

}  // namespace fanin::fuzz

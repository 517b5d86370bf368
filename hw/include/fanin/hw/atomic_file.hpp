// Whole files read and written in one go: a file that is written is complete or is not there.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace fanin {

/// Writes a temporary file beside `path` piece by piece; commit() renames it to `path`. Without
/// commit the destructor removes it, and what was at `path` before stays as it was.
/// Every failure is thrown as InputError that names `path` and the system's reason.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  std::string path_;
  std::string temporary_;
  std::FILE* file_ = nullptr;
};

/// AtomicFile in one call.
void write_file(const std::string& path, std::string_view bytes);

/// The whole file. Throws InputError for a directory, a missing file and one without permission.
std::string read_file(const std::string& path);

/// Throws the error that read_file would throw at opening; the right first step for streaming
/// readers.
void require_readable(const std::string& path);

}  // namespace fanin

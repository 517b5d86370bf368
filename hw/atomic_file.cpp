#include "fanin/hw/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "fanin/hw/error.hpp"

namespace fanin {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& doing, int error) {
  throw InputError(path, doing + ": " + std::strerror(error));
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    throw InputError(path_, "is a directory", "the name of a file to write");
  }
  // The process id keeps two programs that write the same file apart; the rename decides who wins.
  temporary_ = path_ + ".tmp" + std::to_string(::getpid());
  const int descriptor = ::open(temporary_.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) fail(path_, "cannot be written", errno);
  file_ = ::fdopen(descriptor, "w");
  if (file_ == nullptr) {
    const int error = errno;
    ::close(descriptor);
    ::unlink(temporary_.c_str());
    fail(path_, "cannot be written", error);
  }
}

AtomicFile::~AtomicFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) {
    fail(path_, "cannot be written", errno);
  }
}

void AtomicFile::commit() {
  const bool flushed = std::fflush(file_) == 0;
  const int error = errno;
  const bool closed = std::fclose(file_) == 0;
  file_ = nullptr;
  if (!flushed || !closed) {
    ::unlink(temporary_.c_str());
    fail(path_, "cannot be written", flushed ? errno : error);
  }
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int reason = errno;
    ::unlink(temporary_.c_str());
    fail(path_, "cannot be written", reason);
  }
}

void write_file(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void require_readable(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) fail(path, "cannot be opened", errno);
  if (S_ISDIR(status.st_mode)) throw InputError(path, "is a directory", "a file");
  if (::access(path.c_str(), R_OK) != 0) fail(path, "cannot be opened", errno);
}

std::string read_file(const std::string& path) {
  require_readable(path);
  std::ifstream stream(path, std::ios::binary);
  if (!stream) fail(path, "cannot be opened", errno);
  std::string text;
  std::array<char, 1 << 16> block{};
  while (stream.read(block.data(), block.size()) || stream.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) fail(path, "cannot be read", errno);
  return text;
}

}  // namespace fanin

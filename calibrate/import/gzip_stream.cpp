#include "gzip_stream.hpp"

#include <cstring>

#include "fanin/hw/atomic_file.hpp"
#include "fanin/hw/error.hpp"

namespace fanin::calibrate {

GzipBuffer::GzipBuffer(const std::string& path) : path_(path) {
  require_readable(path);
  file_.reset(gzopen(path.c_str(), "rb"));
  if (file_ == nullptr) throw InputError(path, "cannot be opened");
}

GzipBuffer::int_type GzipBuffer::underflow() {
  const int count = gzread(file_.get(), block_.data(), static_cast<unsigned>(block_.size()));
  int code = Z_OK;
  const char* message = gzerror(file_.get(), &code);
  if (count < 0 || (code != Z_OK && code != Z_STREAM_END)) {
    throw InputError(path_, std::string("gzip data are damaged or cut: ") + message,
                     "a whole file");
  }
  if (count == 0) return traits_type::eof();
  constexpr std::size_t kLongest = std::size_t{64} << 20;
  const bool quote = std::memchr(block_.data(), '"', static_cast<std::size_t>(count)) != nullptr;
  without_quote_ = quote ? 0 : without_quote_ + static_cast<std::size_t>(count);
  if (without_quote_ > kLongest)
    throw InputError(path_, "64 MiB without a quote", "a trace of events");
  setg(block_.data(), block_.data(), block_.data() + count);
  return traits_type::to_int_type(block_[0]);
}

}  // namespace fanin::calibrate

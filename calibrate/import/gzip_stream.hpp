// A file as a stream buffer, unpacked on the way when it is gzip.
#pragma once

#include <zlib.h>

#include <array>
#include <memory>
#include <streambuf>
#include <string>

namespace fanin::calibrate {

class GzipBuffer : public std::streambuf {
 public:
  /// Throws InputError for what cannot be opened. Reading throws it for damaged or cut gzip data,
  /// and for 64 MiB without a quote, which no trace has and which would have to be held in memory.
  explicit GzipBuffer(const std::string& path);

 protected:
  int_type underflow() override;

 private:
  struct Close {
    void operator()(gzFile file) const { gzclose(file); }
  };
  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
  std::array<char, 1 << 16> block_{};
  std::size_t without_quote_ = 0;
};

}  // namespace fanin::calibrate

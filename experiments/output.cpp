#include "output.hpp"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "fanin/hw/error.hpp"

namespace fanin::experiments {

void print_json(const Json& object) {
  const std::string line = object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::fputs(line.c_str(), stdout);
}

void write_file(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".tmp." + std::to_string(::getpid());
  {
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    if (!file) {
      std::error_code ignored;
      std::filesystem::remove(temporary, ignored);
      throw InputError(path, "cannot be written", "a file in a folder that exists and is writable");
    }
  }
  std::error_code failure;
  std::filesystem::rename(temporary, path, failure);
  if (failure) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw InputError(path, "cannot be written: " + failure.message(), "the path of a file");
  }
}

std::string read_file(const std::string& path) {
  std::error_code failure;
  if (std::filesystem::is_directory(path, failure)) {
    throw InputError(path, "is a directory", "a file");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path, "cannot be opened", "a readable file");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace fanin::experiments

#include <cxxabi.h>

#include <algorithm>

#include <cstdlib>
#include <memory>

#include "fanin/calibrate/kernel_tracer.hpp"

namespace fanin::calibrate {

std::string kernel_name(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  std::string name = status == 0 ? plain.get() : symbol;
  name.erase(std::min(name.find_first_of("<("), name.size()));
  const std::size_t begin = name.find_last_of(": ");
  return begin == std::string::npos ? name : name.substr(begin + 1);
}

}  // namespace fanin::calibrate

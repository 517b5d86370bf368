#include "output.hpp"

#include <cstdio>
#include <string>

namespace fanin::experiments {

void print_json(const Json& object) {
  const std::string line = object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::fputs(line.c_str(), stdout);
}

}  // namespace fanin::experiments

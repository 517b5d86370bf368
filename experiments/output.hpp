// What verbs write on stdout. Files are written by fanin/hw/atomic_file.hpp.
#pragma once

#include <nlohmann/json.hpp>

#include "fanin/hw/atomic_file.hpp"  // IWYU pragma: export

namespace fanin::experiments {

using Json = nlohmann::ordered_json;

/// One line on stdout. Numbers that are not finite become null.
void print_json(const Json& object);

}  // namespace fanin::experiments

// What verbs print with --json: one JSON object on stdout, nothing else.
#pragma once

#include <nlohmann/json.hpp>

namespace fanin::experiments {

using Json = nlohmann::ordered_json;

/// One line on stdout. Numbers that are not finite become null.
void print_json(const Json& object);

}  // namespace fanin::experiments

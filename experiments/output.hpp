// What verbs write: one JSON object on stdout, or a file that is never seen half written.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace fanin::experiments {

using Json = nlohmann::ordered_json;

/// One line on stdout. Numbers that are not finite become null.
void print_json(const Json& object);

/// Writes to a temporary file beside `path`, then renames it. Throws InputError that names `path`
/// when that is not possible.
void write_file(const std::string& path, const std::string& text);

/// The whole file. Throws InputError that names `path` for what cannot be read as a file.
std::string read_file(const std::string& path);

}  // namespace fanin::experiments

// The laws that there are.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "fanin/model/law.hpp"

namespace fanin::model {

/// Laws over channels and sources first, then those over tokens, then those for tables that state
/// little more than a number of SMs or ranks.
std::span<const Law> law_family();

/// nullptr when there is no such law. "linear" is another name of H_A.
const Law* find_law(std::string_view name);

/// "H_A, H_B, …", for messages.
std::string law_names();

}  // namespace fanin::model

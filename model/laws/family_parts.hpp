// The parts that law_family() is put together from, one file each.
#pragma once

#include <vector>

#include "fanin/model/law.hpp"

namespace fanin::model::laws {

std::vector<Law> channel_laws();
std::vector<Law> token_laws();
std::vector<Law> table_laws();

}  // namespace fanin::model::laws

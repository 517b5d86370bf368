// Protocol fixes as users write them.
#pragma once

#include <string_view>
#include <vector>

#include "fanin/model/exchange.hpp"

namespace fanin::model {

/// "none" or "": no fix; "4", "4+8", "4:k=8+8": the inverse of fixes_to_string. Throws InputError
/// ("fix") for a number outside 1…kFixes (fixes.hpp), one that occurs twice, and options that are
/// not name=value. Which options a fix has is its protocol's business, not checked here.
std::vector<Fix> parse_fixes(std::string_view text);

}  // namespace fanin::model

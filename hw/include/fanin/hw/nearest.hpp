// The known name that somebody who mistyped one probably meant.
#pragma once

#include <span>
#include <string_view>

namespace fanin {

/// The entry of `names` with the smallest edit distance to `name`, the first of equals; "" when
/// `names` is empty.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> names);

}  // namespace fanin

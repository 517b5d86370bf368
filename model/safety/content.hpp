// What a word holds, and what a step's effect does to it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fanin/model/safety_program.hpp"

namespace fanin::model::safety {

/// Exchanges count from 1 here, so that 0 is "none yet".
struct Content {
  std::uint8_t finish = 0;  ///< finish flags; of a row: 1 = full
  std::uint8_t first = 0;   ///< earliest exchange that contributed
  std::uint8_t last = 0;    ///< latest exchange that contributed
  std::uint8_t unused = 0;
  std::int32_t tokens = 0;
  bool operator==(const Content&) const = default;
};

/// Does the effect of a step of exchange `now` find the word as the protocol needs it?
inline bool is_right(const Effect& effect, const Content& content, int now) {
  switch (effect.action) {
    case Action::add:
    case Action::put: return true;
    case Action::check:
      // A reader tests the flag and compares the count: a flag too many harms only the clear.
      return (content.first == now || (effect.finish == 0 && effect.tokens == 0)) &&
             content.finish >= effect.finish && content.tokens == effect.tokens;
    case Action::clear:
      return content.last <= now && (content.first == 0 || content.first == now) &&
             content.finish == effect.finish && content.tokens == effect.tokens;
    case Action::fill: return content.finish == 0;
    case Action::take: return content.last == now && content.finish != 0;
  }
  return false;
}

/// What the word holds after the effect.
inline Content after(const Effect& effect, const Content& content, int now) {
  const auto tag = static_cast<std::uint8_t>(now);
  const auto finish = static_cast<std::uint8_t>(effect.finish);
  switch (effect.action) {
    case Action::add: {
      const std::uint8_t first = content.first == 0 ? tag : std::min(content.first, tag);
      return {static_cast<std::uint8_t>(content.finish + finish), first,
              std::max(content.last, tag), 0, content.tokens + effect.tokens};
    }
    case Action::put: return {finish, tag, tag, 0, effect.tokens};
    case Action::check: return content;
    case Action::clear: return {};
    case Action::fill: return {1, tag, tag, 0, 0};
    case Action::take: return {0, tag, tag, 0, 0};
  }
  return content;
}

/// Does the wait hold, when its words hold `content` and `other`?
inline bool holds(const Wait& wait, const Content& content, const Content& other) {
  switch (wait.condition) {
    case Condition::finish_at_least: return content.finish >= wait.amount;
    case Condition::tokens_at_least: return content.tokens >= wait.amount;
    case Condition::all_taken: return content.tokens == other.tokens;
  }
  return false;
}

}  // namespace fanin::model::safety

// Strong types for time, bytes and rates. Time is a signed 64-bit count of picoseconds: exact, so a
// simulation gives the same result everywhere, and it lasts 106 days before it overflows.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace fanin {

struct Picoseconds {
  std::int64_t count = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes a defaulted <=> for a 0
  constexpr auto operator<=>(const Picoseconds&) const = default;
  constexpr Picoseconds& operator+=(Picoseconds other) {
    count += other.count;
    return *this;
  }
  constexpr Picoseconds& operator-=(Picoseconds other) {
    count -= other.count;
    return *this;
  }
  friend constexpr Picoseconds operator+(Picoseconds a, Picoseconds b) {
    return {a.count + b.count};
  }
  friend constexpr Picoseconds operator-(Picoseconds a, Picoseconds b) {
    return {a.count - b.count};
  }
  friend constexpr Picoseconds operator*(Picoseconds a, std::int64_t n) { return {a.count * n}; }
  friend constexpr Picoseconds operator*(std::int64_t n, Picoseconds a) { return {a.count * n}; }

  constexpr double us() const { return static_cast<double>(count) * 1e-6; }
  constexpr double ns() const { return static_cast<double>(count) * 1e-3; }
};

/// Nearest picosecond.
inline Picoseconds from_us(double us) { return {std::llround(us * 1e6)}; }
inline Picoseconds from_ns(double ns) { return {std::llround(ns * 1e3)}; }

struct Bytes {
  std::int64_t count = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes a defaulted <=> for a 0
  constexpr auto operator<=>(const Bytes&) const = default;
};

/// Gigabytes per second, 1e9 bytes each (the network's meaning, not 2^30).
struct GigabytesPerSecond {
  double value = 0.0;
};

/// Nanoseconds that `bytes` take at `rate`; 0 when the rate is 0, which means "not a constraint".
/// A number of bytes that is only expected need not be whole.
constexpr double transfer_ns(double bytes, GigabytesPerSecond rate) {
  return rate.value > 0.0 ? bytes / rate.value : 0.0;
}

/// The same of whole bytes, to the nearest picosecond.
inline Picoseconds transfer_time(Bytes bytes, GigabytesPerSecond rate) {
  return {std::llround(transfer_ns(static_cast<double>(bytes.count) * 1e3, rate))};
}

}  // namespace fanin

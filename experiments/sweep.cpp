#include "sweep.hpp"

#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <limits>
#include <mutex>
#include <sstream>
#include <thread>

#include "fanin/hw/error.hpp"
#include "fanin/model/simulate.hpp"
#include "output.hpp"

namespace fanin::experiments {
namespace {

constexpr const char* kTime = ",\"exchange_us\":";

/// The flags that were given, as `"tokens":"8","fix":"4+8"`.
std::string key_of(const ExchangeSettings& settings, const std::vector<std::string>& flags) {
  Json members = Json::object();
  for (const std::string& flag : flags) members[flag] = settings.text(flag);
  const std::string text = members.dump();
  return text.substr(0, text.size() - 1);  // without the closing brace
}

/// `,"exchange_us":NUMBER}`
bool is_time(std::string_view text) {
  text.remove_prefix(std::char_traits<char>::length(kTime));
  double us = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), us);
  return error == std::errc{} && std::string_view(end, text.data() + text.size()) == "}" &&
         std::isfinite(us);
}

}  // namespace

Shard Shard::parse(const std::string& text) {
  const auto number = [](std::string_view part) {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    return error == std::errc{} && end == part.data() + part.size() ? value : 0;
  };
  const std::size_t slash = text.find('/');
  Shard shard{0, 0};
  if (slash != std::string::npos) {
    shard = {number(std::string_view(text).substr(0, slash)),
             number(std::string_view(text).substr(slash + 1))};
  }
  if (shard.index < 1 || shard.index > shard.count) {
    throw InputError("--shard", "'" + text + "'", "i/n with 1 <= i <= n");
  }
  return shard;
}

Sweep::Sweep(const std::vector<ExchangeSettings>& grid, const std::vector<std::string>& flags,
             Shard shard) {
  std::map<std::string, std::size_t> known;
  for (std::size_t i = shard.begin(grid.size()); i < shard.end(grid.size()); ++i) {
    SweepPoint point{key_of(grid[i], flags), grid[i].exchange(), 0};
    const std::string profile = grid[i].profile_name();
    const auto [entry, added] = known.try_emplace(profile, profiles_.size());
    if (added) profiles_.push_back(grid[i].profile());
    point.profile = entry->second;
    points_.push_back(std::move(point));
  }
  lines_.resize(points_.size());
  finished_.resize(points_.size());
}

std::size_t Sweep::resume(const std::string& jsonl) {
  std::map<std::string_view, std::size_t> by_key;
  for (std::size_t i = 0; i < points_.size(); ++i) by_key[points_[i].key] = i;
  std::size_t used = 0;
  std::istringstream in(jsonl);
  for (std::string line; std::getline(in, line);) {
    const std::size_t time = line.rfind(kTime);
    if (time == std::string::npos || !is_time(std::string_view(line).substr(time))) continue;
    const auto found = by_key.find(std::string_view(line).substr(0, time));
    if (found == by_key.end() || finished_[found->second]) continue;
    lines_[found->second] = line + '\n';
    finished_[found->second] = true;
    ++used;
  }
  return used;
}

double Sweep::time_of(const SweepPoint& point) const {
  model::SimulationOptions options;
  options.explain = false;
  return model::simulate(point.exchange, profile_of(point), options).exchange.us();
}

void Sweep::run(unsigned threads, const std::function<void(std::size_t done)>& progress) {
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> done{0};
  std::atomic<unsigned> running{threads};
  std::mutex failure_lock;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < points_.size(); i = next++) {
        if (!finished_[i]) {
          lines_[i] = points_[i].key + kTime + Json(time_of(points_[i])).dump() + "}\n";
          finished_[i] = true;
        }
        ++done;
      }
    } catch (...) {
      const std::lock_guard hold(failure_lock);
      if (!failure) failure = std::current_exception();
      next = points_.size();
    }
    --running;
  };
  std::vector<std::jthread> pool;
  for (unsigned i = 0; i < threads; ++i) pool.emplace_back(work);
  while (running > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    progress(done);
  }
  pool.clear();
  if (failure) std::rethrow_exception(failure);
}

std::string Sweep::lines() const {
  std::string all;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (finished_[i]) all += lines_[i];
  }
  return all;
}

std::vector<double> Sweep::times() const {
  std::vector<double> times;
  for (const std::string& line : lines_) {
    const std::size_t at = line.rfind(kTime);
    times.push_back(
        at == std::string::npos
            ? std::numeric_limits<double>::quiet_NaN()
            : std::strtod(line.c_str() + at + std::char_traits<char>::length(kTime), nullptr));
  }
  return times;
}

}  // namespace fanin::experiments

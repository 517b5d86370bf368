#include "fanin/model/sim/simulator.hpp"

#include <algorithm>
#include <stdexcept>

#include "fanin/model/stuck.hpp"

namespace fanin::sim {

void Simulator::add(Actor& actor) {
  if (actors_.size() >= kMaxActors)
    throw std::length_error("more actors than a simulator can number");
  actor.id_ = static_cast<ActorId>(actors_.size());
  actors_.push_back(&actor);
}

Picoseconds Simulator::next_time() const {
  return top_is_spent_ ? queue_.second_time() : queue_.empty() ? kNever : queue_.top_time();
}

void Simulator::run() {
  stopped_ = false;
  while (!queue_.empty() && !stopped_) step();
  if (!stopped_) check_nobody_waits();
}

bool Simulator::run_events(std::uint64_t limit) {
  for (; limit > 0 && !queue_.empty(); --limit) step();
  return !queue_.empty();
}

void Simulator::check_nobody_waits() const {
  std::vector<model::UnsatisfiedWait> waits;
  for (const Actor* actor : actors_) {
    std::string what = actor->waiting_for();
    if (!what.empty()) waits.push_back({actor->name(), std::move(what)});
  }
  if (!waits.empty()) throw model::SimulationStuck(std::move(waits));
}

}  // namespace fanin::sim

namespace fanin::model {
namespace {

std::string describe(const std::vector<UnsatisfiedWait>& waits) {
  std::string text = "simulation stuck";
  constexpr std::size_t kShown = 3;
  for (std::size_t i = 0; i < std::min(waits.size(), kShown); ++i) {
    text += (i == 0 ? ": " : "; ") + waits[i].who + " waits for " + waits[i].what;
  }
  if (waits.size() > kShown) text += "; and " + std::to_string(waits.size() - kShown) + " more";
  return text;
}

}  // namespace

SimulationStuck::SimulationStuck(std::vector<UnsatisfiedWait> waits)
    : std::runtime_error(describe(waits)), waits_(std::move(waits)) {}

}  // namespace fanin::model

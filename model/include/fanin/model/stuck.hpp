// What a simulation ends with when something waits that nothing will ever satisfy.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace fanin::model {

struct UnsatisfiedWait {
  std::string who;
  std::string what;
};

/// what() is one line that names the first three waits. waits() has them all.
class SimulationStuck : public std::runtime_error {
 public:
  explicit SimulationStuck(std::vector<UnsatisfiedWait> waits);
  const std::vector<UnsatisfiedWait>& waits() const noexcept { return waits_; }

 private:
  std::vector<UnsatisfiedWait> waits_;
};

}  // namespace fanin::model

// Input that the kernels' room cannot use: where it stands, what is wrong, what was expected.
#pragma once

#include <stdexcept>
#include <string>

namespace fanin::kernels {

class ConfigError : public std::runtime_error {
 public:
  ConfigError(std::string where, std::string problem, std::string expected)
      : std::runtime_error(where + ": " + problem + "; expected " + expected),
        where_(std::move(where)),
        problem_(std::move(problem)),
        expected_(std::move(expected)) {}

  const std::string& where() const noexcept { return where_; }
  const std::string& problem() const noexcept { return problem_; }
  const std::string& expected() const noexcept { return expected_; }

 private:
  std::string where_;
  std::string problem_;
  std::string expected_;
};

}  // namespace fanin::kernels

// What every room throws for input that it cannot use: one line that says where, what, and what was
// expected. The program prints it on stderr and exits with code 2.
#pragma once

#include <stdexcept>
#include <string>

namespace fanin {

class InputError : public std::runtime_error {
 public:
  /// where: "file:line", "--option" or a JSON path. what: what is wrong there. expected: what would
  /// be right; may be empty only when `what` already says it.
  InputError(std::string where, std::string what, std::string expected = {});

  const std::string& where() const noexcept { return where_; }
  const std::string& problem() const noexcept { return problem_; }
  const std::string& expected() const noexcept { return expected_; }

  /// The same error seen from further out, for example a field error inside a file: `outer` is put
  /// before the place, as in "records.jsonl:7: tokens".
  InputError at(const std::string& outer) const;

 private:
  std::string where_;
  std::string problem_;
  std::string expected_;
};

}  // namespace fanin

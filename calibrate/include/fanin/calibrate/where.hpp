// Selects records: 'set=a|b,tokens>=8,protocol!=symmetric'. A comma means and, `|` one of;
// operators are = != < <= > >=. A field that a record does not have matches only !=.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fanin/calibrate/record.hpp"

namespace fanin::calibrate {

class Where {
 public:
  /// Empty text selects everything. Throws InputError ("--where: …") that points at the clause.
  /// A value that a field cannot have matches nothing.
  static Where parse(std::string_view text);
  bool matches(const Record& record) const;

  /// The records that match, in their order. Throws InputError with the nearest known name when no
  /// record has a field that a clause other than != asks for.
  std::vector<Record> select(const std::vector<Record>& records) const;

 private:
  enum class Operator { equal, not_equal, less, less_equal, greater, greater_equal };
  struct Clause {
    std::string field;
    Operator op = Operator::equal;
    std::vector<std::string> values;  ///< as written; numbers and booleans are compared as such
    double bound = 0.0;               ///< of the ordering operators
  };
  std::vector<Clause> clauses_;
};

}  // namespace fanin::calibrate

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
  static Where parse(std::string_view text);
  bool matches(const Record& record) const;
  std::vector<Record> select(const std::vector<Record>& records) const;

 private:
  enum class Operator { equal, not_equal, less, less_equal, greater, greater_equal };
  struct Clause {
    std::string field;
    Operator op;
    std::vector<FieldValue> values;
  };
  std::vector<Clause> clauses_;
};

}  // namespace fanin::calibrate

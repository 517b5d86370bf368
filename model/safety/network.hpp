// RDMA queues: operations are posted by a step, and each becomes visible in a step of its own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "layout.hpp"

namespace fanin::model::safety {

/// One work request. A row WRITE reads its send buffer and fills its destination when it becomes
/// visible.
struct Operation {
  enum class Kind { row_write, signal_write, fetch_add };
  Kind kind = Kind::fetch_add;
  int context = 0;
  Gpu peer;
  std::string what;         ///< "row of token 3", "finish"
  std::string destination;  ///< name of the word or row written
  std::string source;       ///< row_write: name of the row read
  int finish = 0;
  int tokens = 0;
};

class Network {
 public:
  Network(Program& program, const Layout& layout) : program_(&program), layout_(&layout) {}

  /// Adds `step`, with the operations that it posts in this order, and the steps in which they
  /// become visible at their peers. Returns the posting step.
  int post(Step step, const Gpu& sender, bool from_ffn, const std::vector<Operation>& operations);

  /// A number for each warp or queue, by name.
  int group(const std::string& name);

 private:
  struct Posted {
    int poster;
    int visible;
    Operation::Kind kind;
  };

  bool is_local(const Gpu& sender, const Operation& operation) const;
  Effect signal_effect(const Operation& operation);
  void add_visible(int poster, int exchange, const Gpu& sender, bool from_ffn,
                   const Operation& operation);

  Program* program_;
  const Layout* layout_;
  std::map<std::string, std::vector<Posted>> queues_;
  std::map<std::string, int> groups_;
};

}  // namespace fanin::model::safety

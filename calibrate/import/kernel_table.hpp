// Which kernel of a trace is what.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fanin::calibrate {

struct KernelKind {
  std::string part;   ///< part of the kernel's name
  std::string label;  ///< its name in records
  bool anchor = false;
  std::string role;  ///< "ffn" or "attention" where only that role runs it, else ""
};

class KernelTable {
 public:
  /// Rows of `path` (none when empty), then the built-in ones. A not empty `anchor` replaces the
  /// anchors of the table. Throws InputError with file:line for malformed rows.
  KernelTable(const std::string& path, const std::string& anchor);

  /// nullptr when no row matches.
  const KernelKind* find(std::string_view kernel) const;

  /// Parts of the names that start an exchange, for error messages.
  std::string anchors() const;

 private:
  void add(std::string_view text, const std::string& place);
  std::vector<KernelKind> kinds_;
};

}  // namespace fanin::calibrate

#include "kernel_table.hpp"

#include <algorithm>
#include <sstream>

#include "fanin/calibrate/trace_import.hpp"
#include "fanin/hw/atomic_file.hpp"
#include "fanin/hw/error.hpp"

namespace fanin::calibrate {
namespace {

// Longer names first: "hybrid_dispatch_impl" holds "dispatch_impl".
constexpr std::string_view kBuiltIn =
    R"(# PART of the kernel's name    LABEL in records           anchor   role
# role-specialised exchange between domains
afdep_source_finalize        afdep_source_finalize               attention
afdep_hybrid_collect         afdep_hybrid_collect_impl           attention
afdep_ffn_complete           afdep_ffn_complete                  ffn
hybrid_dispatch              hybrid_dispatch            anchor
hybrid_combine               hybrid_combine
# DeepEP V2, and the exchange inside one domain
dispatch_copy_epilogue       dispatch_copy_epilogue
dispatch_deterministic_prologue  dispatch_prologue
combine_reduce_epilogue      combine_reduce_epilogue
dispatch_impl                dispatch_impl              anchor
combine_impl                 combine_impl
# DeepEP legacy low latency
internode_ll::dispatch       dispatch_impl              anchor
internode_ll::combine        combine_impl
)";

}  // namespace

std::string kernel_table() { return std::string(kBuiltIn); }

KernelTable::KernelTable(const std::string& path, const std::string& anchor) {
  if (!path.empty()) add(read_file(path), path);
  add(kBuiltIn, "built-in table");
  if (anchor.empty()) return;
  bool named = false;
  for (KernelKind& kind : kinds_) {
    kind.anchor = kind.part == anchor || kind.label == anchor;
    named = named || kind.anchor;
  }
  if (!named) kinds_.insert(kinds_.begin(), KernelKind{anchor, anchor, true, {}});
}

void KernelTable::add(std::string_view text, const std::string& place) {
  std::istringstream lines{std::string(text)};
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    KernelKind kind;
    if (!(words >> kind.part)) continue;
    const auto fail = [&](const std::string& what) {
      throw InputError(place + ":" + std::to_string(number), what,
                       "PART LABEL [anchor] [ffn|attention]");
    };
    if (!(words >> kind.label)) fail("no label for '" + kind.part + "'");
    std::string word;
    while (words >> word) {
      if (word == "anchor") {
        kind.anchor = true;
      } else if (word == "ffn" || word == "attention") {
        kind.role = word;
      } else {
        fail("'" + word + "'");
      }
    }
    kinds_.push_back(std::move(kind));
  }
}

const KernelKind* KernelTable::find(std::string_view kernel) const {
  const auto it = std::find_if(kinds_.begin(), kinds_.end(), [&](const KernelKind& kind) {
    return kernel.find(kind.part) != std::string_view::npos;
  });
  return it == kinds_.end() ? nullptr : &*it;
}

std::string KernelTable::anchors() const {
  std::string text;
  for (const KernelKind& kind : kinds_) {
    if (kind.anchor) text += (text.empty() ? "" : " ") + kind.part;
  }
  return text;
}

}  // namespace fanin::calibrate

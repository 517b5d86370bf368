#include "fanin/kernels/stall.hpp"

#include <cstdio>

namespace fanin::kernels {

const char* to_string(KernelId kernel) {
  switch (kernel) {
    case KernelId::none: return "none";
    case KernelId::attention_dispatch: return "attention_dispatch";
    case KernelId::attention_finalize: return "attention_finalize";
    case KernelId::attention_collect: return "attention_collect";
    case KernelId::attention_reduce: return "attention_reduce";
    case KernelId::ffn_dispatch: return "ffn_dispatch";
    case KernelId::ffn_copy: return "ffn_copy";
    case KernelId::ffn_combine: return "ffn_combine";
    case KernelId::ffn_complete: return "ffn_complete";
    case KernelId::nic: return "nic";
    case KernelId::probe: return "probe";
    case KernelId::gate: return "gate";
  }
  return "unknown";
}

const char* to_string(WordKind word) {
  switch (word) {
    case WordKind::none: return "none";
    case WordKind::grid_barrier: return "grid_barrier";
    case WordKind::domain_barrier: return "domain_barrier";
    case WordKind::expert_counts: return "expert_counts";
    case WordKind::source_counts: return "source_counts";
    case WordKind::domain_counts: return "domain_counts";
    case WordKind::tail: return "tail";
    case WordKind::scale_up_tail: return "scale_up_tail";
    case WordKind::finish: return "finish";
    case WordKind::queue_space: return "queue_space";
    case WordKind::completion: return "completion";
    case WordKind::start: return "start";
    case WordKind::nic_server: return "nic_server";
    case WordKind::nic_copy: return "nic_copy";
    case WordKind::row_loaded: return "row_loaded";
    case WordKind::stage_left: return "stage_left";
  }
  return "unknown";
}

std::string describe(const StallReport& report) {
  char text[256];
  std::snprintf(
      text, sizeof text, "%s (rank %d) block %d warp %d: %s[%lld] expected 0x%llx, saw 0x%llx",
      to_string(report.kernel), report.rank, report.block, report.warp, to_string(report.word),
      static_cast<long long>(report.index), static_cast<unsigned long long>(report.expected),
      static_cast<unsigned long long>(report.seen));
  return text;
}

}  // namespace fanin::kernels

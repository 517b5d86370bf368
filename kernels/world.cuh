// Memory of every rank of one exchange, on one device, and moving inputs and deliveries.
#pragma once

#include <cuda_runtime.h>

#include <map>
#include <vector>

#include "fanin/kernels/cuda_check.cuh"
#include "fanin/kernels/reference.hpp"
#include "fanin/kernels/run.hpp"
#include "roles/domain.cuh"

namespace fanin::kernels {

/// One device allocation handed out front to back; the contents of a fresh one are zero.
class Arena {
 public:
  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Adds to what allocate() will hold; returns the offset.
  std::size_t reserve(std::size_t bytes);
  void allocate();
  char* at(std::size_t offset) const { return base_ + offset; }
  void fill(std::size_t begin, std::size_t end, int byte) const;
  std::size_t size() const { return size_; }

 private:
  char* base_ = nullptr;
  std::size_t size_ = 0;
};

class World {
 public:
  World(const RunConfig& config, int most_ctas);

  const Shape& shape() const { return shape_; }
  /// `source`: an Attention rank, 0 … S·U − 1.
  roles::SourceMemory source(int source) const {
    return sources_[static_cast<std::size_t>(source)];
  }
  roles::FfnMemory ffn(int ffn) const { return ffns_[static_cast<std::size_t>(ffn)]; }
  /// The GPUs of one rail.
  roles::FfnPeers ffn_peers(int rail) const;
  roles::SourcePeers source_peers(int rail) const;
  /// The domain of an FFN rank, as that rank sees it.
  roles::Domain domain(int ffn) const;
  StallReport* stall_report() const { return report_; }

  /// Placement and stamp buffers of one kernel of one rank.
  roles::Trace trace(int rank, KernelId kernel) const;

  /// Draws and uploads inputs, and poisons everything that an exchange delivers.
  void load(std::uint64_t seed);
  /// Compares what the last exchange delivered with the inputs last loaded.
  CheckResult check() const;
  /// Words that must be zero between exchanges.
  CheckResult check_words() const;

  std::vector<Placement> placement() const;
  std::vector<WarpStamps> stamps() const;
  std::vector<std::vector<std::uint64_t>> matched_ns() const;
  /// Throws RunFailure when a spin has timed out.
  void throw_if_stalled() const;

 private:
  void lay_out(const RunConfig& config);
  void lay_out_traces();
  FfnDelivery fetch_ffn(int ffn) const;
  SourceDelivery fetch_source(int source) const;

  Shape shape_;
  std::vector<int> tokens_;
  std::vector<std::int32_t> routing_;
  int most_ctas_;
  bool stamped_;
  Arena arena_;
  /// Apart, so that stamps do not move the words and rows of the exchange: where those lie changes
  /// its time by up to 4%.
  Arena trace_arena_;
  std::size_t words_end_ = 0;  ///< [0, words_end_): words and workspaces, zero between exchanges
  std::size_t poison_end_ =
      0;  ///< [words_end_, poison_end_): rows, poisoned before a checked block
  std::vector<roles::SourceMemory> sources_;
  std::vector<roles::FfnMemory> ffns_;
  std::map<std::pair<int, KernelId>, roles::Trace> traces_;
  StallReport* report_ = nullptr;
  std::vector<SourceData> data_;
};

}  // namespace fanin::kernels

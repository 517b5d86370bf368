#include "fanin/model/sim/stream.hpp"

#include <gtest/gtest.h>

#include "fanin/model/stuck.hpp"

namespace fanin::sim {
namespace {

/// Runs a fixed time after its predecessor has ended; may let its successor start early.
class TimedKernel final : public Actor, public KernelBody {
 public:
  TimedKernel(Simulator& simulator, Picoseconds duration, bool allows)
      : duration_(duration), allows_(allows) {
    simulator.add(*this);
  }
  void join(Stream& stream) { stream_ = &stream; }
  void start(Simulator& simulator) override {
    if (allows_) stream_->allow_next(simulator);
  }
  void predecessor_ended(Simulator& simulator) override {
    simulator.schedule(simulator.now() + duration_, *this);
  }
  void wake(Simulator& simulator) override { stream_->finish(simulator); }

 private:
  Picoseconds duration_;
  bool allows_;
  Stream* stream_ = nullptr;
};

TEST(Stream, SerialKernelsStartAGapAfterTheirPredecessor) {
  Simulator simulator;
  TimedKernel first(simulator, {100}, false);
  TimedKernel second(simulator, {50}, false);
  Stream stream(simulator, "gpu0", {{&first, {7}, false, {}}, {&second, {3}, false, {}}}, 2);
  first.join(stream);
  second.join(stream);
  stream.begin(simulator, {1000});
  simulator.run();
  const std::vector<LaunchSpan>& spans = stream.launches();
  ASSERT_EQ(spans.size(), 4U);
  EXPECT_EQ(spans[0].start.count, 1000);
  EXPECT_EQ(spans[0].end.count, 1100);
  EXPECT_EQ(spans[1].start.count, 1103);
  EXPECT_EQ(spans[1].end.count, 1153);
  EXPECT_EQ(spans[2].start.count, 1160);
  EXPECT_EQ(spans[3].end.count, 1313);
}

TEST(Stream, EarlyLaunchOverlapsButWorkWaitsForThePredecessor) {
  Simulator simulator;
  TimedKernel first(simulator, {100}, true);
  TimedKernel second(simulator, {50}, false);
  Stream stream(simulator, "gpu0", {{&first, {7}, false, {}}, {&second, {3}, true, {20}}}, 1);
  first.join(stream);
  second.join(stream);
  stream.begin(simulator, {0});
  simulator.run();
  const std::vector<LaunchSpan>& spans = stream.launches();
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[1].start.count, 20);
  EXPECT_EQ(spans[1].end.count, 150);
}

class Hangs final : public KernelBody {
 public:
  void start(Simulator&) override {}
  void predecessor_ended(Simulator&) override {}
};

TEST(Stream, AKernelThatNeverEndsIsNamed) {
  Simulator simulator;
  Hangs body;
  Stream stream(simulator, "ffn1", {{&body, {}, false, {}}}, 1);
  stream.begin(simulator, {0});
  try {
    simulator.run();
    FAIL() << "must not end";
  } catch (const model::SimulationStuck& stuck) {
    EXPECT_STREQ(stuck.what(), "simulation stuck: ffn1 waits for launch 1 of 1 to end");
  }
}

}  // namespace
}  // namespace fanin::sim

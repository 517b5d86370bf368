#include "fanin/calibrate/timeline.hpp"

#include <gtest/gtest.h>

#include "fanin/calibrate/record.hpp"
#include "fanin/hw/error.hpp"
#include "fanin_paths.hpp"
#include "temporary_folder.hpp"

namespace fanin::calibrate {
namespace {

const std::string kSeed = FANIN_SOURCE_DIR "/experiments/recorded/seed/";

TEST(Timelines, RecordedTracesOfOneDomain) {
  const TimelineSet set = read_timelines({kSeed + "kernel_timelines.jsonl"});
  EXPECT_EQ(set.timelines.size(), 20U);
  EXPECT_TRUE(set.skipped.empty());
  std::size_t spans = 0;
  for (const Timeline& timeline : set.timelines) {
    spans += timeline.spans.size();
    EXPECT_EQ(timeline.exchange.path, model::Path::nvlink);
    EXPECT_EQ(timeline.exchange.gpus_per_domain, 4);
    EXPECT_TRUE(timeline.exchange.validate().empty());
    ASSERT_TRUE(timeline.period_us);
    for (const TimelineSpan& span : timeline.spans) {
      ASSERT_TRUE(span.start_us && span.end_us);
      // Each median is taken apart, so end - start is not exactly duration.
      EXPECT_LT(*span.start_us, *span.end_us) << timeline.trace;
      EXPECT_GT(span.duration_us, 0.0) << timeline.trace;
    }
  }
  EXPECT_EQ(spans, 280U);
  const Timeline& first = set.timelines.front();
  EXPECT_EQ(first.trace, "1a3f-t1-afd");
  EXPECT_DOUBLE_EQ(*first.period_us, 20.1);
  EXPECT_EQ(first.anchor_device, 3);
  EXPECT_EQ(first.exchange.experts, 96);
  EXPECT_DOUBLE_EQ(*first.spans.front().start_us, -7.08);
}

TEST(Timelines, RecordedDurationsBetweenDomains) {
  const TimelineSet set = read_timelines({kSeed + "cross_node_kernel_durations.jsonl"});
  ASSERT_EQ(set.timelines.size(), 6U);
  std::size_t spans = 0;
  for (const Timeline& timeline : set.timelines) {
    spans += timeline.spans.size();
    EXPECT_EQ(timeline.exchange.path, model::Path::hybrid);
    EXPECT_EQ(timeline.exchange.gpus_per_domain, 4);
    EXPECT_FALSE(timeline.period_us);
    EXPECT_FALSE(timeline.spans.front().start_us);
    EXPECT_TRUE(timeline.spans.front().grid);
  }
  EXPECT_EQ(spans, 276U);
  EXPECT_EQ(set.timelines.front().trace, "hybrid-role-4f12a-t1-24sm");
}

TEST(Timelines, LatencyRecordsAreSkippedWithAReason) {
  EXPECT_EQ(read_timelines({kSeed + "latency.jsonl"}).skipped.at("no kernel"), 236U);
}

std::string error_of(const std::string& fields, const std::string& second = "") {
  const std::string configuration =
      R"({"trace":"t","protocol":"role","attention_ranks":2,"ffn_ranks":2,"tokens":1,"transport_sms":24,)";
  const TemporaryFolder folder;
  std::string text = configuration + fields + "}\n";
  if (!second.empty()) text += configuration + second + "}\n";
  const std::string path = folder.file("t.jsonl", text);
  try {
    read_timelines({path});
  } catch (const InputError& error) {
    return std::string(error.what()).substr(path.size());
  }
  return "";
}

TEST(Timelines, BadSpansAreRefusedWithTheField) {
  const std::string good = R"("role":"ffn","kernel":"k","start_us":1,"end_us":2)";
  EXPECT_EQ(error_of(good), "");
  EXPECT_EQ(
      error_of(R"("role":"ffn","kernel":"k")"),
      ":1: duration_us: missing; expected duration_us, or start_us and end_us, in microseconds");
  EXPECT_EQ(error_of(R"("role":"ffn","kernel":"k","start_us":3,"end_us":2)"),
            ":1: end_us: before start_us; expected at least start_us");
  EXPECT_EQ(error_of(R"("role":"gpu","kernel":"k","duration_us":3)"),
            ":1: role: 'gpu'; expected ffn or attention");
  EXPECT_EQ(
      error_of(R"("role":"ffn","kernel":"k","duration_us":-3)").rfind(":1: duration_us: -3", 0),
      0U);
  EXPECT_EQ(error_of(good, good).rfind(":2: launch_index: 0 occurs twice", 0), 0U);
  EXPECT_EQ(error_of(good + R"(,"period_us":20)",
                     R"("role":"ffn","kernel":"k","device":1,"duration_us":2,"period_us":21)")
                .rfind(":2: trace: 't' has another configuration", 0),
            0U);
}

TEST(Timelines, StampedPointsJoinTheirTrace) {
  const TemporaryFolder folder;
  const std::string configuration =
      R"({"trace":"t","protocol":"role","attention_ranks":2,"ffn_ranks":2,"tokens":1,"transport_sms":24,)";
  const std::string path = folder.file(
      "t.jsonl",
      configuration + R"("role":"ffn","kernel":"k","start_us":1,"end_us":2})" + "\n" +
          configuration +
          R"("device":1,"role":"ffn","point":"channel_done","events":5,"first_us":-1,"median_us":2,"last_us":2.5})" +
          "\n");
  const TimelineSet set = read_timelines({path});
  ASSERT_EQ(set.timelines.size(), 1U);
  EXPECT_TRUE(set.has_points());
  ASSERT_EQ(set.timelines.front().points.size(), 1U);
  const TimelinePoint& point = set.timelines.front().points.front();
  EXPECT_EQ(point.device, 1);
  EXPECT_EQ(point.point, "channel_done");
  EXPECT_DOUBLE_EQ(point.first_us, -1.0);
  EXPECT_DOUBLE_EQ(point.last_us, 2.5);
  EXPECT_FALSE(read_timelines({kSeed + "kernel_timelines.jsonl"}).has_points());
}

TEST(Timelines, APointsMedianIsNoTimeOfAnExchange) {
  const TemporaryFolder folder;
  const std::string path = folder.file(
      "t.jsonl",
      R"({"trace":"t","protocol":"role","path":"nvlink","attention_ranks":1,"ffn_ranks":1,)"
      R"("tokens":1,"transport_sms":24,"role":"ffn","point":"p","first_us":-2,)"
      R"("median_us":-1.5,"last_us":0})");
  const TimelineSet set = read_timelines({path});
  ASSERT_EQ(set.timelines.size(), 1U);
  EXPECT_DOUBLE_EQ(set.timelines.front().points.front().median_us, -1.5);
  const RecordSet records = read_records({path});
  EXPECT_TRUE(records.records.empty());
  EXPECT_EQ(records.skipped.size(), 1U);
}

TEST(Timelines, BadPointsAreRefusedWithTheField) {
  const std::string good = R"("role":"ffn","point":"p","first_us":1,"median_us":2,"last_us":3)";
  EXPECT_EQ(error_of(good), "");
  EXPECT_EQ(error_of(R"("role":"ffn","point":"p","first_us":1,"median_us":2)"),
            ":1: last_us: missing; expected a time in microseconds");
  EXPECT_EQ(error_of(R"("role":"ffn","point":"p","first_us":1,"median_us":0.5,"last_us":3)")
                .rfind(":1: median_us: 0.5", 0),
            0U);
  EXPECT_EQ(error_of(R"("role":"x","point":"p","first_us":1,"median_us":2,"last_us":3)"),
            ":1: role: 'x'; expected ffn or attention");
  EXPECT_EQ(error_of(good, good),
            ":2: point: 'p' occurs twice on this device; expected each step once");
}

}  // namespace
}  // namespace fanin::calibrate

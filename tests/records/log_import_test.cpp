#include "fanin/calibrate/log_import.hpp"

#include <gtest/gtest.h>

#include "fanin/hw/error.hpp"
#include "fanin_paths.hpp"
#include "temporary_folder.hpp"

namespace fanin::calibrate {
namespace {

const std::string kSamples = FANIN_SOURCE_DIR "/tests/records/samples/";

struct Imported {
  ImportReport report;
  std::vector<Record> records;
};

using Importer = ImportReport (*)(const std::string&, const StatedFields&, const RecordSink&);

Imported run(Importer importer, const std::string& path, const StatedFields& set = {}) {
  Imported result;
  result.report =
      importer(path, set, [&](const Record& record) { result.records.push_back(record); });
  return result;
}

TEST(DeepEpLog, ElasticTestGivesOneRecordACase) {
  const Imported got = run(import_deepep_log, kSamples + "deepep_test_ep.log",
                           {{"cluster", "lab"}, {"tail_interval", "6"}});
  ASSERT_EQ(got.records.size(), 2U);
  const Record& first = got.records[0];
  // Rank 2: 60.3 + 4.3 + 72.5 + 6.2 is the largest sum.
  EXPECT_DOUBLE_EQ(first.median_us, 143.3);
  EXPECT_EQ(first.field("dispatch_us"), FieldValue{61.2});
  EXPECT_EQ(first.field("combine_us"), FieldValue{72.5});
  EXPECT_EQ(first.field("cached_dispatch_us"), FieldValue{50.0});
  EXPECT_EQ(first.field("reduced_combine_us"), FieldValue{75.0});
  EXPECT_TRUE(first.missing.empty());
  EXPECT_EQ(first.exchange.protocol, model::Protocol::symmetric);
  EXPECT_EQ(first.exchange.path, model::Path::hybrid);
  EXPECT_EQ(first.exchange.payload, model::Payload::fp8);
  EXPECT_EQ(first.exchange.attention_ranks, 4);
  EXPECT_EQ(first.exchange.gpus_per_domain, 2);
  EXPECT_EQ(first.exchange.sources(), 2);
  EXPECT_EQ(first.exchange.tokens, 128);
  EXPECT_EQ(first.exchange.hidden, 7168);
  EXPECT_EQ(first.exchange.experts, 256);
  EXPECT_EQ(first.exchange.transport_sms, 24);
  EXPECT_EQ(first.exchange.channels_per_sm, 8);
  EXPECT_EQ(first.exchange.tail_interval, 6);
  EXPECT_EQ(first.exchange.queues, 129);
  const Record& second = got.records[1];
  EXPECT_DOUBLE_EQ(second.median_us, 150.0);
  EXPECT_EQ(second.exchange.payload, model::Payload::bf16);
  EXPECT_EQ(second.exchange.channels_per_sm, 7);
  EXPECT_EQ(got.report.skipped.at("cases without both dispatch and combine on every rank"), 1U);
  EXPECT_FALSE(got.report.missing.contains("channels_per_sm"));
}

TEST(DeepEpLog, LowLatencyTestGivesOneRecordARound) {
  const Imported got =
      run(import_deepep_log, kSamples + "deepep_low_latency.log", {{"tokens", "128"}});
  ASSERT_EQ(got.records.size(), 2U);
  EXPECT_DOUBLE_EQ(got.records[0].median_us, 195.9);
  EXPECT_EQ(got.records[0].field("dispatch_us"), FieldValue{77.4});
  EXPECT_EQ(got.records[0].field("combine_us"), FieldValue{114.9});
  EXPECT_EQ(got.records[0].exchange.attention_ranks, 2);
  EXPECT_DOUBLE_EQ(got.records[1].median_us, 192.2);
  EXPECT_EQ(got.report.missing.at("transport_sms"), 2U);
}

TEST(DeepEpLog, WithoutDebugOutputTheChannelsAreMissing) {
  const TemporaryFolder folder;
  const std::string log = folder.file(
      "run.log",
      " > Ranks: 4 x 8\n > #SM: 6, #QPs: 97/129\n > Testing with use_fp8_dispatch=1, ...\n"
      "   * EP:   0/32 | dispatch: 1 GB/s (SO), 1 GB/s (SU), 50.000 us, 1 bytes | copy: 1 GB/s, "
      "3.000 us\n"
      "   @ EP:   0/32 | combine: 1 GB/s (SO), 1 GB/s (SU), 60.000 us, 1 bytes | reduce: 1 GB/s, "
      "4.000 us\n");
  const Imported got = run(import_deepep_log, log);
  ASSERT_EQ(got.records.size(), 1U);
  EXPECT_DOUBLE_EQ(got.records[0].median_us, 117.0);
  EXPECT_EQ(got.records[0].exchange.ffn_domains(), 4);
  EXPECT_EQ(got.report.missing.at("channels_per_sm"), 1U);
  EXPECT_EQ(got.records[0].missing, std::vector<std::string>{"tokens"});
}

TEST(DeepEpLog, ChannelsPrintedAtTheEndCount) {
  const TemporaryFolder folder;
  const std::string rows =
      " > Ranks: 4 x 8\n > Testing with use_fp8_dispatch=1, ...\n"
      "   * EP:   0/32 | dispatch: 1 GB/s (SO), 1 GB/s (SU), 50.000 us, 1 bytes | copy: 1 GB/s, "
      "3.000 us\n"
      "   @ EP:   0/32 | combine: 1 GB/s (SO), 1 GB/s (SU), 60.000 us, 1 bytes | reduce: 1 GB/s, "
      "4.000 us\n";
  const std::string eight = "Elastic buffer uses 8 channels per SM\n";
  const std::string seven = "Elastic buffer uses 7 channels per SM\n";
  const Imported one = run(import_deepep_log, folder.file("one.log", rows + eight + eight));
  ASSERT_EQ(one.records.size(), 1U);
  EXPECT_EQ(one.records[0].field("channels_per_sm"), FieldValue{8.0});
  EXPECT_FALSE(one.report.missing.contains("channels_per_sm"));
  // Two values at the end: nobody can tell which case had which.
  const Imported two = run(import_deepep_log, folder.file("two.log", rows + eight + seven));
  EXPECT_EQ(two.report.missing.at("channels_per_sm"), 1U);
}

TEST(NcclLog, EpBenchGivesOneRecordASummary) {
  const Imported got = run(import_nccl_log, kSamples + "nccl_ep_bench.log");
  ASSERT_EQ(got.records.size(), 2U);
  EXPECT_DOUBLE_EQ(got.records[0].median_us, 320.75);
  EXPECT_EQ(got.records[0].field("dispatch_us"), FieldValue{118.35});
  EXPECT_EQ(got.records[0].field("combine_us"), FieldValue{195.55});
  EXPECT_EQ(got.records[0].field("path"), FieldValue{std::string("direct")});
  EXPECT_EQ(got.records[0].field("payload"), FieldValue{std::string("fp8")});
  EXPECT_EQ(got.records[0].field("attention_ranks"), FieldValue{16.0});
  EXPECT_EQ(got.records[0].field("tokens"), FieldValue{128.0});
  EXPECT_DOUBLE_EQ(got.records[1].median_us, 3180.25);
  EXPECT_EQ(got.records[1].field("path"), FieldValue{std::string("hybrid")});
  EXPECT_EQ(got.records[1].field("payload"), FieldValue{std::string("bf16")});
  EXPECT_EQ(got.report.missing.at("transport_sms"), 2U);
}

TEST(NcclLog, TablesOfNcclTests) {
  const Imported got = run(import_nccl_log, kSamples + "nccl_tests_alltoall.log");
  ASSERT_EQ(got.records.size(), 2U);
  EXPECT_DOUBLE_EQ(got.records[0].median_us, 17.52);
  EXPECT_EQ(got.records[0].field("size_bytes"), FieldValue{524288.0});
  EXPECT_EQ(got.records[1].field("busbw_GBps"), FieldValue{36.92});
  EXPECT_EQ(got.report.skipped.at("rows of zero bytes"), 1U);
}

TEST(Logs, OtherTextIsRefused) {
  const TemporaryFolder folder;
  const std::string other = folder.file("other.log", "hello\nworld\n");
  EXPECT_THROW(run(import_deepep_log, other), InputError);
  EXPECT_THROW(run(import_nccl_log, other), InputError);
  EXPECT_THROW(run(import_nccl_log, folder.file("empty.log", "")), InputError);
  EXPECT_THROW(run(import_deepep_log, folder.path("")), InputError);
}

}  // namespace
}  // namespace fanin::calibrate

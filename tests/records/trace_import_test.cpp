#include "fanin/calibrate/trace_import.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fanin/calibrate/timeline.hpp"
#include "fanin/hw/error.hpp"
#include "fanin_paths.hpp"
#include "temporary_folder.hpp"

namespace fanin::calibrate {
namespace {

using Json = nlohmann::json;

const std::string kSamples = FANIN_SOURCE_DIR "/tests/records/samples/";

struct Imported {
  TraceImport trace;
  std::vector<Record> records;
};

using Importer = TraceImport (*)(const std::vector<std::string>&, const TraceOptions&,
                                 const RecordSink&);

Imported run(Importer importer, const std::vector<std::string>& paths,
             const TraceOptions& options = {}) {
  Imported result;
  result.trace =
      importer(paths, options, [&](const Record& record) { result.records.push_back(record); });
  return result;
}

std::string error_of(Importer importer, const std::string& path, const TraceOptions& options = {}) {
  try {
    run(importer, {path}, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TraceOptions stated() {
  TraceOptions options;
  options.set = {{"protocol", "role"},     {"path", "nvlink"}, {"ffn_ranks", "1"},
                 {"attention_ranks", "1"}, {"tokens", "1"},    {"transport_sms", "24"},
                 {"cluster", "lab"}};
  return options;
}

/// Both samples hold the same kernels: warm-up, then exchanges of 30.125 us on one device and
/// 30.250 us on the other.
void expect_sample(const Imported& got, const std::string& tool) {
  ASSERT_EQ(got.records.size(), 1U);
  const Record& record = got.records[0];
  EXPECT_DOUBLE_EQ(record.median_us, 30.25);
  EXPECT_EQ(record.field("traced_by"), FieldValue{tool});
  EXPECT_EQ(record.field("exchanges_found"), FieldValue{10.0});
  EXPECT_EQ(record.field("devices"), FieldValue{2.0});
  EXPECT_TRUE(record.missing.empty());
  const Json kernels = Json::parse(record.json)["kernels_us"];
  EXPECT_EQ(kernels["dispatch_impl"], 10.5);
  EXPECT_EQ(kernels["dispatch_copy_epilogue"], 3.125);
  EXPECT_EQ(kernels["combine_impl"], 12.25);
  EXPECT_EQ(got.trace.report.skipped.at("kernels that the table does not name"), 22U);
  EXPECT_NE(got.trace.report.notes.back().find("vectorized_elementwise_kernel"), std::string::npos);
}

void expect_timeline(const Imported& got) {
  const TemporaryFolder folder;
  std::string text;
  for (const std::string& row : got.trace.timeline) text += row + "\n";
  const TimelineSet set = read_timelines({folder.file("t.jsonl", text)});
  ASSERT_EQ(set.timelines.size(), 1U);
  const Timeline& timeline = set.timelines[0];
  EXPECT_EQ(timeline.cluster, "lab");
  EXPECT_EQ(timeline.exchange.path, model::Path::nvlink);
  EXPECT_DOUBLE_EQ(*timeline.period_us, 30.25);
  EXPECT_EQ(timeline.anchor_device, 1);
  ASSERT_EQ(timeline.spans.size(), 6U);
  const TimelineSpan& combine = timeline.spans[5];
  EXPECT_EQ(combine.device, 1);
  EXPECT_EQ(combine.role, "attention");
  EXPECT_EQ(combine.kernel, "combine_impl");
  EXPECT_EQ(combine.launch_index, 2);
  EXPECT_DOUBLE_EQ(*combine.start_us, 14.0);
  EXPECT_DOUBLE_EQ(*combine.end_us, 26.25);
  EXPECT_EQ(combine.grid, 24);
  EXPECT_EQ(combine.threads, 512);
  EXPECT_EQ(timeline.spans[0].role, "ffn");
  EXPECT_LT(*timeline.spans[0].start_us, 0.0);
}

TEST(Nsys, SampleGivesItsKnownPeriodAndTimeline) {
  const Imported got = run(import_nsys, {kSamples + "nsys.sqlite"}, stated());
  expect_sample(got, "nsys");
  expect_timeline(got);
}

TEST(Kineto, PlainAndGzipRanksGiveTheKnownPeriodAndTimeline) {
  const Imported got = run(
      import_chrome, {kSamples + "kineto_rank0.json", kSamples + "kineto_rank1.json.gz"}, stated());
  expect_sample(got, "kineto");
  expect_timeline(got);
  EXPECT_EQ(got.trace.report.skipped.at("events that are no kernels"), 4U);
}

TEST(Kineto, TraceOfTheRealProfilerIsRead) {
  // 24 exchanges written in PyTorch operations, each of six kernels, on one H200. The period is the
  // median distance of the last 21 anchors in the file.
  TraceOptions options = stated();
  options.anchor = "BUnaryFunctor<long";
  const Imported got = run(import_chrome, {kSamples + "kineto_h200.json.gz"}, options);
  ASSERT_EQ(got.records.size(), 1U);
  EXPECT_NEAR(got.records[0].median_us, 104.544, 0.001);
  EXPECT_EQ(got.records[0].field("exchanges_found"), FieldValue{23.0});
  EXPECT_EQ(got.trace.report.skipped.at("kernels that the table does not name"), 120U);
}

TEST(Traces, OnlyTheLastExchangesCount) {
  TraceOptions options;
  options.last = 6;
  const Imported got = run(import_chrome, {kSamples + "kineto_rank0.json"}, options);
  EXPECT_DOUBLE_EQ(got.records[0].median_us, 30.125);
  EXPECT_EQ(got.records[0].field("exchanges_used"), FieldValue{6.0});
  EXPECT_EQ(got.trace.report.missing.at("tokens"), 1U);
}

TEST(Traces, AnchorAndTableOfTheUser) {
  TraceOptions options;
  options.anchor = "vectorized_elementwise";
  EXPECT_DOUBLE_EQ(
      run(import_chrome, {kSamples + "kineto_rank0.json"}, options).records[0].median_us, 30.125);
  const TemporaryFolder folder;
  options.anchor.clear();
  options.kernels = folder.file("kernels.txt", "# mine\nvectorized_elementwise expert_gemm ffn\n");
  const Imported got = run(import_chrome, {kSamples + "kineto_rank0.json"}, options);
  EXPECT_FALSE(got.trace.report.skipped.contains("kernels that the table does not name"));
  EXPECT_EQ(Json::parse(got.records[0].json)["kernels_us"]["expert_gemm"], 1.0);
  options.kernels = folder.file("bad.txt", "dispatch\n");
  EXPECT_NE(error_of(import_chrome, kSamples + "kineto_rank0.json", options)
                .find("bad.txt:1: no label for 'dispatch'"),
            std::string::npos);
}

TEST(Traces, NoExchangeNamesTheKernelsSeen) {
  TraceOptions options;
  options.anchor = "nothing_like_it";
  const std::string error = error_of(import_nsys, kSamples + "nsys.sqlite", options);
  EXPECT_NE(error.find("no two exchanges on one device; kernels that no row names: "
                       "at::native::vectorized_elementwise_kernel"),
            std::string::npos)
      << error;
}

TEST(Traces, LabelsThatAreNotUtf8AreReplaced) {
  const TemporaryFolder folder;
  TraceOptions options = stated();
  options.kernels = folder.file("kernels.txt", "dispatch_impl di\xE8 anchor\n");
  const Imported got = run(import_nsys, {kSamples + "nsys.sqlite"}, options);
  ASSERT_EQ(got.records.size(), 1U);
  EXPECT_NE(got.trace.timeline.at(0).find("di\xEF\xBF\xBD"), std::string::npos);
}

TEST(Kineto, DoubleWouldLoseTheNanoseconds) {
  const TemporaryFolder folder;
  std::string events;
  for (const char* ts : {"1790000000000000.001", "1790000000000020.126", "1790000000000040.251"}) {
    events += std::string(events.empty() ? "" : ",") +
              R"({"ph":"X","cat":"kernel","name":"dispatch_impl","ts":)" + ts + R"(,"dur":1.5})";
  }
  const Imported got = run(import_chrome, {folder.file("t.json", "[" + events + "]")});
  EXPECT_DOUBLE_EQ(got.records[0].median_us, 20.125);
}

TEST(Kineto, DamagedFilesAreOneLine) {
  const TemporaryFolder folder;
  EXPECT_NE(error_of(import_chrome, folder.file("a.json", "")).find("malformed JSON at byte"),
            std::string::npos);
  EXPECT_NE(error_of(import_chrome, folder.file("b.json", "{\"traceEvents\":[{\"ph\":"))
                .find("malformed JSON"),
            std::string::npos);
  EXPECT_NE(error_of(import_chrome, folder.file("c.json", "{}")).find("holds no events"),
            std::string::npos);
  EXPECT_NE(error_of(import_chrome, folder.file("d.json", "{\"traceEvents\":[]}"))
                .find("no two exchanges"),
            std::string::npos);
  EXPECT_NE(error_of(import_chrome, folder.path("")).find("is a directory"), std::string::npos);
  std::ifstream whole(kSamples + "kineto_rank1.json.gz", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(whole)), {});
  EXPECT_NE(error_of(import_chrome, folder.file("e.json.gz", bytes.substr(0, bytes.size() / 2)))
                .find("gzip data are damaged or cut"),
            std::string::npos);
}

TEST(Nsys, DamagedFilesAreOneLine) {
  const TemporaryFolder folder;
  EXPECT_NE(error_of(import_nsys, folder.file("a.sqlite", "hello, this is no database"))
                .find("not readable as SQLite"),
            std::string::npos);
  EXPECT_NE(error_of(import_nsys, folder.file("b.sqlite", "")).find("holds no kernels"),
            std::string::npos);
  std::ifstream whole(kSamples + "nsys.sqlite", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(whole)), {});
  EXPECT_NE(error_of(import_nsys, folder.file("c.sqlite", bytes.substr(0, 5000)))
                .find("not readable as SQLite"),
            std::string::npos);
}

TEST(KernelTable, BuiltInTableIsInItsOwnFormat) {
  const TemporaryFolder folder;
  TraceOptions options;
  options.kernels = folder.file("kernels.txt", kernel_table());
  EXPECT_EQ(run(import_nsys, {kSamples + "nsys.sqlite"}, options).records.size(), 1U);
}

}  // namespace
}  // namespace fanin::calibrate

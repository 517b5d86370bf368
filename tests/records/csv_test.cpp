#include "fanin/calibrate/csv.hpp"

#include <gtest/gtest.h>

#include "fanin/hw/error.hpp"
#include "fanin_paths.hpp"
#include "temporary_folder.hpp"

namespace fanin::calibrate {
namespace {

const std::string kRecorded = FANIN_SOURCE_DIR "/experiments/recorded/";

struct Imported {
  ImportReport report;
  std::vector<Record> records;
};

Imported import_file(const std::string& path, const CsvOptions& options = {}) {
  Imported result;
  result.report =
      import_csv(path, options, [&](const Record& record) { result.records.push_back(record); });
  return result;
}

Imported import_text(const std::string& text, const CsvOptions& options = {}) {
  const TemporaryFolder folder;
  return import_file(folder.file("t.csv", text), options);
}

std::string error_of(const std::string& text, const CsvOptions& options = {}) {
  const TemporaryFolder folder;
  const std::string path = folder.file("t.csv", text);
  try {
    import_file(path, options);
  } catch (const InputError& error) {
    std::string line = error.what();
    if (line.rfind(path, 0) == 0) line.erase(0, path.size());
    return line;
  }
  return "no error";
}

TEST(Csv, ColumnsNamedLikeFieldsNeedNoMap) {
  const Imported got = import_text(
      "tokens,median_us,path,collect_view,host\n8,30.5,nvlink,true,n1\n16,,nvlink,,n2\n");
  ASSERT_EQ(got.records.size(), 1U);
  EXPECT_EQ(got.report.skipped.at("no median_us"), 1U);
  EXPECT_EQ(got.records[0].id, "t:2");
  EXPECT_EQ(got.records[0].set, "t");
  EXPECT_EQ(got.records[0].exchange.tokens, 8);
  EXPECT_TRUE(got.records[0].exchange.collect_view);
  EXPECT_EQ(got.records[0].field("host"), FieldValue{std::string("n1")});
  EXPECT_EQ(got.report.missing.at("transport_sms"), 1U);
  EXPECT_EQ(got.report.missing.at("cluster"), 1U);
}

TEST(Csv, MapSetSumAndList) {
  CsvOptions options;
  options.map = {{"tokens", "ntok"}, {"median_us", "d+c"}, {"repeats_us", "r1|r2|r3"}};
  options.set = {{"transport_sms", "24"}, {"driver", "580.1"}, {"data_valid", "false"}};
  const Imported got = import_text("ntok,d,c,r1,r2,r3\n1,20.5,30,50,51,\n", options);
  ASSERT_EQ(got.records.size(), 1U);
  const Record& record = got.records[0];
  EXPECT_EQ(record.exchange.tokens, 1);
  EXPECT_DOUBLE_EQ(record.median_us, 50.5);
  EXPECT_EQ(record.repeats_us, (std::vector<double>{50, 51}));
  EXPECT_EQ(record.exchange.transport_sms, 24);
  EXPECT_EQ(record.field("d"), FieldValue{20.5});
  EXPECT_EQ(record.field("driver"), FieldValue{580.1});
  EXPECT_EQ(record.field("ntok"), std::nullopt);
  EXPECT_FALSE(record.data_valid);
}

TEST(Csv, UnitsOfTheHeaderAreConverted) {
  CsvOptions options;
  options.map = {{"median_us", "latency (ms)"}};
  EXPECT_DOUBLE_EQ(import_text("latency (ms)\n0.0205\n", options).records[0].median_us, 20.5);
  options.map = {{"median_us", "t [ns]"}};
  EXPECT_DOUBLE_EQ(import_text("t [ns]\n20500\n", options).records[0].median_us, 20.5);
  options.map = {{"median_us", "t"}};
  EXPECT_DOUBLE_EQ(import_text("t\n20.5\n", options).records[0].median_us, 20.5);
  EXPECT_DOUBLE_EQ(import_text("median_ms\n0.0205\n").records[0].median_us, 20.5);
  EXPECT_DOUBLE_EQ(import_text("median_s\n0.0000205\n").records[0].median_us, 20.5);
  const Imported repeats = import_text("repeats_ns\n20500;20700;20600\n");
  EXPECT_DOUBLE_EQ(repeats.records[0].median_us, 20.6);
  EXPECT_DOUBLE_EQ(repeats.records[0].repeats_us[1], 20.7);
}

TEST(Csv, QuotedCells) {
  const Imported got = import_text("median_us,note\r\n20,\"a, \"\"b\"\"\nc\"\r\n21,\"\"\n");
  ASSERT_EQ(got.records.size(), 2U);
  EXPECT_EQ(got.records[0].field("note"), FieldValue{std::string("a, \"b\"\nc")});
  EXPECT_EQ(got.records[1].field("note"), std::nullopt);
  EXPECT_EQ(got.records[1].id, "t:4");
}

TEST(Csv, OtherSeparators) {
  CsvOptions options;
  options.separator = '\t';
  EXPECT_EQ(import_text("tokens\tmedian_us\n8\t20\n", options).records[0].exchange.tokens, 8);
}

TEST(Csv, SeedSurvivesTheWayThereAndBack) {
  const std::vector<Record> original = read_records({kRecorded + "seed/latency.jsonl"}).records;
  const Imported back = import_text(to_csv(original));
  ASSERT_EQ(back.records.size(), original.size());
  for (std::size_t i = 0; i < original.size(); ++i) {
    for (const char* field : {"id", "set", "cluster", "protocol", "path", "tokens", "transport_sms",
                              "sources", "variant", "exit", "collect_view", "median_us",
                              "ffn_combine_sms", "gemm_solo_us", "data_valid"}) {
      EXPECT_EQ(back.records[i].field(field), original[i].field(field))
          << original[i].id << ' ' << field;
    }
    EXPECT_EQ(back.records[i].repeats_us, original[i].repeats_us) << original[i].id;
  }
}

TEST(Csv, TablesOfOtherSystemsGoAsFarAsTheyStateIt) {
  const Imported v1 = import_file(kRecorded + "external/deepep_v1_low_latency.csv");
  EXPECT_EQ(v1.records.size(), 6U);
  EXPECT_DOUBLE_EQ(v1.records[0].median_us, 77.0 + 114.0);
  EXPECT_EQ(v1.records[0].exchange.tokens, 128);
  EXPECT_EQ(v1.report.missing.at("transport_sms"), 6U);
  EXPECT_NE(v1.report.notes.at(0).find("dispatch_us+combine_us"), std::string::npos);
  EXPECT_EQ(import_file(kRecorded + "external/deepep_v2_b200_efa_decode.csv").records.size(), 4U);
  EXPECT_EQ(import_file(kRecorded + "external/deepep_v2_h20_tokens.csv").records.size(), 12U);
  EXPECT_EQ(import_file(kRecorded + "external/uccl_ep_low_latency.csv").records.size(), 9U);
  for (const char* rates :
       {"external/deepep_v2_readme_bandwidth.csv", "external/hybrid_ep_h100_sms.csv"}) {
    try {
      import_file(kRecorded + rates);
      ADD_FAILURE() << rates;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("missing median_us: the columns are rates"),
                std::string::npos);
    }
  }
}

TEST(Csv, ReadRecordsTakesTables) {
  EXPECT_EQ(read_records({kRecorded + "external/uccl_ep_low_latency.csv"}).records.size(), 9U);
}

TEST(BadCsv, OneLineThatNamesPlaceAndField) {
  CsvOptions map;
  map.map = {{"tokens", "ntoks"}};
  CsvOptions twice;
  twice.set = {{"tokens", "1"}};
  CsvOptions sum;
  sum.map = {{"median_us", "a+b"}};
  EXPECT_EQ(error_of(""), ": is empty; expected a header line and rows");
  EXPECT_EQ(error_of("median_us\n"), ": has a header but no rows; expected at least one row");
  EXPECT_EQ(error_of("median_us,tokens\n20\n"),
            ":2: 1 cells; expected 2, as many as the header has");
  EXPECT_EQ(error_of("median_us\nNaN\n"), ":2: median_us: 'NaN'; expected a finite number");
  EXPECT_EQ(error_of("median_us\n-20\n").rfind(":2: median_us: -20; expected 0.1 to", 0), 0U);
  EXPECT_EQ(error_of("median_us,x\n20,\"abc\n"),
            ":2: a quote that is never closed; expected \"…\" around the cell");
  EXPECT_EQ(error_of("a,a\n1,2\n"), ":1: column 'a' occurs twice; expected each column once");
  EXPECT_EQ(error_of("a,,b\n1,2,3\n"), ":1: a column without a name; expected a header line");
  EXPECT_EQ(error_of("ntok,median_us\n1,20\n", map),
            "--map tokens: no column 'ntoks'; expected 'ntok'? Columns: ntok median_us");
  EXPECT_EQ(error_of("tokens,median_us\n1,20\n", twice),
            "--set tokens: the field is given twice; expected one origin for each field");
  EXPECT_EQ(error_of("a,b\n1,x\n", sum), ":2: median_us: 'x'; expected a finite number");
  EXPECT_EQ(
      error_of("tokens\n1\n").rfind(": missing median_us: no column is a time of one exchange", 0),
      0U);
}

}  // namespace
}  // namespace fanin::calibrate

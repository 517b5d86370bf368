// What issue after issue of such files brings: each case is one clear line, never a crash or a
// guess.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "fanin/calibrate/record.hpp"
#include "fanin/hw/error.hpp"
#include "temporary_folder.hpp"

namespace fanin::calibrate {
namespace {

/// The error of a file with this content, without the folder's name.
std::string error_of(const std::string& content) {
  const TemporaryFolder folder;
  const std::string path = folder.file("rows.jsonl", content);
  try {
    read_records({path});
  } catch (const InputError& error) {
    std::string line = error.what();
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(line.rfind(path, 0), 0U) << line;
    return line.substr(path.size());
  }
  return "no error";
}

struct Case {
  const char* name;
  const char* content;
  const char* starts;  ///< the error after the path
};

class BadRecords : public testing::TestWithParam<Case> {};

TEST_P(BadRecords, OneLineThatNamesPlaceAndField) {
  const std::string error = error_of(GetParam().content);
  EXPECT_EQ(error.substr(0, std::string(GetParam().starts).size()), GetParam().starts);
}

INSTANTIATE_TEST_SUITE_P(
    Files, BadRecords,
    testing::Values(
        Case{"empty", "", ": is empty"}, Case{"blank", "\n \n", ": is empty"},
        Case{"nan", "{\"median_us\": NaN}", ":1: median_us: NaN; expected a finite number"},
        Case{"infinity", "{\"median_us\": Infinity}", ":1: median_us: Infinity; expected"},
        Case{"minus_infinity", "{\"median_us\": -Infinity}", ":1: median_us: -Infinity; expected"},
        Case{"overflow", "{\"median_us\": 1e999}", ":1: median_us: number too large"},
        Case{"nan_repeat", "{\"median_us\": 2, \"repeats_us\": [2, NaN]}", ":1: repeats_us: NaN"},
        Case{"negative", "{\"median_us\": -20.5}",
             ":1: median_us: -20.5; expected 0.1 to 10000000 microseconds"},
        Case{"zero", "{\"median_us\": 0}", ":1: median_us: 0; expected"},
        Case{"negative_repeat", "{\"median_us\": 20, \"repeats_us\": [20, -1]}",
             ":1: repeats_us: -1"},
        Case{"text_time", "{\"median_us\": \"20.5\"}",
             ":1: median_us: wrong type; expected a number"},
        Case{"milliseconds", "{\"median_ms\": 0.0205}",
             ":1: median_ms: not in microseconds; expected median_us"},
        Case{"nanoseconds", "{\"median_ns\": 20500}",
             ":1: median_ns: not in microseconds; expected median_us"},
        Case{"no_unit", "{\"median\": 20.5}",
             ":1: median: not in microseconds; expected median_us"},
        Case{"repeats_ms", "{\"median_us\": 20.5, \"repeats_ms\": [0.02]}",
             ":1: repeats_ms: not in"},
        Case{"value_in_seconds", "{\"median_us\": 0.0000205}", ":1: median_us: 2.05e-05; expected"},
        Case{"value_in_ps", "{\"median_us\": 20500000}", ":1: median_us: 20500000; expected"},
        Case{"units_differ", "{\"median_us\": 20.5, \"repeats_us\": [20500, 20600]}",
             ":1: median_us: 20.5 is far"},
        Case{"truncated", "{\"median_us\": 20.5}\n{\"median_us\": 2",
             ":2: JSON ends in the middle"},
        Case{"garbage", "{\"median_us\": 20.5}\nhello\n", ":2: malformed JSON at column 1"},
        Case{"array", "[1, 2]", ":1: the line is no JSON object"},
        Case{"number", "17", ":1: the line is no JSON object"},
        Case{"two_objects", "{\"median_us\": 20.5} {}", ":1: malformed JSON at column 21"},
        Case{"key_twice", "{\"median_us\": 20.5, \"median_us\": 21}",
             ":1: median_us: occurs twice"},
        Case{"id_twice", "{\"id\": \"A\", \"median_us\": 20}\n{\"id\": \"A\", \"median_us\": 21}",
             ":2: id: 'A' occurs twice"},
        Case{"row_twice", "{\"median_us\": 20}\n{\"median_us\": 20}", ":2: the same line as "},
        Case{"fraction", "{\"median_us\": 20, \"tokens\": 1.5}",
             ":1: tokens: wrong type; expected a whole number"},
        Case{"negative_tokens", "{\"median_us\": 20, \"tokens\": -1}",
             ":1: tokens: -1; expected 0 to"},
        Case{"huge", "{\"median_us\": 20, \"transport_sms\": 1e300}",
             ":1: transport_sms: 1e+300; expected 1 to 1024"},
        Case{"protocol", "{\"median_us\": 20, \"protocol\": \"m2n\"}",
             ":1: protocol: 'm2n'; expected one of role"},
        Case{"path", "{\"median_us\": 20, \"path\": \"pcie\"}",
             ":1: path: 'pcie'; expected one of nvlink hybrid direct"},
        Case{"fix", "{\"median_us\": 20, \"fix\": \"14\"}",
             ":1: fix: '14'; expected none, or numbers"},
        Case{"boolean", "{\"median_us\": 20, \"data_valid\": \"no\"}",
             ":1: data_valid: wrong type; expected true or false"},
        Case{"contradiction",
             "{\"median_us\": 20, \"protocol\": \"role\", \"path\": \"hybrid\", \"ffn_ranks\": 4, "
             "\"attention_ranks\": 8, "
             "\"gpus_per_domain\": 4, \"sources\": 3, \"tokens\": 1, \"transport_sms\": 24}",
             ":1: sources: 3, but the ranks give 2"},
        Case{"experts",
             "{\"median_us\": 20, \"protocol\": \"role\", \"path\": \"nvlink\", \"ffn_ranks\": 3, "
             "\"attention_ranks\": 1, "
             "\"tokens\": 1, \"transport_sms\": 24}",
             ":1: experts: 128 do not divide over 3"}),
    [](const testing::TestParamInfo<Case>& param) { return std::string(param.param.name); });

TEST(BadRecordFiles, Directory) {
  const TemporaryFolder folder;
  EXPECT_THROW(
      {
        try {
          read_records({folder.path("")});
        } catch (const InputError& error) {
          EXPECT_EQ(error.problem(), "is a directory");
          throw;
        }
      },
      InputError);
}

TEST(BadRecordFiles, Missing) { EXPECT_THROW(read_records({"/no/such/file.jsonl"}), InputError); }

TEST(BadRecordFiles, NoPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read every file";
  const TemporaryFolder folder;
  const std::string path = folder.file("rows.jsonl", "{\"median_us\": 20}\n");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  EXPECT_THROW(read_records({path}), InputError);
}

TEST(BadRecordFiles, TheSameFileTwice) {
  const TemporaryFolder folder;
  const std::string path = folder.file("rows.jsonl", "{\"median_us\": 20}\n");
  EXPECT_THROW(read_records({path, path}), InputError);
}

TEST(BadRecordFiles, OneRowIsRight) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_records({folder.file("rows.jsonl", "{\"median_us\": 20}\n")}).records.size(), 1U);
}

TEST(BadRecordFiles, DeepNestingIsKeptNotFollowed) {
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  const auto record = parse_record("{\"median_us\": 20, \"x\": " + deep + "}", "f:1");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->field("x"), std::nullopt);
}

TEST(BadRecordFiles, WritingIntoAFolderThatIsNotThere) {
  EXPECT_THROW(write_records({}, "/no/such/folder/rows.jsonl"), InputError);
}

}  // namespace
}  // namespace fanin::calibrate

#include "fanin/calibrate/record.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "fanin/calibrate/placement.hpp"
#include "fanin/calibrate/record_fields.hpp"
#include "fanin/hw/error.hpp"
#include "fanin_paths.hpp"
#include "temporary_folder.hpp"

namespace fanin::calibrate {
namespace {

const std::string kSeed = FANIN_SOURCE_DIR "/experiments/recorded/seed/";

const Record& by_id(const RecordSet& set, const std::string& id) {
  for (const Record& record : set.records) {
    if (record.id == id) return record;
  }
  throw std::out_of_range(id);
}

TEST(Records, EveryRowOfTheSeedIsRead) {
  const RecordSet set = read_records({kSeed + "latency.jsonl"});
  EXPECT_EQ(set.records.size(), 236U);
  EXPECT_TRUE(set.skipped.empty());
  for (const Record& record : set.records) {
    EXPECT_TRUE(record.missing.empty()) << record.id;
    EXPECT_TRUE(record.exchange.validate().empty()) << record.id;
  }
  const auto invalid = std::count_if(set.records.begin(), set.records.end(),
                                     [](const Record& record) { return !record.data_valid; });
  EXPECT_EQ(invalid, 13);
}

TEST(Records, OtherSeedFilesHoldNoLatencyRecords) {
  const RecordSet set =
      read_records({kSeed + "kernel_timelines.jsonl", kSeed + "cross_node_kernel_durations.jsonl"});
  EXPECT_TRUE(set.records.empty());
  EXPECT_EQ(set.skipped.at("no median_us"), 280U + 276U);
}

TEST(Records, ClustersOfOwnRunsNameTheVirtualGpusOfADomain) {
  const std::string recorded = FANIN_SOURCE_DIR "/experiments/recorded/";
  std::set<int> seen;
  for (const char* folder : {"h200-x1", "h200-x1-nic28", "h200-x1-virtual"}) {
    for (const Record& record : read_records({recorded + folder + "/latency.jsonl"}).records) {
      const int gpus = record.exchange.gpus_per_domain;
      std::string machine = "h200-x1";
      if (gpus > 1) machine += "-u" + std::to_string(gpus);
      const bool nic = record.json.find("\"transport\":\"emulated_nic\"") != std::string::npos;
      EXPECT_EQ(record.cluster, nic ? machine + "-nic28" : machine) << record.id;
      EXPECT_EQ(record.id.rfind(record.cluster + "/", 0), 0U) << record.id;
      seen.insert(gpus);
    }
  }
  EXPECT_EQ(seen, (std::set{1, 2, 4}));
}

TEST(Records, PlacementSaysWhatTheRanksShare) {
  const std::string head =
      R"({"id": "P", "path": "hybrid", "protocol": "role", "gpus_per_domain": 1, "ffn_ranks": 1,
          "attention_ranks": 2, "tokens": 1, "transport_sms": 2, "median_us": 50)";
  const std::string placement =
      R"(, "machine": {"sms": 12}, "placement": [{"kernel": "nic", "rank": -1, "sms": [0, 1, 2]},
          {"kernel": "ffn_dispatch", "rank": 0, "sms": [3, 4]},
          {"kernel": "ffn_copy", "rank": 0, "sms": [3, 4, 5, 6, 7]},
          {"kernel": "ffn_combine", "rank": 0, "sms": [4, 3]},
          {"kernel": "attention_reduce", "rank": 1, "sms": [5, 6, 7]}])";
  const auto placed_by = [](const std::string& line) {
    model::Exchange exchange = parse_record(line, "f:1")->exchange;
    take_placement(exchange, line, "f:1");
    return exchange;
  };
  EXPECT_FALSE(placed_by(head + "}").placed());
  EXPECT_FALSE(parse_record(head + placement + "}", "f:1")->exchange.placed());
  const model::Exchange placed = placed_by(head + placement + "}");
  EXPECT_TRUE(placed.one_gpu);
  EXPECT_EQ(placed.attention_sms, 12 - 3 - 2);
  EXPECT_EQ(placed.copy_ctas, 5);
  EXPECT_EQ(placed.reduce_ctas, 3);
  // What a line states itself goes before its placement.
  const model::Exchange stated =
      placed_by(head + R"(, "attention_sms": 4, "copy_ctas": 9)" + placement + "}");
  EXPECT_EQ(stated.attention_sms, 4);
  EXPECT_EQ(stated.copy_ctas, 9);
  EXPECT_THROW(placed_by(head + R"(, "machine": {"sms": 12}, "placement": [{"kernel": 3}]})"),
               InputError);
}

TEST(Records, LineBecomesTheExchangeThatItStates) {
  const auto record = parse_record(
      R"({"id": "X1", "set": "s", "cluster": "c", "gpus_per_domain": 4, "protocol": "symmetric_plugin_build",
          "path": "hybrid", "ffn_ranks": 8, "attention_ranks": 12, "sources": 3, "tokens": 32,
          "transport_sms": 16, "payload": "fp8", "hidden": 7168, "top_k": 6, "experts": 256,
          "capacity": 512, "channels_per_sm": 7, "tail_interval": 6, "queues": 65, "queue_depth": 1024,
          "outstanding": 1, "exit": "grid_sync", "collect_view": true, "combine_sms": 20,
          "ffn_combine_sms": 24, "variant": "ffn_combine_grid", "payload_start_delay_us": 3,
          "gemm_solo_us": [20, 30], "fix": "4:k=8+8", "routing": "random:7", "data_valid": false,
          "median_us": 88.5, "repeats_us": [88, 89]})",
      "f:1");
  ASSERT_TRUE(record);
  const model::Exchange& exchange = record->exchange;
  EXPECT_EQ(record->id, "X1");
  EXPECT_EQ(record->protocol, "symmetric_plugin_build");
  EXPECT_EQ(exchange.protocol, model::Protocol::symmetric);
  EXPECT_EQ(exchange.path, model::Path::hybrid);
  EXPECT_EQ(exchange.payload, model::Payload::fp8);
  EXPECT_EQ(exchange.sources(), 3);
  EXPECT_EQ(exchange.ffn_domains(), 2);
  EXPECT_EQ(exchange.channels(), 7 * 16);
  EXPECT_EQ(exchange.tail_interval, 6);
  EXPECT_EQ(exchange.queues, 65);
  EXPECT_EQ(exchange.outstanding, 1);
  EXPECT_EQ(exchange.exit, model::ExitMode::grid_sync);
  EXPECT_EQ(exchange.attention_combine_sms(), 20);
  EXPECT_EQ(exchange.ffn_combine_sms_used(), 24);
  EXPECT_DOUBLE_EQ(exchange.gemm_solo_us, 25.0);
  EXPECT_DOUBLE_EQ(exchange.payload_start_delay_us, 3.0);
  EXPECT_EQ(model::fixes_to_string(exchange.fixes), "4:k=8+8");
  EXPECT_EQ(record->routing, "random:7");
  EXPECT_FALSE(record->data_valid);
  EXPECT_EQ(record->repeats_us, (std::vector<double>{88, 89}));
}

TEST(Records, AbsentFieldsTakeTheirDefault) {
  const auto record = parse_record(
      R"({"protocol":"role_shared_kernels","path":"nvlink","ffn_ranks":1,"sources":3,"tokens":8,"transport_sms":24,"median_us":30})",
      "rows.jsonl:7");
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->missing.empty());
  EXPECT_EQ(record->id, "rows.jsonl:7");
  EXPECT_EQ(record->exchange.protocol, model::Protocol::role);
  EXPECT_EQ(record->exchange.attention_ranks, 3);
  EXPECT_EQ(record->exchange.gpus_per_domain, 4);
  EXPECT_EQ(record->field("hidden"), FieldValue{2048.0});
  EXPECT_EQ(record->field("top_k"), FieldValue{8.0});
  EXPECT_EQ(record->field("channels_per_sm"), FieldValue{8.0});
  EXPECT_EQ(record->field("tail_interval"), FieldValue{3.0});
  EXPECT_EQ(record->field("combine_sms"), FieldValue{24.0});
  EXPECT_EQ(record->field("queues"), FieldValue{129.0});
  EXPECT_EQ(record->field("queue_depth"), FieldValue{128.0});
  EXPECT_EQ(record->field("exit"), FieldValue{std::string("per_cta")});
  EXPECT_EQ(record->field("routing"), FieldValue{std::string("random")});
  EXPECT_EQ(record->field("sources"), FieldValue{3.0});
  EXPECT_EQ(record->field("cluster"), std::nullopt);
  EXPECT_EQ(record->field("never_heard_of"), std::nullopt);
}

TEST(Records, MissingConfigurationIsNamed) {
  const auto record = parse_record(R"({"tokens":128,"sources":2,"median_us":191})", "f:1");
  ASSERT_TRUE(record);
  const std::vector<std::string> expected = {
      "attention_ranks", "ffn_ranks", "gpus_per_domain", "path", "protocol", "transport_sms"};
  EXPECT_EQ(record->missing, expected);
  EXPECT_EQ(record->field("transport_sms"), std::nullopt);
  EXPECT_EQ(record->field("sources"), FieldValue{2.0});
  EXPECT_EQ(record->field("tokens"), FieldValue{128.0});
  try {
    record->require_configuration();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("f:1: missing attention_ranks, ffn_ranks"),
              std::string::npos)
        << error.what();
  }
}

TEST(Records, UnknownFieldsSurviveARoundTrip) {
  const std::string line =
      R"({"notes":{"rack":[7,"b"]},"id":"A","median_us":20.5,"driver":"580.1","tokens":1,"watts":612.5,"throttled":false})";
  const TemporaryFolder folder;
  const std::string path = folder.file("rows.jsonl", line + "\n");
  const RecordSet first = read_records({path});
  ASSERT_EQ(first.records.size(), 1U);
  EXPECT_EQ(first.records[0].field("driver"), FieldValue{std::string("580.1")});
  EXPECT_EQ(first.records[0].field("watts"), FieldValue{612.5});
  EXPECT_EQ(first.records[0].field("throttled"), FieldValue{false});
  EXPECT_EQ(first.records[0].field("notes"), std::nullopt);
  const std::string copy = folder.path("copy.jsonl");
  write_records(first.records, copy);
  EXPECT_EQ(folder.read("copy.jsonl"), line + "\n");
}

TEST(Records, SeedIsWrittenBackByteForByte) {
  const TemporaryFolder folder;
  write_records(read_records({kSeed + "latency.jsonl"}).records, folder.path("copy.jsonl"));
  std::ifstream original(kSeed + "latency.jsonl", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(original)), {});
  EXPECT_EQ(folder.read("copy.jsonl"), text);
}

TEST(Records, RecordMadeByTheProgramIsReadBackTheSame) {
  const Record original = by_id(read_records({kSeed + "latency.jsonl"}), "R109");
  Record made = original;
  made.json.clear();
  const auto back = parse_record(to_json_line(made), "f:1");
  ASSERT_TRUE(back);
  for (const FieldSpec& spec : record_fields()) {
    EXPECT_EQ(back->field(spec.name), original.field(spec.name)) << spec.name;
  }
  EXPECT_EQ(back->repeats_us, original.repeats_us);
}

TEST(Records, FieldsAreSortedAndFound) {
  std::set<std::string_view> names;
  std::string_view last;
  for (const FieldSpec& spec : record_fields()) {
    EXPECT_LT(last, spec.name);
    last = spec.name;
    EXPECT_EQ(find_field(spec.name)->name, spec.name);
    EXPECT_EQ(nearest_field(std::string(spec.name) + "s"), spec.name);
  }
  EXPECT_EQ(find_field("tokenz"), nullptr);
  EXPECT_EQ(nearest_field("tokenz"), "tokens");
}

TEST(Records, BlankLinesByteOrderMarkAndCarriageReturns) {
  const TemporaryFolder folder;
  const std::string path = folder.file(
      "rows.jsonl",
      "\xEF\xBB\xBF{\"id\":\"A\",\"median_us\":20}\r\n\n  \n{\"id\":\"B\",\"median_us\":21}");
  EXPECT_EQ(read_records({path}).records.size(), 2U);
}

}  // namespace
}  // namespace fanin::calibrate

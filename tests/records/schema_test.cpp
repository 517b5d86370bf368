// record.schema.json and the reader state the same fields, types and ranges.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fanin/calibrate/record.hpp"
#include "fanin/calibrate/record_fields.hpp"
#include "fanin/hw/atomic_file.hpp"
#include "fanin/hw/error.hpp"
#include "fanin_paths.hpp"

namespace fanin::calibrate {
namespace {

using Json = nlohmann::ordered_json;

const Json& schema() {
  static const Json json = Json::parse(read_file(FANIN_SOURCE_DIR "/calibrate/record.schema.json"));
  return json;
}

TEST(Schema, HasTheReadersFields) {
  const Json& properties = schema()["properties"];
  for (const FieldSpec& spec : record_fields())
    EXPECT_TRUE(properties.contains(std::string(spec.name))) << spec.name;
  EXPECT_EQ(properties.size(), record_fields().size());
  EXPECT_EQ(schema()["required"], Json::array({"median_us"}));
}

void expect_range(const Json& json, const FieldSpec& spec) {
  EXPECT_EQ(json["minimum"].get<double>(), spec.low) << spec.name;
  EXPECT_EQ(json["maximum"].get<double>(), spec.high) << spec.name;
}

TEST(Schema, HasTheReadersTypesAndRanges) {
  for (const FieldSpec& spec : record_fields()) {
    const Json& field = schema()["properties"][std::string(spec.name)];
    EXPECT_EQ(field["description"].get<std::string>().rfind(spec.meaning, 0), 0U) << spec.name;
    switch (spec.type) {
      case FieldType::text: EXPECT_EQ(field["type"], "string") << spec.name; break;
      case FieldType::boolean: EXPECT_EQ(field["type"], "boolean") << spec.name; break;
      case FieldType::integer:
        EXPECT_EQ(field["type"], "integer") << spec.name;
        expect_range(field, spec);
        break;
      case FieldType::number:
        EXPECT_EQ(field["type"], "number") << spec.name;
        expect_range(field, spec);
        break;
      case FieldType::numbers:
        expect_range(field["anyOf"][0], spec);
        EXPECT_EQ(field["anyOf"][1]["type"], "array") << spec.name;
        expect_range(field["anyOf"][1]["items"], spec);
        break;
    }
  }
}

TEST(Schema, WordsOfTheSchemaAreThoseOfTheReader) {
  for (const auto& item : schema()["properties"].items()) {
    if (!item.value().contains("enum")) continue;
    for (const Json& word : item.value()["enum"]) {
      const Json line = {{"median_us", 20}, {item.key(), word}};
      EXPECT_TRUE(parse_record(line.dump(), "f:1")) << line;
    }
    const Json other = {{"median_us", 20}, {item.key(), "other"}};
    EXPECT_THROW(parse_record(other.dump(), "f:1"), InputError) << other;
  }
}

}  // namespace
}  // namespace fanin::calibrate

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "fanin/hw/nearest.hpp"
#include "fanin/hw/parameter.hpp"

namespace fanin::hw {
namespace {

TEST(Registry, NamesAreUniqueAndSorted) {
  std::string_view last;
  for (const ParameterSpec& spec : parameter_registry()) {
    EXPECT_LT(last, spec.name);
    last = spec.name;
    EXPECT_EQ(find_parameter(spec.name), &spec);
  }
}

TEST(Registry, EveryParameterIsComplete) {
  const std::set<std::string_view> units = {"us", "ns", "GB/s", "MHz", "B", "count"};
  for (const ParameterSpec& spec : parameter_registry()) {
    EXPECT_LT(spec.low, spec.high) << spec.name;
    EXPECT_GE(spec.prior, spec.low) << spec.name;
    EXPECT_LE(spec.prior, spec.high) << spec.name;
    EXPECT_TRUE(units.contains(spec.unit)) << spec.name << ' ' << spec.unit;
    EXPECT_TRUE(spec.meaning.ends_with('.')) << spec.name;
    EXPECT_FALSE(spec.reference.empty()) << spec.name;
    EXPECT_EQ(spec.name.find('/'), std::string_view::npos) << spec.name;
  }
}

TEST(Registry, NearestNameForgivesATypingError) {
  EXPECT_EQ(nearest_parameter("nic.line_rat"), "nic.line_rate");
  EXPECT_EQ(nearest_parameter("nic.responder.fetchadd"), "nic.responder.fetch_add");
  EXPECT_EQ(find_parameter("nic.line_rat"), nullptr);
}

TEST(NearestName, EditDistance) {
  const std::string_view names[] = {"abc", "abd", "xyz"};
  EXPECT_EQ(nearest_name("abcd", names), "abc");
  EXPECT_EQ(nearest_name("xy", names), "xyz");
  EXPECT_EQ(nearest_name("", names), "abc");
  EXPECT_EQ(nearest_name("abc", {}), "");
}

}  // namespace
}  // namespace fanin::hw

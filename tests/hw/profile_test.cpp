#include "fanin/hw/profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "fanin/hw/error.hpp"
#include "temporary_folder.hpp"

namespace fanin::hw {
namespace {

Profile sample() {
  Profile profile;
  profile.name = "lab-a";
  profile.cluster = "lab";
  profile.description = "two \"hosts\"";
  profile.parameters["nic.line_rate"] = {
      49.5, "GB/s", std::array<double, 2>{49.0, 50.0}, Source::measured, "probe run 3", true};
  profile.parameters["nic.responder.fetch_add"] = {
      28.25, "ns", std::nullopt, Source::fitted, "fanin calibrate", false};
  profile.fitted_rows = {"R1", "R2"};
  profile.fitted_rows_hash = "abc";
  profile.fitted_command = "fanin calibrate --cluster lab";
  profile.ensemble = {{0.75, {{"nic.responder.fetch_add", 28.25}}},
                      {0.25, {{"nic.responder.fetch_add", 39.0}}}};
  profile.calibration_report = R"({"median_abs_pct":1.5,"correlations":[[1,0.9]]})";
  return profile;
}

TEST(Profile, RoundTrip) {
  const Profile original = sample();
  const std::string text = to_json(original);
  const Profile back = parse_profile(text, "p.json");
  EXPECT_EQ(back.name, original.name);
  EXPECT_EQ(back.cluster, original.cluster);
  EXPECT_EQ(back.description, original.description);
  EXPECT_EQ(back.fitted_rows, original.fitted_rows);
  EXPECT_EQ(back.fitted_rows_hash, original.fitted_rows_hash);
  EXPECT_EQ(back.fitted_command, original.fitted_command);
  EXPECT_EQ(back.calibration_report, original.calibration_report);
  ASSERT_EQ(back.ensemble.size(), 2U);
  EXPECT_EQ(back.ensemble[1].values, original.ensemble[1].values);
  const Parameter& rate = back.parameters.at("nic.line_rate");
  EXPECT_EQ(rate.value, 49.5);
  EXPECT_EQ(rate.source, Source::measured);
  EXPECT_EQ(rate.ci95, (std::array<double, 2>{49.0, 50.0}));
  EXPECT_EQ(rate.reference, "probe run 3");
  EXPECT_FALSE(back.parameters.at("nic.responder.fetch_add").identified);
  EXPECT_EQ(to_json(back), text);
}

TEST(Profile, TextThatIsNotUtf8IsReplaced) {
  Profile profile = sample();
  profile.fitted_command = "fanin calibrate --out caf\xE9";
  EXPECT_EQ(parse_profile(to_json(profile), "p.json").fitted_command,
            "fanin calibrate --out caf\xEF\xBF\xBD");
}

TEST(Profile, StatedValueElsePrior) {
  const Profile profile = sample();
  EXPECT_EQ(profile.value("nic.line_rate"), 49.5);
  EXPECT_EQ(profile.value("nic.wire_latency"), find_parameter("nic.wire_latency")->prior);
  EXPECT_EQ(profile.time("nic.responder.fetch_add"), from_ns(28.25));
  EXPECT_THROW(profile.value("nic.wire"), InputError);
  EXPECT_THROW(profile.time("nic.line_rate"), InputError);
  EXPECT_TRUE(profile.fitted_on("R2"));
  EXPECT_FALSE(profile.fitted_on("R3"));
}

TEST(Profile, MemberPutsItsValuesInPlace) {
  const Profile second = sample().member(1);
  EXPECT_EQ(second.value("nic.responder.fetch_add"), 39.0);
  EXPECT_EQ(second.value("nic.line_rate"), 49.5);
  EXPECT_TRUE(second.ensemble.empty());
}

std::string error_of(const std::string& text) {
  try {
    parse_profile(text, "p.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string with_parameters(const std::string& parameters, const std::string& more = "") {
  return R"({"schema":"fanin-profile","version":1,"name":"a","cluster":"c","parameters":{)" +
         parameters + "}" + more + "}";
}

TEST(BadProfile, EveryProblemIsReportedAtOnceWithItsPath) {
  const std::string error = error_of(
      R"({"schema":"fanin-profile","version":1,"nam":"a","cluster":7,"parameters":{
          "nic.line_rat":{"value":50,"unit":"GB/s","source":"fitted","reference":"r"},
          "nic.line_rate":{"value":-1,"unit":"Gb/s","source":"guessed","reference":"","ci":[1,2]},
          "gpu.sms":{"value":"many","unit":"count","source":"measured","reference":"r","ci95":[3,2]}},
          "fitted":{"rows":["A","A",1]},"ensemble":[{"weight":0.5,"values":{"gpu.sms":0}}]})");
  for (const char* part :
       {"/nam: unknown key; expected 'name'?", "/name: missing", "/cluster: wrong type",
        "/parameters/nic.line_rat: unknown parameter; expected 'nic.line_rate'?",
        "/parameters/nic.line_rate/value: -1.0; expected 0.0 to 1000.0 GB/s",
        "/parameters/nic.line_rate/unit: 'Gb/s'; expected 'GB/s'",
        "/parameters/nic.line_rate/source: 'guessed'; expected measured, fitted or literature",
        "/parameters/nic.line_rate/reference: empty",
        "/parameters/nic.line_rate/ci: unknown key; expected 'ci95'?",
        "/parameters/gpu.sms/value: wrong type",
        "/parameters/gpu.sms/ci95: ends in the wrong order", "/fitted/rows/1: \"A\" occurs twice",
        "/fitted/rows/2: wrong type", "/ensemble/0/values/gpu.sms: 0.0",
        "/ensemble: weights sum to 0.5"}) {
    EXPECT_NE(error.find(part), std::string::npos) << part << "\n" << error;
  }
  EXPECT_EQ(error.rfind("p.json: 15 problems: ", 0), 0U) << error;
  EXPECT_EQ(error.find('\n'), std::string::npos);
}

TEST(BadProfile, MalformedFiles) {
  EXPECT_EQ(error_of("").rfind("p.json: is empty", 0), 0U);
  EXPECT_NE(error_of("{\"schema\":").find("parse error at line 1"), std::string::npos);
  EXPECT_NE(error_of("[]").find("/: wrong type; expected an object"), std::string::npos);
  EXPECT_NE(error_of(with_parameters(R"("nic.line_rate":{"value":NaN})")).find("parse error"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"name":"a","name":"b"})").find("key 'name' occurs twice"),
            std::string::npos);
  EXPECT_NE(error_of(with_parameters(
                         "", R"(,"calibration":)" + std::string(100, '[') + std::string(100, ']')))
                .find("nested deeper"),
            std::string::npos);
  EXPECT_EQ(error_of(with_parameters("")), "no error");
  EXPECT_NE(
      error_of(R"({"schema":"fanin-profile","version":2,"name":"a","cluster":"c","parameters":{}})")
          .find("/version: version 2; expected 1"),
      std::string::npos);
}

TEST(BadProfile, EnsembleOrderAndWeights) {
  EXPECT_NE(error_of(with_parameters("", R"(,"ensemble":[{"weight":0.4},{"weight":0.6}])"))
                .find("/ensemble/1/weight: heavier than the first"),
            std::string::npos);
  EXPECT_NE(error_of(with_parameters("", R"(,"ensemble":[{"weight":-1},{"weight":2}])"))
                .find("/ensemble/0/weight: -1"),
            std::string::npos);
}

TEST(FindProfile, ByNameByPathAndFromAFolderOfOnesOwn) {
  const TemporaryFolder folder;
  write_profile(sample(), folder.path("lab-a.json"));
  EXPECT_EQ(find_profile(folder.path("lab-a.json")).name, "lab-a");
  EXPECT_THROW(find_profile("lab-a"), InputError);
  ::setenv("FANIN_PROFILES", folder.path("").c_str(), 1);
  EXPECT_EQ(find_profile("lab-a").name, "lab-a");
  const auto names = profile_names();
  EXPECT_NE(std::find(names.begin(), names.end(), "lab-a"), names.end());
  ::unsetenv("FANIN_PROFILES");
  try {
    find_profile("lab-b");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("h200-nvlink-domain"), std::string::npos)
        << error.what();
  }
}

TEST(FindProfile, EveryCommittedProfileIsValidAndNamedLikeItsFile) {
  const auto names = profile_names();
  EXPECT_GE(names.size(), 2U);
  for (const std::string& name : names) EXPECT_EQ(find_profile(name).name, name);
}

}  // namespace
}  // namespace fanin::hw

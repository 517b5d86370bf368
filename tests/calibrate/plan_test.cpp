#include <gtest/gtest.h>

#include <cmath>

#include "fanin/calibrate/fit_plan.hpp"
#include "fanin/hw/error.hpp"
#include "synthetic.hpp"

namespace fanin::calibrate {
namespace {

using synthetic::start;

TEST(FitPlan, ReadsDeclarationsAndChanges) {
  PlanChanges changes;
  changes.free = {"nvlink.barrier=2.5~1.5"};
  changes.fixed = {"hybrid.constant=50"};
  changes.tied = {"nic.responder.fetch_add=nic.requester.fetch_add"};
  const FitPlan plan = FitPlan::of(start(), changes);
  ASSERT_EQ(plan.size(), 3U);
  EXPECT_EQ(plan.free()[0].name(), "hybrid.combine_chain_row");
  EXPECT_EQ(plan.free()[1].names,
            (std::vector<std::string>{"nic.requester.fetch_add", "nic.responder.fetch_add"}));
  EXPECT_EQ(plan.free()[2].name(), "nvlink.barrier");
  EXPECT_DOUBLE_EQ(plan.free()[2].prior, 2.5);
  EXPECT_DOUBLE_EQ(plan.free()[2].factor, 1.5);
  const hw::Profile profile =
      plan.at(std::vector<double>{std::log(7.0), std::log(33.0), std::log(2.0)});
  EXPECT_DOUBLE_EQ(profile.value("hybrid.constant"), 50.0);
  EXPECT_NEAR(profile.value("nic.responder.fetch_add"), 33.0, 1e-9);
  EXPECT_NEAR(profile.value("nic.requester.fetch_add"), 33.0, 1e-9);
  EXPECT_NEAR(profile.value("hybrid.combine_chain_row"), 7.0, 1e-9);
}

TEST(FitPlan, StaysInsideTheRegistrysRange) {
  const FitPlan plan = FitPlan::of(start());
  const hw::Profile profile = plan.at(std::vector<double>(plan.size(), 50.0));
  EXPECT_DOUBLE_EQ(profile.value("hybrid.constant"), hw::find_parameter("hybrid.constant")->high);
}

TEST(FitPlan, RefusesWhatItCannotFree) {
  const auto message = [](const PlanChanges& changes) -> std::string {
    try {
      FitPlan::of(start(), changes);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message({{"nic.responder.fetch_ad"}, {}, {}}).find("nic.responder.fetch_add"),
            std::string::npos);
  EXPECT_NE(message({{"nic.requester.write"}, {}, {}}).find("prior above 0"), std::string::npos);
  EXPECT_NE(message({{"hybrid.constant=x"}, {}, {}}).find("no number"), std::string::npos);
  EXPECT_NE(message({{}, {}, {"hybrid.constant=gpu.sms"}}).find("that is free"), std::string::npos);
  hw::Profile nothing = start();
  for (auto& [name, parameter] : nothing.parameters) parameter.fit.reset();
  EXPECT_THROW(FitPlan::of(nothing), InputError);
}

TEST(FitPlan, DeclarationsSurviveTheFile) {
  hw::Profile profile = start();
  profile.parameters["nic.responder.fetch_add"].fit =
      hw::FitDeclaration{1.0, 2.0, "nic.requester.fetch_add"};
  const hw::Profile read = hw::parse_profile(hw::to_json(profile), "text");
  EXPECT_EQ(read.parameters.at("nic.responder.fetch_add").fit->tied_to, "nic.requester.fetch_add");
  EXPECT_DOUBLE_EQ(read.parameters.at("hybrid.constant").fit->prior, 40.0);
  EXPECT_DOUBLE_EQ(read.parameters.at("nic.requester.fetch_add").fit->factor, 3.0);
  std::string bad = hw::to_json(profile);
  bad.replace(bad.find("\"factor\":3.0"), 12, "\"factor\":0.5");
  EXPECT_THROW(hw::parse_profile(bad, "text"), InputError);
}

TEST(FitPlan, RefusesToFitWhatTheSimulatorDoesNotRead) {
  try {
    FitPlan::of(hw::Profile(), {{"gpu.sm_clock"}, {}, {}});
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "--free: parameter 'gpu.sm_clock'; expected one that the simulator reads; this one "
        "only describes the machine");
  }
}

}  // namespace
}  // namespace fanin::calibrate

#include <gtest/gtest.h>

#include <sstream>

#include "fanin/calibrate/law_contest.hpp"
#include "fanin/calibrate/law_slopes.hpp"
#include "fanin/hw/error.hpp"
#include "fanin/model/law_family.hpp"

namespace {

using fanin::InputError;
using fanin::calibrate::contest;
using fanin::calibrate::Contest;
using fanin::calibrate::ContestOptions;
using fanin::calibrate::LawFit;
using fanin::calibrate::parse_record;
using fanin::calibrate::Record;
using fanin::calibrate::Standing;
using fanin::calibrate::Where;

/// Records of a law, with a fixed pattern of errors of up to `error`.
std::vector<Record> records_of(const char* law, const std::vector<double>& values, double error) {
  std::vector<Record> records;
  for (int sources = 1; sources <= 3; ++sources) {
    for (const int sms : {8, 16, 24, 32, 48}) {
      fanin::model::LawPoint point;
      point.transport_sms = sms;
      point.sources = sources;
      point.tokens = 1;
      const double pattern = ((sms / 8 + 2 * sources) % 5 - 2) / 2.0;
      const double time =
          fanin::model::find_law(law)->evaluate(values, point) * (1.0 + error * pattern);
      std::ostringstream line;
      line.precision(12);
      line << R"({"id":"X)" << records.size() << R"(","set":"made","cluster":"made",)"
           << R"("protocol":"role","path":"hybrid","gpus_per_domain":4,"ffn_ranks":4,)"
           << R"("attention_ranks":)" << 4 * sources << R"(,"sources":)" << sources
           << R"(,"tokens":1,"transport_sms":)" << sms << R"(,"median_us":)" << time << "}";
      records.push_back(*parse_record(line.str(), "made"));
    }
  }
  return records;
}

ContestOptions quick() {
  ContestOptions options;
  options.fit.draws = 50;
  return options;
}

TEST(Contest, JudgesManyRowsAsItJudgesFew) {
  std::vector<Record> many;
  const std::vector<Record> few = records_of("H_B", {50, 80, 12}, 0.08);
  for (int copy = 0; many.size() < 12000; ++copy) {
    for (Record record : few) {
      record.id += "/" + std::to_string(copy);
      many.push_back(std::move(record));
    }
  }
  ContestOptions options = quick();
  options.laws = {fanin::model::find_law("H_A"), fanin::model::find_law("H_B")};
  const Contest result = contest(many, options);
  ASSERT_EQ(result.best, 1U);
  EXPECT_EQ(result.laws[1].better_share, 1.0);
  EXPECT_EQ(result.laws[0].standing, Standing::rejected);

  const Contest resampled = contest(few, options);
  EXPECT_LT(result.laws[0].better_share, resampled.laws[0].better_share);
}

TEST(Contest, FindsTheLawThatMadeTheRows) {
  const std::pair<const char*, std::vector<double>> truths[] = {
      {"H_A", {60, 50, 6}}, {"H_B", {50, 80, 12}}, {"competing_resources", {50, 9, 57, 89, 16}}};
  for (const auto& [law, values] : truths) {
    ContestOptions options = quick();
    options.holdout = Where::parse("sources=3");
    const Contest result = contest(records_of(law, values, 0.004), options);
    ASSERT_TRUE(result.best.has_value());
    // A law that contains the true one may win by a hair; the true one must then stand.
    for (const auto& contestant : result.laws) {
      if (contestant.fit.law->name == law) {
        EXPECT_NE(contestant.standing, Standing::rejected) << law;
      }
    }
  }
}

TEST(Contest, RejectsTheRival) {
  const Contest result = contest(records_of("H_B", {50, 80, 12}, 0.004), quick());
  for (const auto& contestant : result.laws) {
    if (contestant.fit.law->name == "H_A" || contestant.fit.law->name == "H_QP") {
      EXPECT_EQ(contestant.standing, Standing::rejected);
    }
  }
}

TEST(Contest, HoldOutIsASecondFit) {
  ContestOptions options = quick();
  options.laws = {fanin::model::find_law("H_A")};
  const std::vector<Record> records = records_of("competing_resources", {50, 9, 57, 89, 16}, 0.0);
  const double all = contest(records, options).laws.front().fit.in_sample.max_abs;
  options.holdout = Where::parse("sources=3");
  const Contest split = contest(records, options);
  EXPECT_EQ(split.laws.front().fit.in_sample.max_abs, all);
  EXPECT_EQ(split.held_out.size(), 5u);
  EXPECT_EQ(split.laws.front().held_out->errors.pct.size(), 5u);
  options.holdout.reset();
  std::vector<Record> rest = Where::parse("sources<3").select(records);
  EXPECT_EQ(split.laws.front().held_out->values, contest(rest, options).laws.front().fit.values);
}

TEST(Contest, ByDefaultLawsThatIgnoreWhatVariesAreNotTried) {
  const Contest result = contest(records_of("H_A", {60, 50, 6}, 0.01), quick());
  const auto untried = [&](const char* law) {
    return std::find(result.untried.begin(), result.untried.end(), law) != result.untried.end();
  };
  EXPECT_TRUE(untried("per_rank"));
  EXPECT_TRUE(untried("fixed_per_row"));
  EXPECT_FALSE(untried("H_B"));
}

TEST(Contest, NamesMissingFieldsAndBadHoldOuts) {
  std::vector<Record> records;
  for (int i = 0; i < 5; ++i) {
    records.push_back(*parse_record(R"({"id":"Y)" + std::to_string(i) + R"(","median_us":)" +
                                        std::to_string(20 + i) + R"(,"tokens":)" +
                                        std::to_string(1 << i) + "}",
                                    "made"));
  }
  const Contest result = contest(records, quick());
  bool named = false;
  for (const auto& refusal : result.refused) {
    if (refusal.law->name == "H_A") {
      named = refusal.reason.find("transport_sms") != std::string::npos &&
              refusal.reason.find("sources") != std::string::npos;
    }
  }
  EXPECT_TRUE(named);
  ContestOptions options = quick();
  options.holdout = Where::parse("tokens=77");
  EXPECT_THROW(contest(records, options), InputError);
  options.holdout = Where::parse("tokens>=1");
  EXPECT_THROW(contest(records, options), InputError);
}

TEST(Contest, OneRowIsAnErrorThatSaysHowManyAreNeeded) {
  const std::vector<Record> one{records_of("H_A", {60, 50, 6}, 0.0).front()};
  try {
    contest(one, quick());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("at least 4 are needed"), std::string::npos)
        << error.what();
  }
}

TEST(Slopes, AreThoseOfTheLaw) {
  ContestOptions options = quick();
  options.laws = {fanin::model::find_law("H_A"), fanin::model::find_law("H_B")};
  const Contest result = contest(records_of("H_A", {60, 50, 6}, 0.0), options);
  std::vector<const LawFit*> fits;
  for (const auto& contestant : result.laws) fits.push_back(&contestant.fit);
  const auto slopes = channel_slopes(result.rows, fits);
  ASSERT_EQ(slopes.size(), 3u);
  for (std::size_t s = 0; s < 3; ++s) {
    EXPECT_NEAR(slopes[s].measured_ns, 50.0 * static_cast<double>(s + 1), 1e-6);
    EXPECT_NEAR(slopes[s].predicted_ns[0], 50.0 * static_cast<double>(s + 1), 1e-6);
    EXPECT_NEAR(slopes[s].predicted_ns[1], slopes[0].predicted_ns[1], 1e-6);
  }
}

}  // namespace

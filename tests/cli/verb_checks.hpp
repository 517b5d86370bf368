// What every verb promises, checked on a run of the program.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "fanin_paths.hpp"
#include "program.hpp"

inline const std::string kOneToken =
    "'set=cross_node_sm_sweep_s1_s2|cross_node_sm_sweep_s3,tokens=1'";
inline const std::string kExternal = FANIN_SOURCE_DIR "/experiments/recorded/external/";

/// Exit 0 and one JSON object on stdout.
inline nlohmann::json json_of(const std::string& arguments, int code = 0) {
  const ProgramResult result = run_program(arguments + " --json");
  EXPECT_EQ(result.code, code) << arguments << '\n' << result.err;
  const nlohmann::json json = nlohmann::json::parse(result.out, nullptr, false);
  EXPECT_TRUE(json.is_object()) << arguments << '\n' << result.out;
  return json;
}

/// Exit 2, nothing on stdout, one line on stderr that says `what`.
inline void expect_refused(const std::string& arguments, const std::string& what) {
  const ProgramResult result = run_program(arguments);
  EXPECT_EQ(result.code, 2) << arguments << '\n' << result.err;
  EXPECT_EQ(result.out, "") << arguments;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << arguments << result.err;
  EXPECT_NE(result.err.find(what), std::string::npos) << arguments << '\n' << result.err;
}

// Runs the built program and gives what it said.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "fanin_paths.hpp"
#include "temporary_folder.hpp"

struct ProgramResult {
  int code = 0;
  std::string out;
  std::string err;
};

/// `arguments` as a shell takes them.
inline ProgramResult run_program(const std::string& arguments) {
  const TemporaryFolder folder;
  const std::string command = std::string(FANIN_PROGRAM) + " " + arguments + " >" +
                              folder.path("out") + " 2>" + folder.path("err") + " </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, folder.read("out"), folder.read("err")};
}

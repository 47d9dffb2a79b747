// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the end-to-end tests share: a folder of their own, and running thrum in it.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "child_process.hpp"

// Each test has a fresh folder, gone at its end.
class EndToEnd : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  // Runs thrum in the folder. Fails the test where it times out or leaves a process behind.
  ChildResult thrum(const std::vector<std::string>& arguments);
  // Starts thrum in the folder, in a process group of its own, its output thrown away; returns its process.
  pid_t start(const std::vector<std::string>& arguments) const;
  static std::vector<pid_t> children_of(pid_t process);
  // Whether this build has what --strategy mcr needs.
  bool has_solver();
  // Any command, in a directory.
  ChildResult run(const std::vector<std::string>& command, const std::string& directory,
                  const std::vector<std::string>& environment = {});

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  // Writes a file into the folder and returns its path.
  std::string write(const std::string& name, const std::string& text) const;
  static std::string read(const std::string& path);
  // Compiles a source file into the folder with `thrum c++` or `thrum cc`, and returns the program's path.
  std::string build(const std::string& source);

  // Checks with --json and returns the result, held against the schema. Expects the exit code. command: of
  // thrum.
  nlohmann::json check(std::vector<std::string> arguments, int exit_code,
                       const std::vector<std::string>& command = {"check"});

 private:
  std::string folder_;
};

// An example of the repository.
std::string example(const std::string& name);

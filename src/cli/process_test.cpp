// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/process.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "cli/temporary_folder.hpp"
#include "verdict/text_file.hpp"

namespace thrum {
namespace {

class RunAll : public testing::Test {
 protected:
  Task task(const std::string& script, const std::string& name) const {
    return {{"sh", "-c", script}, folder_.path(), at(name)};
  }
  std::string at(const std::string& name) const { return folder_.path() + "/" + name; }
  bool is_there(const std::string& name) const { return std::filesystem::exists(at(name)); }

  TemporaryFolder folder_{std::filesystem::temp_directory_path().string()};
};

TEST_F(RunAll, EachRunsInItsFolderAndItsOutputIsKept) {
  std::vector<Task> tasks;
  for (int i = 0; i < 7; ++i)
    tasks.push_back(task("pwd; echo " + std::to_string(i) + " >&2", "out" + std::to_string(i)));
  for (std::size_t jobs : {1U, 3U, 10U}) {
    ASSERT_EQ(run_all(tasks, jobs), std::nullopt);
    for (int i = 0; i < 7; ++i) {
      EXPECT_EQ(read_file(at("out" + std::to_string(i))), folder_.path() + "\n" + std::to_string(i) + "\n");
      std::filesystem::remove(at("out" + std::to_string(i)));
    }
  }
  EXPECT_EQ(run_all({}, 2), std::nullopt);
}

// Two run at a time: each waits for what the other writes.
TEST_F(RunAll, AsManyRunAtOnceAsAreAllowed) {
  const std::string wait = "; for i in $(seq 1000); do [ -e $0 ] && exit 0; sleep 0.01; done; exit 1";
  Task first = task("touch one" + wait, "out1"), second = task("touch two" + wait, "out2");
  first.command.emplace_back("two");
  second.command.emplace_back("one");
  EXPECT_EQ(run_all({first, second}, 2), std::nullopt);
}

TEST_F(RunAll, AFailureEndsTheOthersAndIsNamed) {
  const std::vector<Task> tasks = {task("exec sleep 100", "out0"), task("touch begun; exit 3", "out1"),
                                   task("touch never", "out2")};
  EXPECT_EQ(run_all(tasks, 2), 1U);
  EXPECT_TRUE(is_there("begun"));
  EXPECT_FALSE(is_there("never"));
}

TEST_F(RunAll, WhatCannotBeStartedFails) {
  EXPECT_EQ(run_all({task("true", "out0"), {{"no-such-program-anywhere"}, folder_.path(), at("out1")}}, 1),
            1U);
  EXPECT_EQ(run_all({{{"true"}, at("no-such-folder"), at("out")}}, 1), 0U);
  EXPECT_EQ(run_all({{{"true"}, folder_.path(), at("no-such-folder/out")}}, 1), 0U);
}

}  // namespace
}  // namespace thrum

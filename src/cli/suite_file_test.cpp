// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/suite_file.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "model/suite_schedule.hpp"
#include "support/random.hpp"

namespace thrum {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFirstLines =
    "finished 0000000000000001 0.1@3=0.2\n"
    "finished 0000000000000002\n";
constexpr const char* kSecondLines = "waiting 0000000000000003 waiting=written 0@1=0.1\n";

class SuiteFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "thrum-suite-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path() const { return folder_ + "/program.suite"; }
  std::string bytes() const {
    std::ifstream in(path());
    return {std::istreambuf_iterator<char>(in), {}};
  }

  static TraceFile header(const std::string& test) {
    TraceFile file;
    file.invocation.program = "/a/program";
    file.invocation.arguments = {"--", "x y"};
    file.invocation.directory = "/a";
    file.invocation.test = test;
    file.strategy = "unfolding";
    file.heap = "lifo";
    file.races = "report";
    file.steps = 77;
    file.seed = 5;
    file.plan.departures.push_back({{kMainThread, ChoiceKind::value, 0}, {1, Via::run}});
    file.modules = {"/a/program"};
    file.trace.details.known_races = {
        {{Place::Space::module, 0, 0, 16}, {Place::Space::module, 0, 0, 32}, {}, 4}};
    return file;
  }

  static bool add(SuiteWriter& writer, const TraceFile& header, bool exhausted, const std::string& lines) {
    const OpenFile file(memfd_create("lines", MFD_CLOEXEC));
    return write_all(file.descriptor(), lines, 3) &&
           writer.add(header, exhausted, {file.descriptor(), 3, lines.size()});
  }

  std::string written() const {
    SuiteWriter writer(path());
    EXPECT_TRUE(writer.ok());
    EXPECT_TRUE(add(writer, header("Queue.Push"), true, kFirstLines));
    EXPECT_TRUE(add(writer, header("Queue.Pop"), false, kSecondLines));
    EXPECT_TRUE(writer.finish());
    EXPECT_EQ(writer.schedules(), 3U);
    EXPECT_FALSE(writer.exhausted());
    return bytes();
  }

 private:
  std::string folder_;
};

TEST_F(SuiteFileTest, IsReadAsItWasWritten) {
  const std::string text = written();
  EXPECT_TRUE(is_suite(text));
  std::string problem;
  const std::optional<Suite> suite = suite_of_text(text, problem);
  ASSERT_TRUE(suite) << problem;
  EXPECT_EQ(suite->schedules, 3U);
  EXPECT_FALSE(suite->exhausted);
  ASSERT_EQ(suite->sections.size(), 2U);
  const SuiteSection& first = suite->sections[0];
  EXPECT_TRUE(first.exhausted);
  EXPECT_EQ(first.first, 1U);
  EXPECT_EQ(first.text, kFirstLines);
  ASSERT_EQ(first.lines.size(), 2U);
  EXPECT_EQ(first.lines[1], "finished 0000000000000002");
  EXPECT_EQ(first.header.invocation.program, "/a/program");
  EXPECT_EQ(first.header.invocation.arguments, (std::vector<std::string>{"--", "x y"}));
  EXPECT_EQ(first.header.invocation.test, "Queue.Push");
  EXPECT_EQ(first.header.steps, 77U);
  EXPECT_EQ(first.header.seed, 5U);
  EXPECT_TRUE(first.header.plan.departures.empty()) << "schedules are the lines'";
  EXPECT_EQ(first.header.trace.details.known_races, header("").trace.details.known_races);
  const SuiteSection& second = suite->sections[1];
  EXPECT_FALSE(second.exhausted);
  EXPECT_EQ(second.first, 3U);
  EXPECT_EQ(second.text, kSecondLines);
}

TEST_F(SuiteFileTest, HasALineForEachSchedule) {
  const std::string text = written();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 6);
  EXPECT_EQ(text.find("end 3 "), text.size() - 23);
}

TEST_F(SuiteFileTest, MayBeOfNothing) {
  SuiteWriter writer(path());
  ASSERT_TRUE(writer.finish());
  std::string problem;
  const std::optional<Suite> suite = suite_of_text(bytes(), problem);
  ASSERT_TRUE(suite) << problem;
  EXPECT_EQ(suite->schedules, 0U);
  EXPECT_TRUE(suite->sections.empty());
}

TEST_F(SuiteFileTest, EachTruncationIsFound) {
  const std::string text = written();
  for (std::size_t size = 0; size < text.size(); ++size) {
    std::string problem;
    EXPECT_FALSE(suite_of_text(text.substr(0, size), problem)) << size;
    EXPECT_EQ(problem, "the suite is damaged or not whole; make it again") << size;
  }
}

TEST_F(SuiteFileTest, EachDamageIsFound) {
  const std::string text = written();
  Random random(3);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << random.below(7)));
    std::string problem;
    EXPECT_FALSE(suite_of_text(damaged, problem)) << i;
    EXPECT_EQ(problem.find('\n'), std::string::npos);
    EXPECT_NE(problem, "");
  }
  std::string problem;
  EXPECT_FALSE(suite_of_text(text + "\n", problem));
  EXPECT_FALSE(suite_of_text(text + text, problem));
}

TEST_F(SuiteFileTest, OfAnotherVersionIsToldApart) {
  std::string text = written();
  text.replace(text.find(":1,"), 3, ":9,");
  std::string problem;
  EXPECT_FALSE(suite_of_text(text, problem));
  EXPECT_EQ(problem, "the suite was written by another version of thrum; make it again");
}

TEST_F(SuiteFileTest, LeavesTheOldOneUntilItIsFinished) {
  std::ofstream(path()) << "old";
  {
    SuiteWriter writer(path());
    EXPECT_TRUE(add(writer, header(""), true, kFirstLines));
    EXPECT_EQ(bytes(), "old");
  }
  EXPECT_EQ(bytes(), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(path()).parent_path()), {}), 1);
  written();
  EXPECT_TRUE(is_suite(bytes()));
}

TEST_F(SuiteFileTest, TakesWholeLinesOnly) {
  SuiteWriter writer(path());
  EXPECT_FALSE(add(writer, header(""), true, "finished 0000000000000001 0.1@"));
  SuiteWriter other(path());
  EXPECT_FALSE(other.add(header(""), true, {-1, 0, 10})) << "they cannot be read";
}

}  // namespace
}  // namespace thrum

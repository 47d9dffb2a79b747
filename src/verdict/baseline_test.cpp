// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verdict/baseline.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "verdict/error.hpp"

namespace thrum {
namespace {

// A file that is gone at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_(testing::TempDir() + "thrum-baseline-" +
              testing::UnitTest::GetInstance()->current_test_info()->name() + ".json") {
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

BugResult bug(const std::string& fingerprint) {
  BugResult result;
  result.kind = "assertion";
  result.message = "m";
  result.fingerprint = fingerprint;
  return result;
}

Result result_with(const std::vector<std::string>& fingerprints) {
  Result result;
  result.tests.emplace_back();
  for (const std::string& one : fingerprints) result.tests[0].bugs.push_back(bug(one));
  return result;
}

TEST(Baseline, TellsNewKnownAndGone) {
  TemporaryFile file(to_json(result_with({"a", "b"})));
  Baseline baseline(file.path());
  Result result = result_with({"b", "c"});
  baseline.mark(result.tests[0]);
  EXPECT_TRUE(result.tests[0].bugs[0].known);
  EXPECT_FALSE(result.tests[0].bugs[1].known);
  EXPECT_EQ(baseline.result().known, 1U);
  EXPECT_EQ(baseline.result().fresh, 1U);
  ASSERT_EQ(baseline.result().not_seen.size(), 1U);
  EXPECT_EQ(baseline.result().not_seen[0].fingerprint, "a");
}

// A bug of one test is not known in another, nor missed there.
TEST(Baseline, GoesByTest) {
  TemporaryFile file(to_json(result_with({"a"})));
  Baseline baseline(file.path());
  Result result = result_with({"a"});
  result.tests[0].name = "Queue.Pop";
  baseline.mark(result.tests[0]);
  EXPECT_FALSE(result.tests[0].bugs[0].known);
  EXPECT_TRUE(baseline.result().not_seen.empty());
}

TEST(Baseline, RefusesOtherFiles) {
  EXPECT_THROW(Baseline("/no/such/file.json"), UserError);
  EXPECT_THROW(Baseline("/"), UserError);
  for (const char* text :
       {"", "{}", "[]", R"({"schema": 2, "tests": []})", R"({"schema": 1, "tests": [{}]})"}) {
    TemporaryFile file(text);
    EXPECT_THROW(Baseline(file.path()), UserError) << text;
  }
}

}  // namespace
}  // namespace thrum

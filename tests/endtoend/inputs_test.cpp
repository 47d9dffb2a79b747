// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs of many values: some of them are tried, and the result says so.
#include <fstream>
#include <string>

#include "endtoend.hpp"

namespace {

using nlohmann::json;

class Inputs : public EndToEnd {
 protected:
  // The test of the result of checking a program that draws n and says what is wrong with it.
  json draw(const std::string& before, const std::string& fails, int code,
            const std::vector<std::string>& options = {}) {
    std::vector<std::string> words = {write("program.c", R"(
#include <assert.h>
#include <pthread.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
static unsigned n;
static void* check(void* unused) {
  assert(!()" + fails + R"());
  return unused;
}
int main(void) {
  )" + before + R"(
  pthread_t thread;
  pthread_create(&thread, 0, check, 0);
  pthread_join(thread, 0);
  return 0;
})")};
    words.insert(words.end(), options.begin(), options.end());
    return check(words, code)["tests"][0];
  }
};

TEST_F(Inputs, ConstantsThatTheProgramComparesWithAreTried) {
  EXPECT_EQ(draw("n = __VERIFIER_nondet_uint();", "n == 25", 1)["bugs"][0]["kind"], "assertion");
  EXPECT_EQ(
      draw("n = __VERIFIER_nondet_uint(); __VERIFIER_assume(n >= 20 && n < 40);", "n == 25", 1)["verdict"],
      "bug");
  EXPECT_EQ(draw("n = (unsigned)__VERIFIER_nondet_int();", "n == 0x80000000u", 1)["verdict"], "bug");
  EXPECT_EQ(draw("__VERIFIER_nondet_uint(); n = __VERIFIER_nondet_uint();", "n == 123456", 1)["verdict"],
            "bug");
}

TEST_F(Inputs, ThatWereDrawnAreNeverAll) {
  const json test = draw("n = __VERIFIER_nondet_uint();", "n != n", 0);
  EXPECT_EQ(test["verdict"], "inconclusive");
  EXPECT_FALSE(test["complete"]);
  EXPECT_EQ(test["guarantee"]["inputs"], "some");
  EXPECT_EQ(test["reason"].get<std::string>().rfind("some inputs", 0), 0u) << test["reason"];
  EXPECT_NE(test["guarantee"]["text"].get<std::string>().find("for 64 vectors of inputs"), std::string::npos);
  EXPECT_EQ(draw("n = __VERIFIER_nondet_uint();", "n != n", 3, {"--require-exhausted"})["verdict"],
            "inconclusive");
}

TEST_F(Inputs, ThatAllFailTheAssumptionsProveNothing) {
  const json test = draw("n = __VERIFIER_nondet_uint(); __VERIFIER_assume(n != n);", "1", 3);
  EXPECT_EQ(test["verdict"], "inconclusive");
  EXPECT_EQ(test["reason"], "no execution passed the assumptions, so nothing was checked");
}

TEST_F(Inputs, CostNothing) {
  const json test = draw("n = __VERIFIER_nondet_uint();", "n == 25", 1, {"--bound", "preemptions=0"});
  EXPECT_EQ(test["bugs"][0]["preemptions"], 0);
}

// The plan of a trace may fix inputs, as a search by a solver does; others are drawn as ever.
TEST_F(Inputs, ThatThePlanFixesAreReplayed) {
  const json bug = draw("n = __VERIFIER_nondet_uint();", "n == 25", 1)["bugs"][0];
  json trace = json::parse(std::ifstream(path(bug["trace"].get<std::string>())));
  const auto replay = [&](std::uint32_t number, std::uint32_t bits, const char* bytes) {
    trace["plan"]["inputs"] = {{{"thread", "0"}, {"number", number}, {"bits", bits}, {"bytes", bytes}}};
    return thrum({"replay", write("fixed.trace.json", trace.dump())});
  };
  EXPECT_EQ(replay(0, 32, "07000000").exit_code, 0);
  EXPECT_EQ(replay(0, 32, "19000000").exit_code, 1);
  EXPECT_EQ(replay(1, 32, "07000000").exit_code, 1) << "there is no second input";
  const ChildResult shown = thrum({"show", path("fixed.trace.json")});
  EXPECT_EQ(shown.exit_code, 0);
  for (const char* wrong : {"0700000", "zz000000", "07"})
    EXPECT_EQ(replay(0, 32, wrong).exit_code, 2) << wrong;
}

}  // namespace

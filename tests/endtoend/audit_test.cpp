// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The control audit: what is decided by something that Thrum does not control is told, and proves nothing.
#include "endtoend.hpp"

namespace {

using nlohmann::json;

class Audit : public EndToEnd {};

constexpr const char* kStamp = R"(
#include <x86intrin.h>
#include <atomic>
#include <thread>
std::atomic<unsigned> stamp;
int main() {
  auto work = [] { stamp = static_cast<unsigned>(__rdtsc()); };
  std::thread a(work), b(work);
  a.join();
  b.join();
}
)";

// Takes locks or not, by the processor's clock: each another one, so that two runs are the same only where
// they have decided the same 32 times.
constexpr const char* kDecision = R"(
#include <x86intrin.h>
#include <mutex>
#include <thread>
std::mutex locks[16];
int main() {
  auto work = [] {
    for (std::mutex& lock : locks) {
      if (__rdtsc() * 0x9e3779b97f4a7c15 >> 63 == 0) std::lock_guard guard(lock);
    }
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}
)";

TEST_F(Audit, TellsAValueThatDiffers) {
  const std::string program = build(write("stamp.cpp", kStamp));
  for (const char* strategy : {"auto", "icb", "dfs", "dpor", "random", "best-first"}) {
    SCOPED_TRACE(strategy);
    const json test = check({program, "--strategy", strategy, "--executions", "100"}, 3)["tests"][0];
    EXPECT_EQ(test["verdict"], "inconclusive");
    EXPECT_EQ(test["audited"], 1);
    const json& divergence = test["divergence"];
    EXPECT_NE(divergence["likely_cause"].get<std::string>().find("the value comes from real time"),
              std::string::npos);
    for (const char* side : {"first", "second"}) {
      EXPECT_TRUE(divergence[side]["operation"].get<std::string>().starts_with("stamp = "));
      EXPECT_EQ(divergence[side]["stack"][0]["line"], 7);
    }
    EXPECT_NE(divergence["first"]["operation"], divergence["second"]["operation"]);
  }
  const ChildResult result = thrum({"check", program});
  EXPECT_NE(result.output.find("\nTwo runs of one schedule differ at event 3.\n  first  0.1  stamp = "),
            std::string::npos)
      << result.output;
}

// It shows in an audit, or where a schedule cannot be followed.
TEST_F(Audit, ADecisionByTheClockProvesNothing) {
  const std::string program = build(write("decision.cpp", kDecision));
  for (const char* strategy : {"icb", "dfs", "dpor"}) {
    const json test = check({program, "--strategy", strategy}, 3)["tests"][0];
    EXPECT_EQ(test["verdict"], "inconclusive") << strategy;
  }
}

// What is under control is audited in vain, and seldom.
TEST_F(Audit, TakesLittleOfASearch) {
  const json test =
      check({build(example("treiber_aba.cpp")), "--keep-going", "--strategy", "dfs"}, 1)["tests"][0];
  EXPECT_GT(test["audited"], 0);
  EXPECT_LT(test["audited"], test["executions"].get<int>() / 1000 + 25);
  EXPECT_FALSE(test.contains("divergence"));
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/assumptions.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

std::vector<Assumption> some() {
  return {{"races-not-checked", 1, "DATA RACES WERE NOT LOOKED FOR.", {}},
          general_assumption("inputs-fixed"),
          {"steps-cut", 2, "2 executions were cut.", {}},
          general_assumption("spins")};
}

TEST(Assumptions, WhatIsTheSameEachTimeIsNamed) {
  EXPECT_EQ(assumptions_text(some(), {}), R"(!! DATA RACES WERE NOT LOOKED FOR.
This holds under these assumptions:
  - 2 executions were cut.
and, as always: fixed inputs, fair waiting loops (thrum help assumptions).
)");
  EXPECT_EQ(assumptions_text({general_assumption("inputs-fixed")}, {}),
            "Assumed as always: fixed inputs (thrum help assumptions).\n");
  EXPECT_EQ(assumptions_text({}, {}), "");
}

TEST(Assumptions, AllOfItWhereAsked) {
  TextStyle style;
  style.assumptions = true;
  std::string text = assumptions_text(some(), style);
  EXPECT_NE(text.find("  - Inputs are fixed: arguments,"), std::string::npos) << text;
  EXPECT_EQ(text.find("as always"), std::string::npos) << text;
}

// The same kind with words of its own is particular to a check.
TEST(Assumptions, OtherWordsAreShown) {
  std::string text =
      assumptions_text({{"inputs-fixed", 1, "The clock was read before the first choice.", {}}}, {});
  EXPECT_NE(text.find("The clock was read"), std::string::npos) << text;
}

TEST(Assumptions, PageHoldsEachOnce) {
  std::string page = assumptions_page({});
  for (const GeneralAssumption& one : general_assumptions()) {
    std::size_t at = page.find("\n" + std::string(one.kind) + "\n");
    ASSERT_NE(at, std::string::npos) << one.kind;
    EXPECT_EQ(page.find("\n" + std::string(one.kind) + "\n", at + 1), std::string::npos) << one.kind;
  }
}

}  // namespace
}  // namespace thrum

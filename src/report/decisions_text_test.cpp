// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/decisions_text.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

TEST(DecisionsText, IsATable) {
  CausalityResult causality;
  EXPECT_EQ(decisions_text(causality, {}), "") << "only where it is asked for";
  causality.reads = {
      {{"", "", "/a/b/one.c", 12, "f"}, "flag", {"0.1", "0.2"}, {"0", "1"}, 2, 3, 0, ""},
      {{"", "", "/a/b/one.c", 20, "f"}, "total", {"0"}, {"7"}, 1, 1, 0, ""},
      {{}, "", {"0.1"}, {"0", "1", "2", "3", "4", "5", "6", "7", "8"}, 30, 2, 1, "the solver gave up"}};
  causality.undecided_places = {{{"", "0.1", "/a/b/one.c", 14, "f"}, "the solver gave up"}};
  EXPECT_EQ(decisions_text(causality, {}),
            "Decisions:\n"
            "  read at   of    threads  gave                                other values\n"
            "  one.c:12  flag  0.1 0.2  0, 1                                none\n"
            "  ?         ?     0.1      0, 1, 2, 3, 4, 5, 6, 7 and 22 more  undecided: the solver gave up\n"
            "  1 other place gave one value only, and can give no other\n"
            "  undecided behind one.c:14 in thread 0.1: the solver gave up\n");
}

TEST(DecisionsText, SaysThatThereAreNone) {
  CausalityResult causality;
  causality.reads.emplace();
  EXPECT_EQ(decisions_text(causality, {}), "Decisions: no read gave several values.\n");
}

}  // namespace
}  // namespace thrum

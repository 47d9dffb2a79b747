// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/bug.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

TEST(Bug, NumbersAreNoPartOfWhatABugIs) {
  EXPECT_EQ(without_numbers("signed integer overflow: 2147483647 + -1"), "signed integer overflow: # + #");
  EXPECT_EQ(without_numbers("store to misaligned address 0x7fffA0, again 3.5."),
            "store to misaligned address #, again #.");
  EXPECT_EQ(without_numbers("int32_t x1 v"), "int32_t x1 v") << "a digit in a word is no number";
  EXPECT_EQ(without_numbers("5"), "#");
  EXPECT_EQ(without_numbers(""), "");
}

TEST(Bug, SamePlaceWithOtherOperandsIsTheSameBug) {
  Failure a{BugKind::undefined_behaviour, "signed integer overflow: 1 + 2", kMainThread, 17, {}};
  Failure b{BugKind::undefined_behaviour, "signed integer overflow: 3 + 4", 1, 17, {}};
  EXPECT_TRUE(same_bug(a, b));
  b.code = 18;
  EXPECT_FALSE(same_bug(a, b));
  b = {BugKind::undefined_behaviour, "shift exponent 3 is too large", kMainThread, 17, {}};
  EXPECT_FALSE(same_bug(a, b));
  b = a;
  b.kind = BugKind::assertion;
  EXPECT_FALSE(same_bug(a, b));
}

TEST(Bug, DeadlocksAreToldApartByWhoWaitsWhere) {
  Failure a{BugKind::deadlock, "no thread can go on", kMainThread, 1, {}};
  a.waiters = {{kMainThread, Operation::thread_join, 1, 1, false, 1}, {1, Operation::lock, 2, 2, false, 7}};
  Failure b = a;
  b.waiters.erase(b.waiters.begin());
  EXPECT_TRUE(same_bug(a, b)) << "whether somebody waits for one of them to end is nothing to the bug";
  b.waiters[0].code = 8;
  EXPECT_FALSE(same_bug(a, b));
}

}  // namespace
}  // namespace thrum

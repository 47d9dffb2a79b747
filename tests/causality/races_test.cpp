// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data races among the states (race_tracking.hpp): programs that have one in few executions, such that one
// mistake in the rules is enough to miss it. Random programs seldom are like that, and where the values
// decide whether there is a race, an execution that is run for them shows it by chance.
#include <gtest/gtest.h>

#include <string>

#include "causality/compare_causality.hpp"

namespace thrum {
namespace {

struct Program {
  std::string name;
  std::string text;
};

void PrintTo(const Program& program, std::ostream* out) { *out << program.name; }

class CausalityRace : public testing::TestWithParam<Program> {};

TEST_P(CausalityRace, IsFound) {
  const std::optional<ToyCode> code = parse(GetParam().text);
  ASSERT_TRUE(code);
  ASSERT_TRUE(enumerate(*code, {.only_races = true}).racy);
  EXPECT_EQ(find_race_by_asking(*code), "");
  CausalityCount count;
  EXPECT_EQ(compare_races(*code, true, count), "");
}

std::string name_of(const testing::TestParamInfo<Program>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Of, CausalityRace,
    testing::Values(
        // t1 holds the lock whenever t2 tries, and has released it before that.
        Program{"FailedTry", R"(thread t0
  create t1
  create t2
thread t1
  write p0 1
  lock m0
  unlock m0
  lock m0
  store.relaxed x0 1
thread t2
  load.relaxed x0 r0
  skip r0 0 3
  trylock m0 r1
  skip r1 1 1
  write p0 2
)"},
        // All read the same whichever comes first. But in one of the orders nothing orders the two writes.
        Program{"LocksInTheOtherOrder", R"(thread t0
  create t1
  create t2
thread t1
  write p0 1
  lock m0
  unlock m0
thread t2
  lock m0
  unlock m0
  write p0 2
)"},
        Program{"PostOfAnotherThread", R"(thread t0
  create t1
  create t2
  create t3
thread t1
  write p0 1
  up s0
thread t2
  down s0
  write p0 2
thread t3
  up s0
)"},
        // t1 comes first: its section does not know of what it writes behind it, in the same step.
        Program{"BehindASection", R"(thread t0
  create t1
  create t2
thread t1
  addboth x0 x0 1
  write p0 1
thread t2
  addboth x1 x1 1
  write p0 2
)"},
        Program{"SectionsInTheOtherOrder", R"(thread t0
  create t1
  create t2
thread t1
  write p0 1
  addboth x0 x0 1
thread t2
  addboth x1 x1 1
  write p0 2
)"},
        // t2 stores behind t1 and does not know of its store; t3 knows of t2's only.
        Program{"SameAccessOfAThreadThatDoesNotKnow", R"(thread t0
  create t1
  create t2
  create t3
thread t1
  store.relaxed x0 1
  store.relaxed x1 1
thread t2
  load.relaxed x1 r0
  skip r0 0 1
  store.release x0 2
thread t3
  load.acquire x0 r0
  skip r0 0 2
  skip r0 1 1
  peek x0 r1
)"},
        Program{"AcquireFenceForRelease", R"(thread t0
  create t1
  create t2
thread t1
  write p0 1
  fence.acquire
  store.relaxed x0 1
thread t2
  load.acquire x0 r0
  skip r0 0 1
  write p0 2
)"},
        Program{"ReleaseFenceForAcquire", R"(thread t0
  create t1
  create t2
thread t1
  write p0 1
  store.release x0 1
thread t2
  load.relaxed x0 r0
  fence.release
  skip r0 0 1
  write p0 2
)"},
        Program{"StoreEndsAReleaseSequence", R"(thread t0
  create t1
  create t2
thread t1
  write p0 1
  store.release x0 1
  store.relaxed x0 2
thread t2
  load.acquire x0 r0
  skip r0 0 2
  skip r0 1 1
  write p0 2
)"},
        Program{"FailedCompareExchangeDoesNotRelease", R"(thread t0
  create t1
  create t2
thread t1
  write p0 1
  cas.release x0 r0 5 6
  store.relaxed x1 1
thread t2
  load.relaxed x1 r0
  load.acquire x0 r1
  skip r0 0 1
  write p0 2
)"},
        Program{"UpdateThatLeavesTheValueDoesNotRelease", R"(thread t0
  create t1
  create t2
thread t1
  write p0 1
  add.release x0 r0 0
  store.relaxed x1 1
thread t2
  load.relaxed x1 r0
  load.acquire x0 r1
  skip r0 0 1
  write p0 2
)"},
        // Signals let nobody know. t1 is known to t2 only if it leaves the lock before.
        Program{"OrderOfSignals", R"(thread t0
  create t1
  create t2
  create t3
thread t1
  lock m0
  wait c0 m0
  write p0 1
  unlock m0
thread t2
  lock m0
  wait c0 m0
  unlock m0
  write p0 2
thread t3
  signal c0
  signal c0
)"}),
    name_of);

}  // namespace
}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Race detection and flipping on small programs whose executions are known. reduction_test.cpp has the random
// ones.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "oracle/toy_program.hpp"
#include "search/reduction/dpor.hpp"
#include "search/reduction/race_flip.hpp"

namespace thrum {
namespace {

// Main creates the others, and has nothing else to do; thread i + 1 consists of texts[i].
ToyCode code_of(const std::vector<std::string>& texts) {
  std::string text = "thread t0\n";
  for (std::size_t i = 1; i <= texts.size(); ++i) text += "create t" + std::to_string(i) + "\n";
  for (std::size_t i = 1; i <= texts.size(); ++i)
    text += "thread t" + std::to_string(i) + "\n" + texts[i - 1];
  return parse(text).value();
}

std::string times(int n, const std::string& line) {
  std::string text;
  for (int i = 0; i < n; ++i) text += line;
  return text;
}

// The schedules of a search in their order, and their classes.
struct Ran {
  std::vector<std::string> schedules;
  std::set<std::uint64_t> classes;
};

Ran run(Dpor&& search, const ToyCode& code) {
  ToyProgram program(code);
  Ran ran;
  Plan plan;
  Trace trace;
  while (search.next(plan)) {
    program.run(plan, search.advisor(), search.wanted(), trace);
    search.learn(plan, trace);
    ran.schedules.push_back(program.schedule());
    ran.classes.insert(search.last_order()->fingerprint());
  }
  EXPECT_FALSE(search.is_lost());
  EXPECT_TRUE(search.guarantee().complete);
  return ran;
}

struct Counts {
  std::size_t classes;
  std::size_t race_flip;
  std::size_t persistent;
  friend bool operator==(const Counts&, const Counts&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Counts& counts) {
    return out << counts.classes << " classes, " << counts.race_flip << " and " << counts.persistent;
  }
};

Counts counts_of(const std::vector<std::string>& texts) {
  const ToyCode code = code_of(texts);
  const Ran optimal = run(Dpor(Dpor::Algorithm::optimal), code);
  const Ran flipped = run(RaceFlip(), code);
  const Ran persistent = run(Dpor(Dpor::Algorithm::persistent), code);
  EXPECT_EQ(flipped.classes, optimal.classes);
  EXPECT_EQ(persistent.classes, optimal.classes);
  return {optimal.schedules.size(), flipped.schedules.size(), persistent.schedules.size()};
}

const std::string kLoad = "load x0 r0\n";
const std::string kStore = "store x0 1\n";
const std::string kStoreApart = "store x1 1\n";
const std::string kSection = "lock m0\nunlock m0\n";

TEST(RaceFlip, PostponesAThreadUntilItsRaceIsFlipped) {
  EXPECT_EQ(run(RaceFlip(), code_of({kStore, kLoad, kStoreApart})).schedules,
            (std::vector<std::string>{"123", "213"}));
  EXPECT_EQ(run(RaceFlip(), code_of({kStore, kStoreApart, kStore})).schedules,
            (std::vector<std::string>{"123", "231"}));
}

// Were each race with a postponed thread left out, 312 would be missed.
TEST(RaceFlip, CountsARaceWithAPostponedThreadThatNeedsAnother) {
  EXPECT_EQ(run(RaceFlip(), code_of({kStore, kLoad, kLoad})).schedules,
            (std::vector<std::string>{"123", "213", "231", "312"}));
}

// A thread that waits for a lock has no step there. The acquisitions race, or whoever waits in vain does.
TEST(RaceFlip, FlipsAcquisitions) {
  const std::string one = "lock m0\nlock m1\nunlock m1\nunlock m0\n";
  const std::string other = "lock m1\nlock m0\nunlock m0\nunlock m1\n";
  EXPECT_EQ(run(RaceFlip(), code_of({one, other})).schedules,
            (std::vector<std::string>{"11112222", "12", "22221111"}));
  EXPECT_EQ(run(RaceFlip(), code_of({kSection, kSection, kSection})).schedules,
            (std::vector<std::string>{"112233", "113322", "221133", "223311", "331122", "332211"}));
}

TEST(RaceFlip, RunsEachClassOnceWhereFewStepsRace) {
  for (std::size_t n = 1; n <= 4; ++n) {
    std::vector<std::string> readers(n + 1, kLoad);
    readers[0] = kStore;
    const std::size_t classes = std::size_t{1} << n;
    EXPECT_EQ(counts_of(readers), (Counts{classes, classes, classes})) << n << " readers";
  }
  EXPECT_EQ(counts_of({kStore, kStore, kStore, kStore}), (Counts{24, 24, 24}));
  EXPECT_EQ(counts_of({kStore, kStore, kStoreApart, kStoreApart}), (Counts{4, 4, 4}));
  EXPECT_EQ(counts_of({times(3, kSection), times(3, kSection)}), (Counts{20, 20, 20}));
  EXPECT_EQ(counts_of({times(2, kSection), times(2, kSection), times(2, kSection)}), (Counts{90, 90, 90}));
}

// fib of docs/semantics.md, "Known counts", whatever is stored: 1,107 classes where each thread goes round
// four times.
TEST(RaceFlip, RunsEachClassOfFib) {
  const std::string first = "load x0 r0\nload x1 r1\nstore x0 r1\n";
  const std::string second = "load x1 r1\nload x0 r0\nstore x1 r0\n";
  EXPECT_EQ(counts_of({times(2, first), times(2, second)}), (Counts{19, 19, 19}));
  EXPECT_EQ(counts_of({times(4, first), times(4, second)}), (Counts{1107, 1107, 1107}));
}

// The thread that runs next need not be the one that a race names.
TEST(RaceFlip, RunsSomeClassesOfOthersAgain) {
  EXPECT_EQ(counts_of({kLoad, kLoad, kLoad, kLoad, kStore}), (Counts{16, 25, 16}));
}

}  // namespace
}  // namespace thrum

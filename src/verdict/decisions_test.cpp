// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verdict/decisions.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace thrum {
namespace {

using Words = std::vector<std::string>;

// None of the places has a name.
WorkerOutcome outcome(std::vector<ShownRead> reads) {
  WorkerOutcome outcome;
  outcome.decisions.reads = std::move(reads);
  outcome.decision_threads = {"0", "0.1", "0.2"};
  return outcome;
}

std::vector<ReadResult> reads_of(const WorkerOutcome& outcome, bool is_weakened = false) {
  CausalityResult result;
  add_decisions(outcome, true, is_weakened, result);
  return result.reads.value();
}

TEST(Decisions, OfThreadsThatReadTheSameAreOne) {
  const std::vector<ReadResult> reads =
      reads_of(outcome({{.thread = 1, .size = 4, .values = {0, 1}, .ways = 2},
                        {.thread = 2, .size = 4, .values = {0, 1}, .ways = 3},
                        {.thread = 0, .size = 4, .values = {5}, .ways = 1}}));
  ASSERT_EQ(reads.size(), 2u);
  EXPECT_EQ(reads[0].threads, Words{"0"});
  EXPECT_EQ(reads[1].threads, (Words{"0.1", "0.2"}));
  EXPECT_EQ(reads[1].ways, 5u);
  EXPECT_EQ(reads[1].values, (Words{"0", "1"}));
}

TEST(Decisions, KeepApartWhatIsUndecided) {
  const std::vector<ReadResult> reads = reads_of(
      outcome({{.thread = 1, .size = 4, .values = {0, 1}, .ways = 2},
               {.thread = 2, .size = 4, .values = {0, 1}, .ways = 3, .undecided = 1, .reason = "why"}}));
  ASSERT_EQ(reads.size(), 2u);
  EXPECT_EQ(reads[0].undecided, 0u);
  EXPECT_EQ(reads[0].reason, "");
  EXPECT_EQ(reads[1].undecided, 1u);
  EXPECT_EQ(reads[1].reason, "why");
}

TEST(Decisions, ShowNumbersAsDebuggersDo) {
  const auto words = [](std::uint64_t value, std::uint32_t size) {
    return reads_of(outcome({{.size = size, .values = {value}, .ways = 1}})).at(0).values.at(0);
  };
  EXPECT_EQ(words(0xff, 1), "255");
  EXPECT_EQ(words(0xffff, 2), "-1");
  EXPECT_EQ(words(0xfffffffe, 4), "-2");
  EXPECT_EQ(words(0xffffffffffffffff, 8), "-1");
  EXPECT_EQ(words(0x7f0000001000, 8), "0x7f0000001000");
  const std::vector<ReadResult> reads =
      reads_of(outcome({{.size = 4, .values = {1, 0xffffffff}, .ways = 1}}));
  EXPECT_EQ(reads.at(0).values, (Words{"-1", "1"})) << "in their order";
}

TEST(Decisions, AreManyValuesInPart) {
  std::vector<std::uint64_t> values;
  for (std::uint64_t value = 0; value < 100; ++value) values.push_back(value);
  const ReadResult read = reads_of(outcome({{.size = 4, .values = values, .ways = 1}})).at(0);
  EXPECT_EQ(read.values.size(), ReadResult::kValuesMax);
  EXPECT_EQ(read.values_count, 100u);
}

// What the search did not see may write other values.
TEST(Decisions, AreNotProvedByASearchThatLostSight) {
  const WorkerOutcome all = outcome({{.thread = 1, .size = 4, .values = {0, 1}, .ways = 2}});
  const ReadResult read = reads_of(all, true).at(0);
  EXPECT_EQ(read.undecided, 2u);
  EXPECT_NE(read.reason, "");
  CausalityResult result;
  result.unreachable = 2;
  add_decisions(all, false, true, result);
  EXPECT_EQ(result.unreachable, 0u);
  EXPECT_FALSE(result.reads) << "they were not asked for";
}

TEST(Decisions, UndecidedPlacesNameTheirThreads) {
  WorkerOutcome all = outcome({});
  all.decisions.undecided = {{.thread = 2, .reason = "why"}};
  CausalityResult result;
  add_decisions(all, false, false, result);
  ASSERT_EQ(result.undecided_places.size(), 1u);
  EXPECT_EQ(result.undecided_places[0].where.thread, "0.2");
  EXPECT_EQ(result.undecided_places[0].reason, "why");
}

}  // namespace
}  // namespace thrum

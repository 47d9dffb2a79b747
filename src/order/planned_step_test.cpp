// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/planned_step.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace thrum {
namespace {

// One of several hundred steps; many differ in one field only, which may be one that is not hashed.
PlannedStep random_step(std::mt19937& random) {
  PlannedStep step;
  step.step.option = {static_cast<ThreadId>(random() % 2), Via::run};
  step.step.choices = random() % 2;
  step.event.thread = step.step.option.value;
  step.event.object = random() % 4 * 64;
  step.event.value = random() % 4;
  step.event.code = random() % 2;
  step.events_after = random() % 2;
  if (random() % 4 == 0) step.foe.add({1, false, 0});
  step.creates = random() % 4 == 0;
  step.alternative = random() % 8 == 0;
  step.awake = random() % 8 == 0;
  return step;
}

// Steps are kept, released, saved and loaded, compared with a list that is searched linearly.
TEST(PlannedSteps, KeepsEachOnceForAsLongAsItIsHeld) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    PlannedSteps steps;
    std::vector<PlannedStep> known;                                  // each step once
    std::vector<std::pair<std::size_t, PlannedSteps::Number>> held;  // index in `known`, and number
    auto number_of = [&](std::size_t step) {
      auto found =
          std::find_if(held.begin(), held.end(), [&](const auto& each) { return each.first == step; });
      return found == held.end() ? ~PlannedSteps::Number{0} : found->second;
    };
    for (int round = 0; round < 3000; ++round) {
      const bool is_growing = round / 500 % 2 == 0;
      if (held.empty() || random() % 8 < (is_growing ? 6 : 2)) {
        const PlannedStep step = random_step(random);
        const auto found =
            static_cast<std::size_t>(std::find(known.begin(), known.end(), step) - known.begin());
        if (found == known.size()) known.push_back(step);
        const PlannedSteps::Number before = number_of(found);
        const PlannedSteps::Number number = steps.keep(step);
        EXPECT_TRUE(before == ~PlannedSteps::Number{0} || number == before);
        held.emplace_back(found, number);
      } else {
        const std::size_t at = random() % held.size();
        steps.release(held[at].second);
        held[at] = held.back();
        held.pop_back();
      }
      if (round % 100 != 99) continue;
      if (random() % 2 == 0) {
        ByteWriter out;
        steps.save(out);
        ByteReader in(out.bytes());
        steps = PlannedSteps();
        steps.load(in);
        ASSERT_TRUE(in.ok() && in.at_end());
      }
      std::map<PlannedSteps::Number, std::size_t> different;
      for (const auto& [step, number] : held) {
        EXPECT_EQ(steps[number], known[step]);
        EXPECT_EQ(different.emplace(number, step).first->second, step);
      }
      EXPECT_EQ(steps.size(), different.size());
    }
  }
}

std::vector<Departure> list_of(std::uint16_t first, std::uint16_t second) {
  return {{{1, ChoiceKind::value, 4}, {first, Via::run}}, {{1, ChoiceKind::value, 5}, {second, Via::run}}};
}

TEST(InnerChoices, EqualListsHaveOneNumber) {
  InnerChoices choices;
  EXPECT_EQ(choices.number_of({}), 0u);
  const std::uint32_t first = choices.number_of(list_of(1, 2));
  const std::uint32_t second = choices.number_of(list_of(2, 1));
  EXPECT_NE(first, second);
  EXPECT_EQ(choices.number_of(list_of(1, 2)), first);
  EXPECT_EQ(choices[second], list_of(2, 1));
  EXPECT_TRUE(choices[0].empty());
}

TEST(InnerChoices, AreTakenUpWithTheirNumbers) {
  InnerChoices choices;
  for (std::uint16_t i = 0; i < 300; ++i) choices.number_of(list_of(i, 0));
  ByteWriter out;
  choices.save(out);
  InnerChoices other;
  ByteReader in(out.bytes());
  other.load(in);
  EXPECT_TRUE(in.ok() && in.at_end());
  for (std::uint16_t i = 0; i < 300; ++i) EXPECT_EQ(other.number_of(list_of(i, 0)), i + 1u);
}

// All pairs of operations, each on one of two objects, with what some of them compare besides.
TEST(Essential, DecidesOnDependenceAsTheEventDoes) {
  std::vector<Event> events;
  for (int operation = 0; operation < kOperationCount; ++operation) {
    for (const Outcome outcome : {Outcome::done, Outcome::failed, Outcome::timed_out, Outcome::unchanged}) {
      for (std::uint32_t which = 0; which < 8; ++which) {
        Event event;
        event.operation = static_cast<Operation>(operation);
        event.outcome = outcome;
        event.object = which % 2 == 0 ? 16 : 18;
        event.size = which % 4 / 2 * 4;
        event.operand = which / 4 == 0 ? 16 : 0;
        event.value = which / 4;
        event.code = which;
        events.push_back(event);
      }
    }
  }
  std::size_t depend = 0;
  for (const Event& a : events) {
    for (Event b : events) {
      b.thread = 1;
      ASSERT_EQ(dependent(essential(a), essential(b)), dependent(a, b))
          << operation_name(a.operation) << ", " << operation_name(b.operation);
      depend += dependent(a, b) ? 1 : 0;
    }
  }
  EXPECT_GT(depend, events.size());
  EXPECT_LT(depend, events.size() * events.size() / 2);
}

TEST(Essential, LeavesOutWhatIsReadAndWritten) {
  Event event;
  event.object = 16;
  event.size = 4;
  Event other = event;
  other.value = 1;
  other.operand = 2;
  EXPECT_EQ(essential(event), essential(other));
}

}  // namespace
}  // namespace thrum

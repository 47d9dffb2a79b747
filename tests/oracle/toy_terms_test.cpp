// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The terms that toy programs record, against the values that they record.
//
//   THRUM_ORACLE_PROGRAMS  random programs of each family (200)
//   THRUM_ORACLE_SEED      seed of the first (1); the next has the next seed
#include "oracle/toy_terms.hpp"

#include <gtest/gtest.h>

#include <map>

#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "oracle/toy_program.hpp"
#include "support/random.hpp"

namespace thrum {
namespace {

constexpr Wanted kAll{Wanted::kChoices | Wanted::kEvents | Wanted::kAccesses | Wanted::kTerms |
                      Wanted::kDecisions};

struct Count {
  std::uint64_t reads = 0;
  std::uint64_t written = 0;  // terms of what was written
  std::uint64_t decisions = 0;
  std::uint64_t of_events = 0;
  std::uint64_t inputs = 0;
};

// What one trace says of its terms.
class Check {
 public:
  Check(ToyProgram& program, const Plan& plan, const Trace& trace, Count& count)
      : program_(program), plan_(plan), trace_(trace), count_(count) {}

  void run() {
    for (const RecordedInput& input : trace_.inputs) take_input(input);
    for (const EventTerms& terms : trace_.terms) take_read(terms.read, trace_.events[terms.event].value);
    for (const RecordedAccess& access : trace_.accesses) {
      if (!access.writes) take_read(access.term, access.value);
    }
    TermValues values(program_.terms(), symbols_);
    for (const EventTerms& terms : trace_.terms) {
      if (terms.written == kNoTerm) continue;
      ++count_.written;
      EXPECT_EQ(values.of(terms.written), trace_.events[terms.event].operand);
    }
    for (const RecordedAccess& access : trace_.accesses) {
      if (access.term == kNoTerm) continue;
      EXPECT_EQ(values.of(access.term), access.value);
      if (access.writes) ++count_.written;
    }
    for (const Decision& decision : trace_.decisions) check_decision(decision, values);
  }

 private:
  void set(std::uint32_t symbol, Bits value) {
    if (symbols_.size() <= symbol) symbols_.resize(symbol + std::size_t{1});
    EXPECT_TRUE(named_.insert(symbol).second) << "two values of one symbol";
    symbols_[symbol] = value;
  }

  void take_input(const RecordedInput& input) {
    ++count_.inputs;
    const SymbolNames::Name expected{true, input.thread, 0, input.number, input.bits};
    EXPECT_EQ(program_.symbols()[input.symbol], expected);
    for (const InputValue& given : plan_.inputs) {
      if (given.thread != input.thread || given.number != input.number || given.bits != input.bits) continue;
      return set(input.symbol, static_cast<unsigned char>(given.bytes[0]) & bits_up_to(input.bits));
    }
    set(input.symbol, 0);
  }

  // Each read has a symbol of its own.
  void take_read(Term term, std::uint64_t value) {
    if (term == kNoTerm) return;
    const Terms::Node& node = program_.terms()[term];
    ASSERT_EQ(node.kind, TermKind::symbol);
    EXPECT_FALSE(program_.symbols()[node.operands[0]].is_input);
    ++count_.reads;
    set(node.operands[0], value);
  }

  void check_decision(const Decision& decision, TermValues& values) {
    ++count_.decisions;
    EXPECT_FALSE(program_.terms().is_constant(decision.term));
    EXPECT_EQ(values.of(decision.term), decision.outcome);
    EXPECT_LE(decision.event, trace_.events.size());
    EXPECT_LE(decision.accesses, trace_.accesses.size());
    if (!decision.of_event) return;
    ++count_.of_events;
    const Event& event = trace_.events[decision.event - std::size_t{1}];
    EXPECT_EQ(event.thread, decision.thread);
    EXPECT_EQ(event.operation, Operation::compare_exchange);
    EXPECT_EQ(event.outcome != Outcome::failed, decision.outcome == 1);
  }

  ToyProgram& program_;
  const Plan& plan_;
  const Trace& trace_;
  Count& count_;
  std::vector<Bits> symbols_;
  std::set<std::uint32_t> named_;
};

// A random schedule, and some of the inputs.
Plan random_plan(Random& random, const Trace& last) {
  Plan plan;
  plan.policy.kind = Policy::Kind::random;
  plan.policy.seed = random.next();
  for (const RecordedInput& input : last.inputs) {
    const auto value = static_cast<char>(random.below(256));
    if (random.below(4) != 0)
      plan.inputs.push_back({input.thread, input.number, input.bits, std::string(1, value)});
  }
  return plan;
}

Count check_program(const ToyCode& code, std::uint64_t seed) {
  constexpr int kExecutions = 20;
  Random random(seed);
  ToyProgram program(code);
  Trace trace;
  Count count;
  for (int i = 0; i < kExecutions; ++i) {
    const Plan plan = random_plan(random, trace);
    program.run(plan, nullptr, kAll, trace);
    Check(program, plan, trace, count).run();
    if (::testing::Test::HasFailure()) break;
  }
  return count;
}

class ToyTerms : public ::testing::TestWithParam<Family> {};

TEST_P(ToyTerms, HaveTheRecordedValues) {
  const std::uint64_t first = setting("THRUM_ORACLE_SEED", 1);
  const std::uint64_t programs = setting("THRUM_ORACLE_PROGRAMS", 200);
  Count all;
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    const ToyCode code = larger_program(seed, GetParam());
    const Count count = check_program(code, seed);
    ASSERT_FALSE(HasFailure()) << "seed " << seed << "\n" << print(code);
    all.reads += count.reads;
    all.written += count.written;
    all.decisions += count.decisions;
    all.of_events += count.of_events;
    all.inputs += count.inputs;
  }
  EXPECT_GT(all.reads, programs);
  EXPECT_GT(all.written, programs);
  EXPECT_GT(all.decisions, programs);
  EXPECT_GT(all.of_events, programs / 10);
}

INSTANTIATE_TEST_SUITE_P(All, ToyTerms,
                         ::testing::Values(Family::a, Family::b, Family::c, Family::e, Family::f),
                         [](const auto& tested) { return name_of(tested.param); });

Plan with_input(std::uint32_t bits, char value) {
  Plan plan;
  plan.inputs.push_back({kMainThread, 0, bits, std::string(1, value)});
  return plan;
}

// An index and sums that wrap around, by hand.
TEST(ToyTermsByHand, FollowInputsThroughArithmeticAndIndices) {
  ToyProgram program(parse(R"(
thread t0
  input r0 3
  store x2 4
  loadat r0 r1
  subtract r1 9
  storeat r1 r1
  below r1 9 1
  unequal r1 r0
  load x1 r2
)")
                         .value());
  Trace trace;
  Count count;
  const Plan plan = with_input(3, 5);
  program.run(plan, nullptr, kAll, trace);
  Check(program, plan, trace, count).run();
  // 4 - 9 is 2^32 - 5, and its remainder 2.
  ASSERT_EQ(trace.events.size(), 4u);
  EXPECT_EQ(trace.events[1].value, 4u);
  EXPECT_EQ(trace.events[2].object, toy_object('x', 2));
  EXPECT_EQ(trace.events[2].operand, 0xfffffffbu);
  std::vector<std::uint64_t> outcomes;
  for (const Decision& decision : trace.decisions) outcomes.push_back(decision.outcome);
  EXPECT_EQ(outcomes, (std::vector<std::uint64_t>{2, 2, 0, 0}));
  EXPECT_EQ(trace.decisions[0].event, 1u);
  EXPECT_EQ(trace.decisions[0].code, toy_place(0, 2));
  ASSERT_EQ(trace.inputs.size(), 1u);
  EXPECT_EQ(trace.inputs[0].bits, 3u);
}

// Accesses with values stand in the place of footprints.
TEST(ToyTermsByHand, RecordEachAccessOnce) {
  ToyProgram program(parse(R"(
thread t0
  write p1 3
  readtwo q0 r0
  addboth x0 x0 r0
  peek x0 r1
  move x0 x1 r2
)")
                         .value());
  Trace trace;
  program.run({}, nullptr, {kAll.what | Wanted::kFootprints}, trace);
  std::vector<std::string> accesses;
  for (const RecordedAccess& access : trace.accesses) {
    accesses.push_back(std::string(access.writes ? "write " : "read ") + std::to_string(access.object) + " " +
                       std::to_string(access.size) + " " + std::to_string(access.value) + " " +
                       std::to_string(access.event));
  }
  const auto variable = [](int number) { return std::to_string(toy_object('x', number)) + " 1 "; };
  const auto data = [](int number) { return std::to_string(toy_address('p', number)) + " 4 "; };
  const std::vector<std::string> expected = {
      "write " + data(1) + "3 0",     "read " + data(0) + "0 0",      "read " + data(1) + "3 0",
      "read " + variable(0) + "0 1",  "write " + variable(0) + "3 1", "read " + variable(0) + "3 1",
      "write " + variable(0) + "6 1", "read " + variable(0) + "6 1",  "read " + variable(0) + "6 2",
      "read " + variable(1) + "0 2",  "write " + variable(1) + "6 2"};
  EXPECT_EQ(accesses, expected);
}

// The name says which read it is, on other ways through the program too.
TEST(ToyTermsByHand, NameSymbolsForGood) {
  ToyProgram program(parse(R"(
thread t0
  input r0 1
  skip r0 0 1
  load x0 r1
  load x1 r1
  input r2 2
)")
                         .value());
  const auto symbols = [&](char value) {
    Trace trace;
    program.run(with_input(1, value), nullptr, kAll, trace);
    std::vector<std::uint32_t> found;
    for (const EventTerms& terms : trace.terms) found.push_back(program.terms()[terms.read].operands[0]);
    for (const RecordedInput& input : trace.inputs) found.push_back(input.symbol);
    return found;
  };
  const std::vector<std::uint32_t> longer = symbols(1);
  const std::vector<std::uint32_t> shorter = symbols(0);
  EXPECT_EQ(symbols(1), longer);
  ASSERT_EQ(longer.size(), 4u);
  EXPECT_EQ(shorter, (std::vector<std::uint32_t>{longer[0], longer[2], longer[3]}));
  EXPECT_EQ(std::set<std::uint32_t>(longer.begin(), longer.end()).size(), 4u);
}

}  // namespace
}  // namespace thrum

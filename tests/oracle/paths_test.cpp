// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ways that threads of toy programs go: all executions of ToyProgram, with all inputs, against brute
// force.
//
//   THRUM_ORACLE_PATHS  random programs of each family (300)
//   THRUM_ORACLE_SEED   seed of the first (1); the next has the next seed
#include "oracle/paths.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <tuple>

#include "oracle/compare.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "oracle/shrink.hpp"
#include "oracle/toy_program.hpp"
#include "search/systematic/systematic.hpp"

namespace thrum {
namespace {

constexpr std::size_t kInterleavingsMax = 300;
// Of all vectors of inputs together; other inputs than 0 may let many more threads run.
constexpr std::size_t kPathsExecutionsMax = 3'000;

// What all executions show.
struct ShownPaths {
  std::set<std::string> local_paths;
  std::set<std::string> local_paths_with_values;
  std::set<std::string> paths;
  std::set<std::string> paths_with_values;
  std::set<ToyBug> bugs;
  std::size_t input_vectors = 0;
  std::size_t executions = 0;
  bool gave_up = false;
};

class AllExecutions {
 public:
  explicit AllExecutions(const ToyCode& code) : program_(code) {
    program_.record_local_paths(&shown_.local_paths, &shown_.local_paths_with_values);
  }

  // Which inputs there are shows only in executions: goes on until there are no others.
  ShownPaths run() {
    std::set<InputName> known;
    do {
      known = met_;
      shown_.input_vectors = 0;
      with_all_inputs(known.begin(), known.end(), {});
    } while (known != met_ && !shown_.gave_up);
    return shown_;
  }

 private:
  using InputName = std::tuple<ThreadId, std::uint32_t, std::uint32_t>;  // thread, number, width
  using NextName = std::set<InputName>::const_iterator;

  void with_all_inputs(NextName next, NextName end, const std::vector<InputValue>& inputs) {
    if (next == end) return with_all_schedules(inputs);
    std::vector<InputValue> more = inputs;
    const auto& [thread, number, bits] = *next++;
    more.push_back({thread, number, bits, ""});
    for (int value = 0; value < 1 << bits; ++value) {
      more.back().bytes = std::string(1, static_cast<char>(value));
      with_all_inputs(next, end, more);
    }
  }

  void with_all_schedules(const std::vector<InputValue>& inputs) {
    ++shown_.input_vectors;
    Systematic::Settings depth_first;
    depth_first.cheapest_first = false;
    Systematic search(depth_first);
    Wanted wanted = search.wanted();
    wanted.what |= Wanted::kTerms;
    Plan plan;
    Trace trace;
    while (!shown_.gave_up && search.next(plan)) {
      shown_.gave_up = ++shown_.executions > kPathsExecutionsMax;
      Plan with_inputs = plan;
      with_inputs.inputs = inputs;
      program_.run(with_inputs, nullptr, wanted, trace);
      for (const RecordedInput& input : trace.inputs) met_.insert({input.thread, input.number, input.bits});
      if (trace.end == End::bug) shown_.bugs.insert(bug_of(trace.failure));
      if (trace.end == End::finished || trace.failure.kind == BugKind::deadlock) {
        shown_.paths.insert(program_.path(PathForm::outcomes));
        shown_.paths_with_values.insert(program_.path(PathForm::with_values));
      }
      search.learn(plan, trace);
    }
  }

  ToyProgram program_;
  ShownPaths shown_;
  std::set<InputName> met_;
};

// The first difference; empty: there is none.
template <typename Set>
std::string difference(const char* what, const Set& expected, const Set& shown) {
  const auto text = [](const auto& of) {
    if constexpr (std::is_same_v<typename Set::value_type, ToyBug>) {
      return name_of(of);
    } else {
      return of;
    }
  };
  for (const auto& one : expected) {
    if (!shown.contains(one)) return std::string(what) + " not shown: " + text(one);
  }
  for (const auto& one : shown) {
    if (!expected.contains(one)) return std::string(what) + " that brute force lacks: " + text(one);
  }
  return "";
}

std::set<std::string> without_values(const std::set<std::string>& all) {
  std::set<std::string> result;
  for (const std::string& text : all) result.insert(thrum::without_values(text));
  return result;
}

std::string compare_paths(const ToyCode& code, const ShownPaths& shown) {
  const Paths paths = find_paths(code);
  const Paths valued = find_paths(code, {.form = PathForm::with_values});
  for (const std::string& text :
       {difference("local path", paths.local_paths, shown.local_paths),
        difference("local path with values", valued.local_paths, shown.local_paths_with_values),
        difference("path", paths.paths, shown.paths),
        difference("path with values", valued.paths, shown.paths_with_values),
        difference("bug", paths.bugs, shown.bugs), difference("bug", valued.bugs, shown.bugs),
        difference("local path", paths.local_paths, without_values(valued.local_paths)),
        difference("path", paths.paths, without_values(valued.paths))}) {
    if (!text.empty()) return text;
  }
  return "";
}

std::string compare_paths(const ToyCode& code) {
  const ShownPaths shown = AllExecutions(code).run();
  return shown.gave_up ? "" : compare_paths(code, shown);
}

struct PathTotals {
  std::size_t compared = 0;
  std::size_t local_paths = 0;
  std::size_t paths = 0;
  std::size_t with_bugs = 0;
  std::size_t with_deadlocks = 0;
  std::size_t racy = 0;
  std::size_t input_vectors = 0;
  std::size_t executions = 0;
  std::size_t states = 0;
};

class PathsOf : public ::testing::TestWithParam<Family> {};

PathTotals compare_programs(Family family, bool spurious) {
  const std::uint64_t first = setting("THRUM_ORACLE_SEED", 1);
  const std::uint64_t programs = setting("THRUM_ORACLE_PATHS", by_default(300));
  PathTotals totals;
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    RandomProgram program = random_program(seed, family, kInterleavingsMax);
    if (spurious) program = with_spurious(program, kInterleavingsMax * 4);
    if (program.findings.gave_up) continue;
    const ShownPaths shown = AllExecutions(program.code).run();
    if (shown.gave_up) continue;
    ++totals.compared;
    const std::string wrong = compare_paths(program.code, shown);
    if (!wrong.empty()) {
      const ToyCode small =
          shrink(program.code, [](const ToyCode& code) { return !compare_paths(code).empty(); });
      ADD_FAILURE() << "seed " << seed << ": " << compare_paths(small) << "\n" << print(small);
      break;
    }
    const Paths judged = find_paths(program.code, {.judge_races = true, .states_max = 20'000});
    if (!judged.gave_up) {
      EXPECT_EQ(judged.local_paths, shown.local_paths) << "seed " << seed;
      // The oracle knows of no inputs but 0.
      if (family != Family::f) {
        EXPECT_EQ(judged.racy, program.findings.racy) << "seed " << seed;
      }
      EXPECT_TRUE(judged.racy || !program.findings.racy) << "seed " << seed;
    }
    totals.local_paths += shown.local_paths.size();
    totals.paths += shown.paths.size();
    totals.with_bugs += !shown.bugs.empty();
    totals.with_deadlocks += std::any_of(shown.bugs.begin(), shown.bugs.end(),
                                         [](const ToyBug& bug) { return bug.kind == BugKind::deadlock; });
    totals.racy += judged.racy;
    totals.input_vectors += shown.input_vectors;
    totals.executions += shown.executions;
    totals.states += judged.states;
  }
  std::cout << totals.compared << " programs of " << programs << ": " << totals.local_paths
            << " local paths, " << totals.paths << " paths; with bugs " << totals.with_bugs
            << ", with deadlocks " << totals.with_deadlocks << ", racy " << totals.racy << "; "
            << totals.input_vectors << " input vectors, " << totals.executions << " executions, "
            << totals.states << " states with clocks\n";
  return totals;
}

TEST_P(PathsOf, AllExecutionsAreThoseOfBruteForce) {
  const PathTotals totals = compare_programs(GetParam(), false);
  EXPECT_GT(totals.compared, setting("THRUM_ORACLE_PATHS", by_default(300)) * 3 / 4);
  EXPECT_GT(totals.with_bugs, 0u);
  EXPECT_GT(totals.with_deadlocks, 0u);
  if (GetParam() != Family::f) {
    EXPECT_EQ(totals.racy > 0, GetParam() == Family::b);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PathsOf,
                         ::testing::Values(Family::a, Family::b, Family::c, Family::e, Family::f),
                         [](const auto& tested) { return name_of(tested.param); });

TEST(PathsOfFamilyF, HaveAllInstructions) {
  const std::uint64_t programs = by_default(300);
  std::set<Opcode> opcodes;
  int racy = 0;
  int conditional = 0;  // creations behind a branch
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const ToyCode code = random_program(seed, Family::f, kInterleavingsMax).code;
    EXPECT_EQ(parse(print(code)), code);
    int bits = 0;
    for (const auto& thread : code.threads) {
      for (std::size_t i = 0; i < thread.size(); ++i) {
        opcodes.insert(thread[i].opcode);
        if (thread[i].opcode == Opcode::input) bits += thread[i].operands[1];
        conditional += thread[i].opcode == Opcode::create && i > 0 &&
                       (thread[i - 1].opcode == Opcode::skip || thread[i - 1].opcode == Opcode::below);
      }
    }
    EXPECT_LE(bits, 6);
    racy += find_paths(code, {.judge_races = true, .states_max = 50'000}).racy;
  }
  for (int i = 0; i < kOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    EXPECT_TRUE(!is_for_terms(opcode) || opcodes.contains(opcode)) << "opcode " << i;
  }
  EXPECT_GT(conditional, static_cast<int>(programs / 4));
  if (programs < 60) return;  // few need not have what is rare
  EXPECT_GT(racy, 0);
  EXPECT_LT(racy, static_cast<int>(programs / 10));
}

TEST(PathsOfSpurious, AllExecutionsAreThoseOfBruteForce) { compare_programs(Family::c, true); }

// By hand: what a path is.
TEST(PathsByHand, OfTwoThreads) {
  const ToyCode code = parse(R"(
thread t0
  create t1
  input r0 1
  skip r0 0 1
  store x1 1
  join t1
thread t1
  load x1 r0
  equal r0 0
)")
                           .value();
  const Paths paths = find_paths(code);
  EXPECT_EQ(paths.local_paths, (std::set<std::string>{"t0 2:0 at 3", "t0 2:0 end", "t0 2:1 end", "t1 at 0",
                                                      "t1 1:0 failed", "t1 1:1 end"}));
  EXPECT_EQ(paths.paths, (std::set<std::string>{"t0 2:0 end; t1 1:1 end", "t0 2:1 end; t1 1:1 end"}));
  EXPECT_EQ(paths.bugs, (std::set<ToyBug>{{BugKind::assertion, toy_place(1, 1), {}}}));
  const Paths valued = find_paths(code, {.form = PathForm::with_values});
  EXPECT_TRUE(valued.local_paths.contains("t1 =1 1:0 failed"));
  EXPECT_EQ(valued.paths,
            (std::set<std::string>{"t0 =1 2:0 end; t1 =0 1:1 end", "t0 =0 2:1 end; t1 =0 1:1 end"}));
  EXPECT_EQ(compare_paths(code), "");
}

TEST(PathsByHand, GivesUpBeyondTheLimit) {
  const ToyCode code = parse("thread t0\n create t1\n load x0 r0\nthread t1\n load x0 r0\n").value();
  const std::size_t states = find_paths(code).states;
  EXPECT_FALSE(find_paths(code, {.states_max = states}).gave_up);
  EXPECT_TRUE(find_paths(code, {.states_max = states - 1}).gave_up);
}

}  // namespace
}  // namespace thrum

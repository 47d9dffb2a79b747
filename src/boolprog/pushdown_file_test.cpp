// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "boolprog/pushdown_file.hpp"

#include <gtest/gtest.h>

#include "boolprog/check.hpp"

namespace thrum::bp {
namespace {

// "bug in N", "exhausted N" or "complete", or why it is neither.
std::string outcome(const std::string& text, const std::string& begin, const std::string& target,
                    Engine engine = Engine::pushdown) {
  PushdownFile file = parse_pushdown(text);
  Flow flow = to_flow(file, parse_configuration(begin, file), parse_configuration(target, file));
  Limits limits;
  limits.contexts = 5;
  limits.memory = 64U << 20U;
  Answer answer = check(flow, {}, engine, limits);
  if (answer.kind == Answer::Kind::bug) return "bug in " + std::to_string(answer.contexts);
  if (answer.kind == Answer::Kind::inconclusive) return answer.reason;
  return answer.complete ? "complete" : "exhausted " + std::to_string(answer.contexts);
}

std::string problem_of(const std::string& text) {
  try {
    parse_pushdown(text);
  } catch (const InputError& error) {
    return std::to_string(error.where().line) + ':' + std::to_string(error.where().column) + ": " +
           error.what();
  }
  return "";
}

// The first thread pushes as often as it likes, and reports each push. The second one answers once for each.
constexpr char kTwo[] = R"(3  # shared states
# pushes 1 over 2
PDA 1 3
0 1 -> 0 1 2
0 1 -> 1 3
2 3 -> 2 -
2 2 -> 0 -
# answers
PDA 5 6
1 5 -> 2 5
0 5 -> 0 6
)";

TEST(PushdownFile, ReachesWhatItCan) {
  EXPECT_EQ(outcome(kTwo, "0|1,5", "1|3,5"), "bug in 1");
  EXPECT_EQ(outcome(kTwo, "0|1,5", "2|-,5"), "bug in 3");
  EXPECT_EQ(outcome(kTwo, "0|1,5", "0|2,5"), "bug in 3");  // popped once, with one more below
  EXPECT_EQ(outcome(kTwo, "0|1,5", "0|-,6"), "bug in 4");
  EXPECT_EQ(outcome(kTwo, "0|1,5", "0|1,5"), "bug in 1");
  EXPECT_EQ(outcome(kTwo, "0|1,5", "2|-,6").substr(0, 3), "exh");
  EXPECT_EQ(outcome(kTwo, "0|1,5", "0|-,6", Engine::explicit_states), "bug in 4");
}

TEST(PushdownFile, RulesOfTheEmptyStack) {
  std::string text = "4\nPDA 0 2\n0 -1 -> 1 1 2\n1 1 -> 2 -\n2 2 -> 3 -\n3 - -> 0 0\n";
  EXPECT_EQ(outcome(text, "0|-", "1|1"), "bug in 1");
  EXPECT_EQ(outcome(text, "0|-", "2|2"), "bug in 1");
  EXPECT_EQ(outcome(text, "0|-", "3|-"), "bug in 1");
  EXPECT_EQ(outcome(text, "0|-", "0|0"), "bug in 1");
  EXPECT_EQ(outcome(text, "0|-", "3|2").substr(0, 3), "com");
}

TEST(PushdownFile, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(problem_of("# nothing\n"), "2:1: expected the number of shared states and a thread: PDA");
  EXPECT_EQ(problem_of("x\n"), "1:1: expected the number of shared states, found 'x'");
  EXPECT_EQ(problem_of("2\nPDA 0 1\n0 1 -> 2 1\n"), "3:8: shared states are 0 to 1, not 2");
  EXPECT_EQ(problem_of("2\nPDA 0 1\n0 1 => 1 1\n"), "3:5: expected '->', found '=>'");
  EXPECT_EQ(problem_of("2\nPDA 0 1\n0 1 -> 1 1 1 1\n"), "3:14: a rule pushes two symbols at most");
  EXPECT_EQ(problem_of("2\n0 1 -> 1 1\n"), "2:1: expected a thread: PDA, lowest and highest symbol");
  EXPECT_EQ(problem_of("2\nPDA 0 1\n0 1\n"),
            "3:3: a rule is: s l -> s' l1 l2, or fewer symbols behind the arrow, or -");
}

}  // namespace
}  // namespace thrum::bp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `thrum bool`, and what its traces are for.
#include "endtoend.hpp"

#include <algorithm>

namespace {

using nlohmann::json;

class BooleanTest : public EndToEnd {
 protected:
  // The one test of a result.
  json check_bool(std::vector<std::string> arguments, int exit_code) {
    return check(std::move(arguments), exit_code, {"bool", "check"}).at("tests").at(0);
  }
};

// Each example says in its comment what it shows.
TEST_F(BooleanTest, ExamplesAreAsTheySay) {
  EXPECT_EQ(check_bool({example("boolean/flip.bp")}, 0).at("complete"), true);
  json found = check_bool({example("boolean/bluetooth.bp")}, 1);
  EXPECT_EQ(found.at("bugs").at(0).at("switches"), 3);
  EXPECT_EQ(found.at("guarantee").at("bounds").at(0).at("completed"), 3);
  EXPECT_EQ(check_bool({example("boolean/bluetooth_fixed.bp")}, 0).at("complete"), true);
  json recursion = check_bool({"--contexts", "5", example("boolean/recursion.bp")}, 0);
  EXPECT_EQ(recursion.at("verdict"), "exhausted");
  EXPECT_EQ(recursion.at("complete"), false);
  EXPECT_EQ(recursion.at("guarantee").at("bounds").at(0).at("completed"), 5);
  json by_states =
      check_bool({"--engine", "explicit", "--search-memory", "50M", example("boolean/recursion.bp")}, 3);
  EXPECT_EQ(by_states.at("verdict"), "inconclusive");
  EXPECT_EQ(
      check_bool({example("boolean/fork_loop.bp")}, 1).at("bugs").at(0).at("locations").at(0).at("line"), 18);
}

TEST_F(BooleanTest, TracesAreShownAndRunAgain) {
  std::string program = write("p.bp", read(example("boolean/bluetooth.bp")));
  check_bool({program}, 1);
  ChildResult shown = thrum({"show", path("thrum-out/bug-1.trace.json")});
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_NE(shown.output.find("the assertion may fail, in 4 contexts"), std::string::npos) << shown.output;
  EXPECT_NE(shown.output.find("count1, count0 := count1 = count0, !count0  [count0 = F]"), std::string::npos);
  ChildResult again = thrum({"replay", path("thrum-out/bug-1.trace.json")});
  EXPECT_EQ(again.exit_code, 1) << again.output;
  write("p.bp", read(example("boolean/bluetooth_fixed.bp")));
  again = thrum({"replay", path("thrum-out/bug-1.trace.json")});
  EXPECT_EQ(again.exit_code, 3) << again.output;
  std::string trace = read(path("thrum-out/bug-1.trace.json"));
  write("broken.json", trace.substr(0, trace.size() / 2));
  EXPECT_EQ(thrum({"replay", path("broken.json")}).exit_code, 2);
}

// Narrow integers are not C's, so nothing is complete; and a trace shows lines of C.
TEST_F(BooleanTest, ProgramsOfC) {
  json fixed = check_bool({"--contexts", "4", example("boolean/bluetooth_fixed.c")}, 0);
  EXPECT_EQ(fixed.at("complete"), false);
  EXPECT_EQ(fixed.at("guarantee").at("assumptions").at(0).at("kind"), "narrow-integers");
  ChildResult found = thrum({"bool", "check", example("boolean/bluetooth.c")});
  EXPECT_EQ(found.exit_code, 1);
  EXPECT_NE(found.output.find("pending_io++;  [pending_io = 1]"), std::string::npos) << found.output;
  EXPECT_EQ(thrum({"replay", path("thrum-out/bug-1.trace.json")}).exit_code, 1);
}

TEST_F(BooleanTest, WrongUsageIsOneLine) {
  auto refused = [&](const std::vector<std::string>& arguments) {
    ChildResult result = thrum(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    return result.errors;
  };
  EXPECT_NE(refused({"bool", "check", "nowhere.bp"}).find("nowhere.bp: No such file"), std::string::npos);
  std::string bad = write("bad.bp", "decl a;\nvoid main() begin\n  b := a;\nend\n");
  EXPECT_NE(refused({"bool", "check", bad}).find("bad.bp:3:3: 'b' is not declared"), std::string::npos);
  EXPECT_NE(refused({"bool", "print", bad}).find("bad.bp:3:3: 'b' is not declared"), std::string::npos);
  std::string good = write("good.bp", "decl a; void main() begin a := T; end\n");
  EXPECT_NE(refused({"bool", "check", "--label", "L", good}).find("has no such label"), std::string::npos);
  EXPECT_NE(refused({"bool", "check", "--threads", "t9", good}).find("there is no function 't9'"),
            std::string::npos);
  EXPECT_NE(
      refused({"bool", "check", "--init", "0|1", good}).find("--init and --target are of pushdown files"),
      std::string::npos);
  std::string system = write("s.pds", "2\nPDA 0 1\n0 0 -> 1 1\n");
  EXPECT_NE(refused({"bool", "check", system}).find("--init is missing"), std::string::npos);
  EXPECT_EQ(refused({"bool", "check", "--init", "0|0", "--target", "7|1", system}).find("internal"),
            std::string::npos);
}

TEST_F(BooleanTest, PushdownFilesHaveTheirConfigurationsBesideThem) {
  std::string system = write("s.pds", "2\nPDA 0 1\n0 0 -> 1 0 1\n1 0 -> 0 -\n");
  write("s.init", "0|0\n");
  write("s.spec", "0|1\n");
  EXPECT_EQ(check_bool({system}, 1).at("bugs").at(0).at("message"), "0|1 can be reached");
  EXPECT_EQ(thrum({"replay", path("thrum-out/bug-1.trace.json")}).exit_code, 1);
  EXPECT_EQ(check_bool({"--target", "0|-", system}, 0).at("verdict"), "exhausted");
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A reach_error that the program defines itself is a failed assertion, however the compiler was asked to
// optimise.
#include <string>
#include <vector>

#include "endtoend.hpp"

namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

// Whether it is reached depends on the schedule.
std::string program(const std::string& before, const std::string& call = "reach_error();") {
  return "#include <pthread.h>\n#include <stdatomic.h>\n" + before + R"(
static atomic_int set;
static void *write_it(void *unused) {
  set = 1;
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, write_it, 0);
  if (set) { )" +
         call + R"( }
  pthread_join(t, 0);
  return 0;
}
)";
}

class ReachError : public EndToEnd, public testing::WithParamInterface<std::string> {
 protected:
  json checked(Words sources, const std::string& level, int exit_code) {
    Words command = {THRUM_PROGRAM, "cc", level, "-g", "-Wall", "-o", "program"};
    command.insert(command.end(), sources.begin(), sources.end());
    ChildResult result = run(command, path(""), {"THRUM_CC=" + GetParam()});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    return check({"program"}, exit_code).at("tests").at(0);
  }
  void expect_seen(const Words& sources, const std::string& level) {
    SCOPED_TRACE(sources.front() + " " + level);
    json test = checked(sources, level, 1);
    ASSERT_EQ(test.at("bugs").size(), 1U);
    const json& bug = test.at("bugs").at(0);
    EXPECT_EQ(bug.at("kind"), "assertion");
    EXPECT_EQ(bug.at("message"), "reach_error was reached");
    EXPECT_EQ(bug.at("preemptions"), 1);
  }
};

INSTANTIATE_TEST_SUITE_P(Over, ReachError, testing::Values("gcc", "clang-19"),
                         [](const auto& instance) { return instance.param.substr(0, 3); });

TEST_P(ReachError, DefinedByTheProgramIsSeen) {
  write("empty.c", program("void reach_error() {}"));
  for (const char* level : {"-O0", "-O1", "-O3"}) expect_seen({"empty.c"}, level);
}

TEST_P(ReachError, ThatIsTheFilesOwnIsSeen) {
  write("static.c", program("static void reach_error(void)\n{\n}"));
  write("inline.c", program("static inline void reach_error(void) { }"));
  write("counts.c",
        program("static int errors;\n__attribute__((unused)) static void reach_error(void) { ++errors; }"));
  for (const char* source : {"static.c", "inline.c", "counts.c"}) expect_seen({source}, "-O2");
}

TEST_P(ReachError, InAnotherFileOrAHeaderIsSeen) {
  write("user.c", program("void reach_error(void);"));
  write("definition.c", "void reach_error(void) {}\n");
  expect_seen({"user.c", "definition.c"}, "-O2");
  write("verifier.h", "static void reach_error(void) {}\n");
  write("includes.c", program("#include \"verifier.h\""));
  expect_seen({"includes.c"}, "-O2");
}

TEST_P(ReachError, BeforeTheFirstThreadIsSeen) {
  write("early.c", "void reach_error(void) {}\nint main(void) { reach_error(); return 0; }\n");
  json test = checked({"early.c"}, "-O2", 1);
  EXPECT_EQ(test.at("bugs").at(0).at("kind"), "assertion");
}

TEST_P(ReachError, NamesLikeItAreNot) {
  write("others.c", program("static void my_reach_error(void) {}\nstatic void reach_error_count(void) {}\n"
                            "static int reach_error = 1;",
                            "my_reach_error(); reach_error_count(); if (reach_error) my_reach_error();"));
  json test = checked({"others.c"}, "-O1", 0);
  EXPECT_EQ(test.at("verdict"), "exhausted");
}

TEST_P(ReachError, NotReachedIsNoBug) {
  write("correct.c", program("void reach_error() {}", "if (set == 2) reach_error();"));
  EXPECT_EQ(checked({"correct.c"}, "-O2", 0).at("verdict"), "exhausted");
  EXPECT_EQ(run({path("program")}, path("")).exit_code, 0) << "it runs by itself";
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `thrum sequentialize`, its checkers, and what its traces are for.
#include <algorithm>

#include "endtoend.hpp"

namespace {

using nlohmann::json;

class SequentializeTest : public EndToEnd {
 protected:
  void SetUp() override {
    EndToEnd::SetUp();
    ChildResult result = thrum({"sequentialize", example("sequentialize/packet.c")});
    if (result.errors.find("cannot read C for this") != std::string::npos) GTEST_SKIP() << result.errors;
  }

  // The one test of a result.
  json check_example(const std::string& name, std::vector<std::string> arguments, int exit_code) {
    arguments.push_back(example("sequentialize/" + name));
    if (std::find(arguments.begin(), arguments.end(), "--checker") == arguments.end())
      arguments.insert(arguments.end(), {"--checker", "thrum"});
    return check(std::move(arguments), exit_code, {"sequentialize"}).at("tests").at(0);
  }

  // The failure's line in the program with threads, and that the compiled program fails there too.
  void expect_confirmed(const json& test, const std::string& file, int line) {
    const json& bug = test.at("bugs").at(0);
    const json& location = bug.at("locations").at(0);
    EXPECT_EQ(location.at("line"), line);
    EXPECT_TRUE(std::string(location.at("file")).ends_with(file)) << location;
    ChildResult again = thrum({"replay", path(bug.at("trace"))});
    EXPECT_EQ(again.exit_code, 1) << again.output << again.errors;
    EXPECT_NE(again.output.find("The same failure on the compiled program"), std::string::npos)
        << again.output;
  }
};

const std::vector<std::vector<std::string>> kForms = {{}, {"--rounds", "2"}};

TEST_F(SequentializeTest, Bluetooth) {
  for (const std::vector<std::string>& form : kForms) {
    json found = check_example("bluetooth.c", form, 1);
    EXPECT_EQ(found.at("bugs").at(0).at("switches"), 2);
    expect_confirmed(found, "bluetooth.c", 51);
    std::vector<std::string> fixed = form;
    fixed.insert(fixed.end(), {"--compile-flags", "-DFIXED"});
    EXPECT_EQ(check_example("bluetooth.c", fixed, 0).at("verdict"), "exhausted");
  }
}

TEST_F(SequentializeTest, PacketDriver) {
  for (const std::vector<std::string>& form : kForms) {
    expect_confirmed(check_example("packet.c", form, 1), "packet.c", 25);
    std::vector<std::string> fixed = form;
    fixed.insert(fixed.end(), {"--compile-flags", "-DFIXED"});
    EXPECT_EQ(check_example("packet.c", fixed, 0).at("verdict"), "exhausted");
  }
}

TEST_F(SequentializeTest, ToasterRace) {
  for (const std::vector<std::string>& form : kForms) {
    std::vector<std::string> race = form;
    race.insert(race.end(), {"--race", "device_extension.pnp_state"});
    json found = check_example("toaster.c", race, 1);
    EXPECT_EQ(found.at("bugs").at(0).at("kind"), "data-race");
    expect_confirmed(found, "toaster.c", 37);
    race.insert(race.end(), {"--compile-flags", "-DLOCKED"});
    EXPECT_EQ(check_example("toaster.c", race, 0).at("verdict"), "exhausted");
  }
}

// The same program by all forms and the two exact checkers.
TEST_F(SequentializeTest, ExactCheckersAgree) {
  const std::vector<std::vector<std::string>> ways = {
      {"--checker", "thrum"}, {"--checker", "bool"}, {"--checker", "thrum", "--rounds", "2"}};
  for (const std::vector<std::string>& way : ways) {
    check_example("../boolean/bluetooth.c", way, 1);
    check_example("../boolean/bluetooth_fixed.c", way, 0);
  }
  // It fails with 3 switches: in 3 rounds, and not in 2.
  const std::string program = write("three.c",
                                    "#include <assert.h>\n"
                                    "#include <pthread.h>\n"
                                    "static _Bool x, y, done;\n"
                                    "static void *other(void *none) {\n"
                                    "  (void)none;\n"
                                    "  x = 1;\n"
                                    "  if (y) done = 1;\n"
                                    "  return 0;\n"
                                    "}\n"
                                    "int main(void) {\n"
                                    "  pthread_t t;\n"
                                    "  pthread_create(&t, 0, other, 0);\n"
                                    "  if (!x) return 0;\n"
                                    "  y = 1;\n"
                                    "  assert(!done);\n"
                                    "  return 0;\n"
                                    "}\n");
  for (const char* checker : {"thrum", "bool"}) {
    for (bool eager : {false, true}) {
      if (!eager && std::string(checker) == "bool") continue;  // its subset of C has no pointers to frames
      for (const auto& [rounds, exit_code] : {std::pair("2", 0), std::pair("3", 1)}) {
        std::vector<std::string> words = {"--checker",     checker, "--rounds", rounds,
                                          "--threads-max", "2",     program};
        if (eager) words.push_back("--eager");
        check(words, exit_code, {"sequentialize"});
      }
    }
    check({"--checker", checker, program}, 0, {"sequentialize"});
  }
}

TEST_F(SequentializeTest, OtherCheckers) {
  const std::string program = write("tiny.c",
                                    "#include <assert.h>\n"
                                    "#include <pthread.h>\n"
                                    "static int x;\n"
                                    "static void *set(void *none) { (void)none; x = 1; return 0; }\n"
                                    "int main(void) {\n"
                                    "  pthread_t t;\n"
                                    "  pthread_create(&t, 0, set, 0);\n"
                                    "  assert(x == 0);\n"
                                    "  return 0;\n"
                                    "}\n");
  for (const char* checker : {"clang-analyzer", "gcc-analyzer"}) {
    json found = check({"--checker", checker, program}, 1, {"sequentialize"}).at("tests").at(0);
    expect_confirmed(found, "tiny.c", 8);
  }
  // A command line of one's own: the line is where the pattern's first group says.
  ChildResult own =
      thrum({"sequentialize", program, "--checker", "grep -n 'x == 0' {}", "--pattern", "^([0-9]+):.*FAIL"});
  EXPECT_EQ(own.exit_code, 1) << own.output << own.errors;
  own = thrum({"sequentialize", program, "--checker", "true", "--pattern", "FAILED"});
  EXPECT_EQ(own.exit_code, 3) << own.output;
  if (run({"frama-c", "-version"}, path("")).exit_code != 0)
    GTEST_SKIP() << "frama-c is not there (Debian: frama-c-base)";
  json said = check({"--checker", "frama-c", program}, 1, {"sequentialize"}).at("tests").at(0);
  expect_confirmed(said, "tiny.c", 8);
}

// The checker claims a failure, and no execution shows it.
TEST_F(SequentializeTest, FalseAlarmsAreToldApart) {
  json test = check_example(
      "packet.c", {"--compile-flags", "-DFIXED", "--checker", "echo FAILED", "--pattern", "FAILED"}, 3);
  EXPECT_EQ(test.at("verdict"), "inconclusive");
  EXPECT_NE(std::string(test.at("reason")).find("no execution that fails was found"), std::string::npos);
}

TEST_F(SequentializeTest, CrashesAreFailuresToo) {
  const std::string program = write("crash.c",
                                    "#include <pthread.h>\n"
                                    "static int value = 3, *pointer = &value;\n"
                                    "static void *clear(void *none) { (void)none; pointer = 0; return 0; }\n"
                                    "int main(void) {\n"
                                    "  pthread_t t;\n"
                                    "  pthread_create(&t, 0, clear, 0);\n"
                                    "  if (pointer)\n"
                                    "    return *pointer == 3 ? 0 : 1;\n"
                                    "  return 0;\n"
                                    "}\n");
  for (std::vector<std::string> form : kForms) {
    form.insert(form.end(), {"--checker", "thrum", program});
    json bug = check(form, 1, {"sequentialize"}).at("tests").at(0).at("bugs").at(0);
    EXPECT_EQ(bug.at("kind"), "crash");
    EXPECT_EQ(bug.at("locations").at(0).at("line"), 8);
    EXPECT_EQ(bug.at("preemptions"), 1);
  }
}

TEST_F(SequentializeTest, TheNormalFormStillHasThreads) {
  ChildResult written =
      thrum({"sequentialize", example("sequentialize/packet.c"), "--normal-form", "-o", path("n.c")});
  EXPECT_EQ(written.exit_code, 0) << written.errors;
  json found = check({path("n.c"), "--races", "explore", "--keep-going"}, 1).at("tests").at(0);
  bool asserted = false;
  for (const json& bug : found.at("bugs")) asserted = asserted || bug.at("kind") == "assertion";
  EXPECT_TRUE(asserted);
}

TEST_F(SequentializeTest, WrongUsageIsOneLine) {
  auto refused = [&](const std::vector<std::string>& arguments) {
    ChildResult result = thrum(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    return result.errors;
  };
  EXPECT_NE(refused({"sequentialize", "nowhere.c"}).find("nowhere.c: No such file"), std::string::npos);
  std::string bad = write("bad.c", "int main(void) { return x; }\n");
  EXPECT_NE(refused({"sequentialize", bad}).find("bad.c:1:25: this does not compile"), std::string::npos);
  EXPECT_NE(refused({"sequentialize", write("no.c", "int x;\n")}).find("there is no function main"),
            std::string::npos);
  std::string good = write("good.c", "int main(void) { return 0; }\n");
  EXPECT_NE(refused({"sequentialize", good, "--eager"}).find("--rounds"), std::string::npos);
  EXPECT_NE(refused({"sequentialize", good, "--race", "x"}).find("no access to it was found"),
            std::string::npos);
  EXPECT_NE(refused({"sequentialize", good, "--checker", "no-such-checker"}).find("--pattern"),
            std::string::npos);
  EXPECT_NE(
      refused({"sequentialize", good, "--checker", "no-such-checker", "--pattern", "x"}).find("is not there"),
      std::string::npos);
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wrong usage and environment: exit code 2 and exactly one line on standard error.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "endtoend.hpp"

namespace {

namespace fs = std::filesystem;

class Usage : public EndToEnd {
 protected:
  void expect_refused(const std::vector<std::string>& arguments, const std::string& phrase) {
    ChildResult result = thrum(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.errors;
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    EXPECT_TRUE(result.errors.starts_with("thrum: ")) << result.errors;
    EXPECT_NE(result.errors.find(phrase), std::string::npos) << result.errors;
    EXPECT_EQ(result.output, "");
  }
};

TEST_F(Usage, MissingProgram) {
  expect_refused({"check", "no_such_program"}, "no_such_program: No such file");
}

TEST_F(Usage, MissingSource) { expect_refused({"check", "no_such.cpp"}, "no_such.cpp: No such file"); }

TEST_F(Usage, Directory) { expect_refused({"check", "."}, "is a directory"); }

TEST_F(Usage, TextFile) {
  fs::permissions(write("text", "#!/bin/sh\n"), fs::perms::owner_all);
  expect_refused({"check", "text"}, "not an ELF executable");
}

TEST_F(Usage, EmptyFile) {
  write("empty", "");
  expect_refused({"check", "empty"}, "not an ELF executable");
}

TEST_F(Usage, NotExecutable) {
  std::string program = build(example("refcount.cpp"));
  fs::permissions(program, fs::perms::owner_read);
  // Who may do everything may not execute a file either that nobody may execute.
  expect_refused({"check", program}, "is not executable");
}

TEST_F(Usage, NotBuiltWithThrum) {
  std::string source = write("plain.cpp", "int main() {}\n");
  ASSERT_EQ(run({"c++", source, "-o", path("plain")}, path("")).exit_code, 0);
  expect_refused({"check", "plain"}, "was not built with thrum");
}

TEST_F(Usage, CompileError) {
  std::string source = write("broken.cpp", "int main() { return undeclared; }\n");
  ChildResult result = thrum({"check", source});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find("undeclared"), std::string::npos) << "the compiler's own messages are shown";
  EXPECT_NE(result.errors.find("thrum: "), std::string::npos);
  EXPECT_NE(result.errors.find("does not compile"), std::string::npos);
  EXPECT_EQ(result.output, "");
}

TEST_F(Usage, TwoPrograms) { expect_refused({"check", "/bin/true", "/bin/false"}, "one program"); }

TEST_F(Usage, NoArguments) {
  expect_refused({}, "subcommand");
  expect_refused({"check"}, "required");
  expect_refused({"replay"}, "required");
  expect_refused({"frobnicate"}, "thrum --help");
}

TEST_F(Usage, OptionsOutOfRange) {
  std::vector<std::vector<std::string>> options = {{"--time", "-1"},
                                                   {"--time", "soon"},
                                                   {"--executions", "-1"},
                                                   {"--steps", "0"},
                                                   {"--jobs", "0"},
                                                   {"--jobs", "99999"},
                                                   {"--seed", "x"},
                                                   {"--seed", "-1"},
                                                   {"--early-timeouts", "nan"},
                                                   {"--time", "inf"},
                                                   {"--fair", "maybe"},
                                                   {"--progress", "sometimes"},
                                                   {"--program-memory", "much"},
                                                   {"--bound", "preemptions=-1"},
                                                   {"--bound", "2"},
                                                   {"--bound", "delays="},
                                                   {"--bound", "preemptions=99999999"},
                                                   {"--heap", "stack"},
                                                   {"--races", "never"},
                                                   {"--memory-model", "x"},
                                                   {"--engine", "jet"},
                                                   {"--no-such-option"}};
  for (std::vector<std::string>& option : options) {
    std::string name = option[0];
    option.insert(option.begin(), "check");
    option.emplace_back("program");
    expect_refused(option, name);
  }
}

// The other commands have tables of options, too.
TEST_F(Usage, OptionsOfOtherCommandsOutOfRange) {
  const std::vector<std::vector<std::string>> commands = {
      {"bool", "check", "file.bp", "--time", "nan"},  {"bool", "check", "file.bp", "--depth", "0"},
      {"bool", "check", "file.bp", "--bits", "65"},   {"bool", "check", "file.bp", "--search-memory", "x"},
      {"bool", "from-c", "file.c", "--bits", "-4"},   {"sequentialize", "file.c", "--rounds", "0"},
      {"sequentialize", "file.c", "--time", "-1"},    {"sequentialize", "file.c", "--color", "red"},
      {"replay", "trace.json", "--threads", "posix"}, {"show", "trace.json", "--color", "red"},
      {"flags", "compile", "--compiler", "msvc"},
  };
  for (const std::vector<std::string>& command : commands) {
    const auto option = std::find_if(command.begin(), command.end(),
                                     [](const std::string& word) { return word.starts_with("--"); });
    expect_refused(command, "thrum: " + *option + ": ");
  }
  expect_refused({"replay", "trace.json", "--gdb"}, "--gdb is not available yet");
}

// What the build installs.
TEST_F(Usage, ManPageIsOne) {
  expect_refused({"options"}, "--man");
  const ChildResult page = thrum({"options", "--man"});
  ASSERT_EQ(page.exit_code, 0);
  if (run({"sh", "-c", "command -v groff"}, "/").exit_code != 0) GTEST_SKIP() << "no groff";
  const ChildResult shown = run({"groff", "-man", "-ww", "-Tascii", write("thrum.1", page.output)}, "/");
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_EQ(shown.errors, "");
  EXPECT_NE(shown.output.find("an internal error"), std::string::npos);
}

TEST_F(Usage, UnknownStrategy) {
  expect_refused({"check", "--strategy", "astrology", "program"}, "thrum strategies");
}

TEST_F(Usage, StrategiesForInputsNeedAnotherEngine) {
  for (const char* strategy : {"mpc", "mpc-paths", "mpc-s1", "mpc-s2", "con2colic"}) {
    expect_refused({"check", "--strategy", strategy, "program"}, "needs --engine vm");
    expect_refused({"check", "--strategy", strategy, "program"}, "take --strategy mcr");
  }
}

TEST_F(Usage, DecisionsAreOfASearchByConstraintSolving) {
  for (const char* strategy : {"auto", "dpor", "mcr-classic"})
    expect_refused({"check", "--decisions", "--strategy", strategy, "program"}, "it takes --strategy mcr");
}

TEST_F(Usage, StrategiesAreListed) {
  const ChildResult result = thrum({"strategies"});
  EXPECT_EQ(result.exit_code, 0);
  for (const char* name : {"auto", "dpor-persistent", "race-flip", "best-first-dpor"})
    EXPECT_NE(("\n" + result.output).find(std::string("\n") + name + " "), std::string::npos)
        << result.output;
}

TEST_F(Usage, NotYet) {
  std::vector<std::vector<std::string>> options = {{"--memory-model", "tso"}, {"--isolate", "none"}};
  for (std::vector<std::string>& option : options) {
    option.insert(option.begin(), "check");
    option.emplace_back("program");
    expect_refused(option, "not available yet");
  }
}

TEST_F(Usage, ReductionsKnowNoBound) {
  for (const char* strategy : {"dpor", "dpor-source", "dpor-persistent", "race-flip", "best-first-dpor"}) {
    expect_refused({"check", "--strategy", strategy, "--bound", "preemptions=2", "program"},
                   "schedules within the bound could be missed");
  }
}

TEST_F(Usage, OutputFolderCannotBeMade) {
  std::string program = build(example("refcount.cpp"));
  write("file", "");
  expect_refused({"check", "--out", "file/below", program}, "file/below");
  expect_refused({"check", "--executions", "1", "--json", "file/below", program}, "file/below");
}

TEST_F(Usage, Traces) {
  expect_refused({"replay", "no_such.json"}, "no_such.json: No such file");
  expect_refused({"show", "."}, "is a directory");
  write("empty.json", "");
  expect_refused({"replay", "empty.json"}, "is no trace file");
  write("other.json", "{\"schema\": 1}");
  expect_refused({"replay", "other.json"}, "is no trace file");
  write("array.json", "[1, 2]");
  expect_refused({"show", "array.json"}, "is no trace file");
}

// Each prefix of a real trace, and a trace with any one value replaced, is refused with one line or shown.
TEST_F(Usage, DamagedTraces) {
  ASSERT_EQ(thrum({"check", example("refcount.cpp")}).exit_code, 1);
  std::string text = read(path("thrum-out/bug-1.trace.json"));
  for (std::size_t part = 0; part < 16; ++part) {
    write("cut.json", text.substr(0, text.size() * part / 16));
    expect_refused({"show", "cut.json"}, "is no trace file");
  }
  nlohmann::json trace = nlohmann::json::parse(text);
  for (const auto& [key, value] : trace.items()) {
    nlohmann::json damaged = trace;
    damaged[key] = nlohmann::json::array({-1, "?"});
    write("damaged.json", damaged.dump());
    ChildResult result = thrum({"show", "damaged.json"});
    EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 2) << key << ": " << result.errors;
  }
}

TEST_F(Usage, CompilerDriverRefuses) {
  std::string source = write("plain.cpp", "int main() {}\n");
  expect_refused({"c++", "-static", source}, "-static");
  expect_refused({"c++", "-fsanitize=address", source}, "-fsanitize=address");
  expect_refused({"cc", "-fsanitize=undefined,memory", source}, "-fsanitize=undefined,memory");
}

// A check that was killed leaves the folder that it compiled in; the next one removes it.
TEST_F(Usage, LeftFoldersAreSwept) {
  std::string gone = run({"sh", "-c", "echo $$"}, "/").output;
  gone.pop_back();
  std::string temporary = path("tmp");
  std::string left = temporary + "/thrum-" + gone + "-abcdef";
  std::string in_use = temporary + "/thrum-" + std::to_string(getpid()) + "-abcdef";
  std::string foreign = temporary + "/thrum-notes-abcdef";
  for (const std::string& folder : {left, in_use, foreign}) fs::create_directories(folder);
  std::string source = write("plain.cpp", "int main() {}\n");
  EXPECT_EQ(run({THRUM_PROGRAM, "check", source}, path(""), {"TMPDIR=" + temporary}).exit_code, 0);
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(in_use) && fs::exists(foreign));
  EXPECT_EQ(std::distance(fs::directory_iterator(temporary), {}), 2);
}

TEST_F(Usage, HelpIsNoError) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--help"}, {"check", "--help"}, {"--version"}}) {
    ChildResult result = thrum(words);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_NE(result.output, "");
    EXPECT_EQ(result.errors, "");
  }
}

}  // namespace

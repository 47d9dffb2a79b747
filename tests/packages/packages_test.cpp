// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Projects of tests/packages/ built from scratch, with CMake and with Autotools, and what ctest and thrum say
// of them.
#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>

#include "endtoend.hpp"

namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

struct Way {
  const char* name;
  bool installed;
  std::string generator;
  std::string c;
  std::string cpp;
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

class Packages : public EndToEnd, public testing::WithParamInterface<Way> {
 protected:
  // A prefix to find Thrum in: the build tree or, installed, a folder with a space in its name.
  std::string prefix() {
    if (!GetParam().installed) return THRUM_BUILD;
    std::string folder = path("an installation");
    if (!fs::exists(folder))
      expect_done({CMAKE_PROGRAM, "--install", THRUM_BUILD, "--prefix", folder}, path(""));
    return folder;
  }

  ChildResult expect_done(const Words& command, const std::string& directory, const Words& environment = {}) {
    ChildResult result = run(command, directory, environment);
    EXPECT_EQ(result.exit_code, 0) << command[0] << "\n" << result.output << result.errors;
    return result;
  }

  // Configures and builds a project of this folder.
  void build(const std::string& project, Words options, const Words& environment) {
    Words configure = {CMAKE_PROGRAM,
                       "-S",
                       std::string(THRUM_SOURCES) + "/tests/packages/" + project,
                       "-B",
                       "build",
                       "-G",
                       GetParam().generator};
    configure.insert(configure.end(), options.begin(), options.end());
    expect_done(configure, path(""), environment);
    expect_done({CMAKE_PROGRAM, "--build", "build", "--parallel", "2"}, path(""), environment);
  }

  // What ctest says of each test: Passed, Failed, Skipped, …
  std::map<std::string, std::string> ctest(const Words& environment = {}) {
    ChildResult result =
        run({CTEST_PROGRAM, "--test-dir", "build", "--output-on-failure"}, path(""), environment);
    static const std::regex kLine(R"(Test +#[0-9]+: (.*?) \.{2,}\s*(?:\*\*\*)?([A-Z][a-z ]*[a-z]))");
    std::map<std::string, std::string> verdicts;
    for (std::sregex_iterator match(result.output.begin(), result.output.end(), kLine), end; match != end;
         ++match)
      verdicts[match->str(1)] = match->str(2);
    if (verdicts.empty()) ADD_FAILURE() << result.output << result.errors;
    output_ = result.output;
    return verdicts;
  }

  std::string output_;  // of the last ctest
};

INSTANTIATE_TEST_SUITE_P(With, Packages,
                         testing::Values(Way{"build_tree_ninja_gcc", false, "Ninja", "gcc", "g++"},
                                         Way{"installed_make_clang", true, "Unix Makefiles", "clang-19",
                                             "clang++-19"}),
                         [](const auto& instance) { return instance.param.name; });

TEST_P(Packages, FoundByCMake) {
  build("cmake", {"-DCMAKE_PREFIX_PATH=" + prefix()}, {"CC=" + GetParam().c, "CXX=" + GetParam().cpp});
  std::map<std::string, std::string> expected = {{"right", "Passed"},
                                                 {"wrong", "Failed"},
                                                 {"wrong_in_static_library", "Failed"},
                                                 {"wrong_in_shared_library", "Failed"},
                                                 {"wrong_in_c", "Failed"},
                                                 {"with_arguments", "Passed"},
                                                 {"inconclusive", "Failed"},
                                                 {"skipped", "Skipped"},
                                                 {"run_plainly", "Passed"},
                                                 {"Unit.Joins", "Passed"},
                                                 {"Unit.Empty", "Passed"}};
  EXPECT_EQ(ctest(), expected) << output_;
  for (const char* test : {"wrong", "wrong_in_static_library", "wrong_in_shared_library", "wrong_in_c"})
    EXPECT_TRUE(fs::exists(path(std::string("build/thrum-out/") + test + "/bug-1.trace.json"))) << test;
  expect_done({CMAKE_PROGRAM, "--build", "build", "--target", "clean"}, path(""));
}

TEST_P(Packages, DriversAsCompilers) {
  std::string bin = prefix() + "/bin/";
  build("driver", {},
        {"CC=" + bin + "thrum-cc", "CXX=" + bin + "thrum-c++", "THRUM_CC=" + GetParam().c,
         "THRUM_CXX=" + GetParam().cpp});
  std::map<std::string, std::string> expected = {{"Unit.Joins", "Passed"}, {"Unit.Empty", "Passed"}};
  EXPECT_EQ(ctest(), expected) << output_;
  for (const char* program : {"wrong", "wrong_shared"}) {
    nlohmann::json result = check({std::string("build/") + program}, 1);
    EXPECT_EQ(result.at("tests").at(0).at("bugs").at(0).at("kind"), "assertion") << program;
  }
}

TEST_P(Packages, DiscoversTestsOfGoogleTest) {
  build("googletest", {"-DCMAKE_PREFIX_PATH=" + prefix()}, {"CXX=" + GetParam().cpp});
  std::map<std::string, std::string> expected = {{"unit.Counter.InOneStep", "Passed"},
                                                 {"unit.Counter.InTwoSteps", "Failed"},
                                                 {"unit.Times/Several.Counted/0", "Passed"},
                                                 {"unit.Times/Several.Counted/1", "Failed"}};
  EXPECT_EQ(ctest(), expected) << output_;
  EXPECT_TRUE(fs::exists(path("build/thrum-out/unit/2/bug-1.trace.json")));
}

// One line for each call of the stand-in for thrum.
TEST_P(Packages, DiscoversTests) {
  Words environment = {"CC=" + GetParam().c, "LOG=" + path("log")};
  build("discovery", {"-DCMAKE_PREFIX_PATH=" + prefix()}, environment);
  std::map<std::string, std::string> expected;
  for (const char* name : {"Suite.Plain", "Typed/0.Case", "with space", R"(star* [x] ${y} "z")", "semi;colon",
                           R"(back\slash)", "unsure"}) {
    expected[std::string("early.") + name] = "Passed";
    expected[std::string("late: ") + name + " (checked)"] = "Passed";
  }
  expected["early.unsure"] = "Skipped";
  expected["late: unsure (checked)"] = "Failed";
  EXPECT_EQ(ctest(environment), expected) << output_;

  std::string log = read(path("log"));
  auto expect_call = [&](const std::string& call) {
    EXPECT_NE(log.find(call + "\n"), std::string::npos) << call << "\n" << log;
  };
  std::string build = fs::canonical(path("build"));
  std::string sources = std::string(THRUM_SOURCES) + "/tests/packages/discovery";
  expect_call("<check><--list-tests><" + build + "/early><--><two words> in " + build);
  expect_call("<check><--list-tests><" + build + "/late><--> in " + sources);
  expect_call("<check><--test=Suite.Plain><--out><" + build +
              "/thrum-out/early/"
              "1><--strategy><icb><--bound><preemptions=2><--time><5><--keep-going><--heap><fresh><" +
              build + "/early><--><two words> in " + build);
  expect_call(R"(<check><--test=back\\slash><--out><)" + build + "/thrum-out/late/7><" + build +
              "/late><--> in " + sources);
  expect_call("<check><--test=star[*] [[]x] ${y} \"z\"><--out><" + build + "/thrum-out/late/4><" + build +
              "/late><--> in " + sources);
}

// For what does not depend on how it is built.
class Once : public Packages {};

INSTANTIATE_TEST_SUITE_P(With, Once, testing::Values(Way{"installed_gcc", true, "Ninja", "gcc", "g++"}),
                         [](const auto& instance) { return instance.param.name; });

TEST_P(Once, MakesOfAutotools) {
  fs::copy(std::string(THRUM_SOURCES) + "/tests/packages/autotools", path("source"));
  expect_done({"autoreconf", "-i"}, path("source"));
  std::string bin = prefix() + "/bin";
  Words environment = {"PATH=" + bin + ":" + std::getenv("PATH"), "THRUM_CC=" + GetParam().c,
                       "THRUM_CXX=" + GetParam().cpp};
  fs::create_directory(path("build"));
  expect_done({"../source/configure", "CC=thrum-cc", "CXX=thrum-c++", "--prefix=" + path("installed")},
              path("build"), environment);
  ChildResult tests = expect_done({"make", "-j2", "check"}, path("build"), environment);
  EXPECT_NE(tests.output.find("# PASS:  1"), std::string::npos) << tests.output;
  // What libtool leaves in the build folder is a script around the program.
  ChildResult searched =
      run({"../build/libtool", "--mode=execute", THRUM_PROGRAM, "check", "count"}, path("build"));
  EXPECT_EQ(searched.exit_code, 1) << searched.output << searched.errors;
  EXPECT_NE(searched.output.find("counter.c:"), std::string::npos) << "the library is instrumented, too";
}

TEST_P(Once, HasAManual) {
  EXPECT_TRUE(read(prefix() + "/share/man/man1/thrum.1").starts_with(".TH THRUM 1"));
  const std::string completion = prefix() + "/share/bash-completion/completions/thrum";
  const ChildResult loaded =
      expect_done({"bash", "-c", "source \"$1\"; complete -p thrum", "-", completion}, "/");
  EXPECT_NE(loaded.output.find("-F _thrum"), std::string::npos) << loaded.output;
}

TEST_P(Once, HasTheSourcesOfLibraries) {
  for (const char* file : {"libstdc++.recipe", "machine.recipe", "c/memory.c", "headers/sys/sdt.h"})
    EXPECT_NE(read(prefix() + "/share/thrum/libraries/" + file), "") << file;
}

TEST_P(Once, RefusesWithAReason) {
  std::map<std::string, std::string> cases = {{"interface", "compiles nothing"},
                                              {"imported", "is imported"},
                                              {"nothing", "there is no target nothing"},
                                              {"version", "99"},
                                              {"compiler", "instruments with GCC or Clang"},
                                              {"keyword", "'NO_SUCH_KEYWORD' is unknown"},
                                              {"value", "BOUND needs a value"},
                                              {"name", "needs NAME and SOURCES"},
                                              {"target", "thrum_discover_tests: there is no target nothing"}};
  for (const auto& [name, words] : cases) {
    ChildResult result =
        run({CMAKE_PROGRAM, "-S", std::string(THRUM_SOURCES) + "/tests/packages/refused", "-B", "build", "-G",
             "Ninja", "-DCMAKE_PREFIX_PATH=" + prefix(), "-DCASE=" + name},
            path(""), {"CC=gcc"});
    EXPECT_NE(result.exit_code, 0) << name;
    // CMake breaks lines as it likes.
    std::string text = std::regex_replace(result.errors, std::regex(R"(\s+)"), " ");
    EXPECT_NE(text.find(words), std::string::npos) << name << ": " << result.errors;
  }
}

}  // namespace

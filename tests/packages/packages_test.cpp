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
    static const std::regex kLine(R"(Test +#[0-9]+: (.*?) \.*\s*(?:\*\*\*)?([A-Z][a-z ]*[a-z]))");
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

}  // namespace

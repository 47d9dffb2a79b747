// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -fsanitize=undefined: what UBSan reports is a bug, with UBSan's words and place. Each compiler's own build
// of the same program says what those are.
#include <filesystem>
#include <regex>

#include "endtoend.hpp"

namespace {

struct Report {
  std::string message;
  int line = 0;
};

// The first report among what a program has printed. Addresses are left out: they say nothing that lasts.
Report report_in(const std::string& errors) {
  static const std::regex kReport(R"(([0-9]+):[0-9]+: runtime error: (.*))");
  std::smatch match;
  if (!std::regex_search(errors, match, kReport)) return {};
  static const std::regex kAddress(" (to )?0x[0-9a-f]{12}\\b");
  return {std::regex_replace(match.str(2), kAddress, ""), std::stoi(match.str(1))};
}

class Undefined : public EndToEnd, public testing::WithParamInterface<const char*> {
 protected:
  static constexpr const char* kFlags[] = {"-std=c++20", "-O1", "-g", "-w",
                                           "-fsanitize=undefined,float-cast-overflow"};

  void build(std::vector<std::string> command, const std::string& program) {
    command.insert(command.end(), std::begin(kFlags), std::end(kFlags));
    command.insert(command.end(), {THRUM_SOURCES "/tests/endtoend/programs/undefined.cpp", "-o", program});
    ChildResult result = run(command, path(""), {std::string("THRUM_CXX=") + GetParam()});
    ASSERT_EQ(result.exit_code, 0) << result.errors;
  }

  void expect_bug(std::vector<std::string> arguments, const Report& expected) {
    arguments.insert(arguments.begin(), {"program", "--"});
    nlohmann::json result = check(arguments, 1);
    const nlohmann::json& bug = result.at("tests").at(0).at("bugs").at(0);
    EXPECT_EQ(bug.at("kind"), "undefined-behaviour") << bug;
    EXPECT_EQ(bug.at("message"), expected.message);
    // Of a function's end UBSan names the function's declaration; the bug lies at the end.
    int distance = bug.at("locations").at(0).at("line").get<int>() - expected.line;
    bool at_end = expected.message.find("reached the end") != std::string::npos;
    EXPECT_TRUE(distance == 0 || (at_end && distance > 0 && distance < 5)) << bug;
  }
};

INSTANTIATE_TEST_SUITE_P(Over, Undefined, testing::Values("g++", "clang++-19"), [](const auto& instance) {
  return std::string(instance.param).substr(0, std::string(instance.param).find('+'));
});

TEST_P(Undefined, EachKind) {
  build({GetParam()}, "stock");
  build({THRUM_PROGRAM, "c++"}, "program");
  ChildResult right = run({path("program")}, path(""));
  EXPECT_EQ(right.errors, "");
  int kinds = std::stoi(right.output);
  int reported = 0;
  for (int kind = 0; kind < kinds; ++kind) {
    SCOPED_TRACE(kind);
    std::string number = std::to_string(kind);
    ChildResult stock = run({path("stock"), number}, path(""));
    ChildResult plain = run({path("program"), number}, path(""));
    // A crash that follows is told by clang's own runtime, and ends the process with a status then.
    EXPECT_EQ(plain.exit_code == 0, stock.exit_code == 0);
    Report expected = report_in(stock.errors);
    EXPECT_EQ(report_in(plain.errors).message, expected.message) << plain.errors << stock.errors;
    EXPECT_EQ(report_in(plain.errors).line, expected.line);
    if (expected.line == 0) continue;  // not every compiler finds every kind
    ++reported;
    expect_bug({number, "in a thread"}, expected);
  }
  EXPECT_GE(reported, kinds - 2);
}

TEST_P(Undefined, EndsTheProcessWhereAsked) {
  for (const char* flag : {"-fno-sanitize-recover=undefined", "-fsanitize-recover=undefined"}) {
    build({GetParam(), flag}, "stock");
    build({THRUM_PROGRAM, "c++", flag}, "program");
    ChildResult stock = run({path("stock"), "0"}, path(""));
    ChildResult plain = run({path("program"), "0"}, path(""));
    EXPECT_EQ(plain.exit_code, stock.exit_code) << flag;
    std::vector<std::string> halt = {"UBSAN_OPTIONS=print_stacktrace=0:halt_on_error=1"};
    EXPECT_EQ(run({path("program"), "0"}, path(""), halt).exit_code,
              run({path("stock"), "0"}, path(""), halt).exit_code);
  }
}

}  // namespace

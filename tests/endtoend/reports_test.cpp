// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reports of the programs of tests/reports, one bug each, as they stand beside them, by both compilers;
// and docs/bugs.md, which shows programs and reports, against both.
//
// With THRUM_UPDATE_REPORTS=1 in the environment the files are written instead (scripts/reports).
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "endtoend.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kFolder = std::string(THRUM_SOURCES) + "/tests/reports/";
const std::string kPage = std::string(THRUM_SOURCES) + "/docs/bugs.md";

bool updates() { return std::getenv("THRUM_UPDATE_REPORTS") != nullptr; }

std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".cpp") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The value of a line such as "// flags: ", of the compiler, or "// args: ", of thrum check (one word).
std::string value_of(const std::string& source, const std::string& key) {
  std::smatch match;
  return std::regex_search(source, match, std::regex("// " + key + ": (.*)")) ? match[1].str() : "";
}

// What is the same each time: the bug without what the search cost and covered.
std::string normal(std::string report) {
  report = report.substr(0, report.find("\nCovered: "));
  return std::regex_replace(report, std::regex(R"(after \d+\.\d+ s)"), "after 0.00 s");
}

class Reports : public EndToEnd, public testing::WithParamInterface<std::string> {
 protected:
  // The report on a program, by a compiler.
  std::string report(const std::string& compiler) {
    std::string source = read(kFolder + GetParam() + ".cpp");
    // One worker: which of several finds a bug first depends on how fast they are.
    std::vector<std::string> command = {THRUM_PROGRAM, "check", "--jobs", "1",
                                        write(GetParam() + ".cpp", source)};
    if (std::string flags = value_of(source, "flags"); !flags.empty())
      command.insert(command.end(), {"--compile-flags", flags});
    if (std::string option = value_of(source, "args"); !option.empty()) command.push_back(option);
    ChildResult result = run(command, path(""), {"THRUM_CXX=" + compiler, "COLUMNS=100"});
    EXPECT_EQ(result.exit_code, 1) << result.output << result.errors;
    return normal(result.output);
  }
};

// In which round a livelock of yields is seen depends on what calls left on stacks, and so on how the runtime
// was compiled, as well as the program. What stands beside the program is one of its forms.
bool depends_on_stacks(const std::string& program) { return program == "livelock_by_yields"; }

// What all forms have: these parts in this order, and between them only steps that eat() has, and no line
// else.
void expect_livelock_of_yields(const std::string& report) {
  std::size_t at = 0;
  for (const char* part : {"Bug 1, found by ", ": livelock: the threads go round in loops for ever\n",
                           " preemption", "creates 0.1", "creates 0.2", "waits for 0.1 to end",
                           "from here on the same comes again and again:", "yield",
                           "  Thread 0 waits for 0.1 to end\n      main  livelock_by_yields.cpp:23\n",
                           "  Thread 0.1 was about to: ", "      eat  ",
                           "  Thread 0.2 was about to: ", "      eat  ", "  Run it again: thrum replay "}) {
    at = report.find(part, at);
    ASSERT_NE(at, std::string::npos) << "no " << part << " there in\n" << report;
  }
  const std::regex step(R"( +(\d+  livelock_by_yields\.cpp:1[0-4])?[ |]*(preempted before: |was about to: )?)"
                        R"((try-lock)?(try-lock |unlock )?(forks\[[01]\]( fails)?)?(yield)?[ |]*)");
  const std::regex standing(
      R"(  Thread 0\.[12] was about to: (try-lock|unlock)? ?(forks\[[01]\]|yield)|)"
      R"(      eat  livelock_by_yields\.cpp:1[0-4]|)"
      R"(    and holds forks\[[01]\], locked at livelock_by_yields\.cpp:1[01] \(\d+\))");
  const std::regex frame(
      R"(main: BUG: .*|Bug 1, .*|  \d+ (preemption|switch).*| +source .*| +[12]  \S+:2[12] .*|)"
      R"([ |]*waits for 0\.1 to end[ |]*| +from here on .*:|  Thread 0 .*|      main .*|)"
      R"(  Run it again: .*)");
  std::istringstream in(report);
  for (std::string line; std::getline(in, line);) {
    const bool is_known = line.empty() || std::regex_match(line, step) || std::regex_match(line, standing) ||
                          std::regex_match(line, frame);
    EXPECT_TRUE(is_known) << line << "\n" << report;
  }
}

// Where the compilers make different code of a program, clang's report stands in a file of its own.
TEST_P(Reports, AreAsTheyStandBesideTheProgram) {
  const std::string golden = kFolder + GetParam() + ".txt";
  const std::string golden_clang = kFolder + GetParam() + ".clang.txt";
  std::string gcc = report("g++");
  std::string clang = report("clang++-19");
  if (updates()) {
    std::ofstream(golden) << gcc;
    fs::remove(golden_clang);
    if (clang != gcc && !depends_on_stacks(GetParam())) std::ofstream(golden_clang) << clang;
  }
  if (depends_on_stacks(GetParam())) {
    for (const std::string& report : {gcc, clang, read(golden)}) expect_livelock_of_yields(report);
    return;
  }
  EXPECT_EQ(gcc, read(golden)) << "scripts/reports writes it anew";
  EXPECT_EQ(clang, read(fs::exists(golden_clang) ? golden_clang : golden))
      << "scripts/reports writes it anew";
}

// The trace file holds all that the report shows: no program and no source is needed to see it again.
TEST_P(Reports, ShowTellsTheSameWhereNothingIsLeft) {
  std::string whole = report("g++");
  fs::remove(path(GetParam() + ".cpp"));
  ChildResult shown = run({THRUM_PROGRAM, "show", "thrum-out/bug-1.trace.json"}, path(""), {"COLUMNS=100"});
  EXPECT_EQ(shown.exit_code, 0) << shown.errors;
  // The report on a check has a line before it and two around it.
  std::size_t title = whole.find(" s: ", whole.find("Bug 1, found")) + 4;
  std::size_t again = whole.find("  Run it again: ");
  EXPECT_EQ(shown.output, whole.substr(title, again - title));
}

INSTANTIATE_TEST_SUITE_P(Of, Reports, testing::ValuesIn(programs()),
                         [](const auto& test) { return test.param; });

// What stands in the block behind a mark, such as "<!-- program: deadlock -->".
struct Block {
  std::string what;
  std::string name;
  std::size_t begin = 0;  // of its text in the page
  std::size_t end = 0;
};

std::vector<Block> blocks(const std::string& page) {
  std::vector<Block> all;
  const std::regex mark("<!-- (program|report): ([a-z_]+) -->\n```[a-z]*\n");
  for (std::sregex_iterator at(page.begin(), page.end(), mark), end; at != end; ++at) {
    auto begin = static_cast<std::size_t>(at->position() + at->length());
    all.push_back({(*at)[1], (*at)[2], begin, page.find("\n```", begin - 1) + 1});
  }
  return all;
}

class BugsPage : public EndToEnd {
 protected:
  // What is to stand in a block: the program with all its lines, since the report names their numbers, or its
  // report.
  static std::string wanted(const Block& block) {
    return read(kFolder + block.name + (block.what == "report" ? ".txt" : ".cpp"));
  }
};

TEST_F(BugsPage, ShowsProgramsAndReportsAsTheyAre) {
  std::string page = read(kPage);
  std::vector<Block> all = blocks(page);
  ASSERT_FALSE(all.empty());
  if (updates()) {
    for (auto block = all.rbegin(); block != all.rend(); ++block)
      page.replace(block->begin, block->end - block->begin, wanted(*block));
    std::ofstream(kPage) << page;
    all = blocks(page);
  }
  std::set<std::string> shown;
  for (const Block& block : all) {
    EXPECT_EQ(page.substr(block.begin, block.end - block.begin), wanted(block)) << block.name;
    shown.insert(block.what + block.name);
  }
  for (const std::string& name : programs()) {
    EXPECT_TRUE(shown.contains("program" + name) && shown.contains("report" + name)) << name;
  }
}

// A section's heading is the kind as it stands in results.
TEST_F(BugsPage, EachReportStandsInTheSectionOfItsKind) {
  std::string page = read(kPage);
  for (const Block& block : blocks(page)) {
    if (block.what != "report") continue;
    std::string report = page.substr(block.begin, block.end - block.begin);
    std::size_t heading = page.rfind("\n## ", block.begin) + 4;
    std::string kind = page.substr(heading, page.find('\n', heading) - heading);
    std::string words = kind == "assertion" ? "assertion failed" : kind;
    EXPECT_NE(report.find(" s: " + words), std::string::npos)
        << block.name << " stands in the section " << kind;
  }
}

// Pages that show a whole report.
class Page : public EndToEnd {
 protected:
  static std::string normal_cost(const std::string& text) {
    std::string seconds = std::regex_replace(text, std::regex(R"(\d+\.\d+ s)"), "0.00 s");
    return std::regex_replace(seconds, std::regex(R"(\(\d+/s\))"), "(50000/s)");
  }

  // The page shows what a check of that example says, behind the command.
  void expect_report(const std::string& page_name, const std::string& program) {
    fs::create_directory(path("examples"));
    fs::copy_file(example(program), path("examples/" + program));
    ChildResult result =
        run({THRUM_PROGRAM, "check", "examples/" + program}, path(""), {"COLUMNS=100", "THRUM_CXX=g++"});
    expect_block(page_name, "$ thrum check examples/" + program + "\n", result.output);
  }

  // Behind that mark the page has that text, up to the end of the block.
  static void expect_block(const std::string& page_name, const std::string& mark, const std::string& text) {
    const std::string file = std::string(THRUM_SOURCES) + "/" + page_name;
    std::string page = read(file);
    ASSERT_NE(page.find(mark), std::string::npos) << mark;
    std::size_t begin = page.find(mark) + mark.size();
    std::size_t end = page.find("```", begin);
    ASSERT_NE(end, std::string::npos);
    if (updates()) {
      page.replace(begin, end - begin, text);
      std::ofstream(file) << page;
      end = page.find("```", begin);
    }
    EXPECT_EQ(normal_cost(text), normal_cost(page.substr(begin, end - begin)));
  }
};

class Readme : public Page {};
class TestingPage : public Page {};

TEST_F(Readme, ShowsTheReportAsItIs) { expect_report("README.md", "lost_wakeup.cpp"); }

TEST_F(TestingPage, ShowsTheReportAsItIs) { expect_report("docs/testing.md", "seats.cpp"); }

// With all its lines, since the report names their numbers.
TEST_F(TestingPage, ShowsTheProgramAsItIs) {
  const std::string text = read(example("seats.cpp"));
  const std::string mark =
      "<!-- program: examples/seats.cpp. A test holds it against the file. -->\n```cpp\n";
  expect_block("docs/testing.md", mark, text);
}

}  // namespace

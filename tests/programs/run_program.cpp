// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks a program under test with `thrum check`, and compares the result with what its first lines
// expect:
//
//   // expect: exhausted | bug <kind> [preemptions=<n>] | inconclusive
//   // reason: <text>          the reason of the verdict contains it
//   // args: <options of thrum check>
//   // flags: <options of the compiler>
//   // plain: no                run by itself, the program does not do well (an exhausted one should)
//   // count dfs: <n>          executions of unbounded depth-first search
//   // count icb <c>: <n>      executions with exactly c preemptions
//   // count dpor: <n>         executions of optimal partial-order reduction: one of each class
//   // compilers: same         the number of executions is the same for all of kConfigurations
//   // compilers: both         the same verdicts under g++ and clang++
//   // case <name>: <as expect:>    with the name as the program's argument; any number of cases
//
// They are read up to the first line that is no comment; other comment lines are for people.
//
// A line that ends in `// reported` is one that a bug may be reported at; in `// reported: <names>`, one of
// those cases. Where there are such lines, the failure and the accesses of a report stand at them.
//
//   run_program THRUM FILE [--cxx COMPILER] [--flags FLAGS] [--timeout SECONDS] [--same-counts]
//
// The program also goes through its first executions once on fibers and once on system threads, which must
// show the same events. And it is searched with partial-order reduction, as far as that goes in a number of
// executions, which must not prove what is not so, nor find what is not there, nor lose control. Of a program's
// cases, by default each has one of these comparisons, in turn; with THRUM_LONG each has all. With
// --same-counts it runs depth-first search under each configuration instead. Exit codes: 0 as expected, 1
// different, 2 wrong usage.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "child_process.hpp"

namespace {

using nlohmann::json;

struct Configuration {
  std::string cxx;    // empty: the driver's default
  std::string flags;  // empty: none
};

// The long run: where this is not in the environment, less is compared.
bool compares_all() { return std::getenv("THRUM_LONG") != nullptr; }

// By default the first two are compared, which differ most.
const std::array<Configuration, 4> kConfigurations{{
    {"g++", "-O1"},
    {"clang++-19", "-O2"},
    {"g++", "-O2"},
    {"clang++-19", "-O1"},
}};
std::span<const Configuration> configurations() {
  const std::span all(kConfigurations);
  return compares_all() ? all : all.first(2);
}

// System threads are slow.
constexpr int kExecutionsOnEachThreads = 500;
constexpr int kExecutionsReduced = 500;
// Where threads have many events, one of these executions takes as long as many of another search.
int executions_unfolded() { return compares_all() ? 500 : 100; }
constexpr const char* kReductions[] = {"dpor", "best-first-dpor"};

struct Options {
  std::string thrum;
  std::string file;
  Configuration configuration;
  int timeout_seconds = 180;  // of one command, on a machine on which each switch is a system call
  bool same_counts = false;
};

struct Case;

struct Expectation {
  std::string verdict;
  std::string kind;  // of the bug
  std::optional<int> preemptions;
  std::string reason;
  std::vector<std::string> arguments;
  std::vector<std::string> flags;  // of the compiler
  bool plain = true;               // does well by itself
  std::optional<std::int64_t> dfs_executions;
  std::optional<std::int64_t> dpor_executions;
  std::map<int, std::int64_t> icb_executions;  // by the number of preemptions
  bool both_compilers = false;
  std::set<std::string> reported;  // `file:line` of where bugs may be reported; empty: anywhere
  std::vector<Case> cases;
};

struct Case {
  std::string name;
  Expectation expectation;
};

// What differs from the expectation; its text is the message.
struct Difference : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream stream;
  (stream << ... << parts);
  return stream.str();
}

std::vector<std::string> words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

// ---- The expectation in a program's first lines -------------------------------------------------

void read_expect(const std::vector<std::string>& value, Expectation& expectation) {
  if (value.empty()) throw std::invalid_argument("`expect:` says nothing");
  expectation.verdict = value[0];
  if (value[0] != "bug") return;
  if (value.size() < 2) throw std::invalid_argument("`expect: bug` names no kind");
  expectation.kind = value[1];
  const std::string_view prefix = "preemptions=";
  if (value.size() > 2 && value[2].starts_with(prefix)) {
    expectation.preemptions = std::stoi(value[2].substr(prefix.size()));
  }
}

void read_line(const std::string& key, const std::string& value, Expectation& expectation) {
  if (key == "expect") {
    read_expect(words(value), expectation);
  } else if (key == "reason") {
    expectation.reason = value;
  } else if (key == "args") {
    expectation.arguments = words(value);
  } else if (key == "flags") {
    expectation.flags = words(value);
  } else if (key == "plain") {
    expectation.plain = value != "no";
  } else if (key.starts_with("case ")) {
    Case& one = expectation.cases.emplace_back();
    one.name = key.substr(5);
    read_expect(words(value), one.expectation);
  } else if (key == "compilers") {
    expectation.both_compilers = value == "both";
  } else if (key == "count dfs") {
    expectation.dfs_executions = std::stoll(value);
  } else if (key == "count dpor") {
    expectation.dpor_executions = std::stoll(value);
  } else if (key.starts_with("count icb ")) {
    expectation.icb_executions[std::stoi(key.substr(10))] = std::stoll(value);
  }
}

std::string place(const std::string& file, int line) {
  return text(std::filesystem::path(file).filename().string(), ':', line);
}

Expectation& case_named(const std::string& name, const std::string& place, Expectation& expectation) {
  for (Case& one : expectation.cases) {
    if (one.name == name) return one.expectation;
  }
  throw std::invalid_argument(text(place, ": the first lines have no case ", name));
}

// `names` stand behind the mark.
void add_reported(const std::string& place, const std::string& names, Expectation& expectation) {
  if (names.empty()) {
    expectation.reported.insert(place);
    for (Case& one : expectation.cases) one.expectation.reported.insert(place);
  }
  for (const std::string& name : words(names)) case_named(name, place, expectation).reported.insert(place);
}

// Behind the first lines: marks, and the cases that there are.
void read_rest(const std::string& file, Expectation& expectation) {
  const std::string mark = "  // reported";
  const std::string one_case = "CASE(";
  std::ifstream stream(file);
  int number = 1;
  for (std::string line; std::getline(stream, line); ++number) {
    const std::string here = place(file, number);
    for (std::size_t at = line.find(one_case); at != std::string::npos; at = line.find(one_case, at + 1)) {
      const std::size_t name = at + one_case.size();
      case_named(line.substr(name, line.find(')', name) - name), here, expectation);
    }
    const std::size_t at = line.find(mark);
    if (at == std::string::npos) continue;
    const std::string rest = line.substr(at + mark.size());
    if (rest.empty() || rest.starts_with(": "))
      add_reported(here, rest.empty() ? rest : rest.substr(2), expectation);
  }
}

Expectation read_expectation(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw std::invalid_argument("cannot read " + file);
  Expectation expectation;
  for (std::string line; std::getline(stream, line) && line.starts_with("//");) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("// ") && colon != std::string::npos) {
      read_line(line.substr(3, colon - 3), line.substr(colon + 2), expectation);
    }
  }
  if (expectation.verdict.empty() && expectation.cases.empty())
    throw std::invalid_argument(file + " has neither a line `// expect:` nor a case");
  for (Case& one : expectation.cases) one.expectation.arguments = expectation.arguments;
  read_rest(file, expectation);
  return expectation;
}

// Everything but those options and their values.
std::vector<std::string> without(const std::set<std::string>& options,
                                 const std::vector<std::string>& arguments) {
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (options.contains(arguments[i])) {
      ++i;
    } else {
      rest.push_back(arguments[i]);
    }
  }
  return rest;
}

std::vector<std::string> without_bound(const std::vector<std::string>& arguments) {
  return without({"--bound"}, arguments);
}

// ---- One run of thrum ---------------------------------------------------------------------------

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = std::filesystem::temp_directory_path() / "run_program.XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

struct Run {
  int exit_code = 0;
  json result;
  const json& test() const { return result.at("tests").at(0); }
  std::int64_t executions() const { return test().at("executions").get<std::int64_t>(); }
};

std::vector<std::string> compiler_environment(const std::string& cxx) {
  if (cxx.empty()) return {};
  std::string cc = cxx;  // clang++-19 is clang-19's, g++ gcc's
  if (const std::size_t at = cc.find("clang++"); at != std::string::npos) {
    cc.replace(at, 7, "clang");
  } else if (const std::size_t gnu = cc.find("g++"); gnu != std::string::npos) {
    cc.replace(gnu, 3, "gcc");
  }
  return {"THRUM_CXX=" + cxx, "THRUM_CC=" + cc};
}

std::string shown(const std::vector<std::string>& command, const ChildResult& child) {
  std::string result = "\n  command: ";
  for (const std::string& word : command) result += word + ' ';
  return result + "\n" + child.output + child.errors;
}

// The program compiled, in a folder of its own, where traces go as well.
class Built {
 public:
  Built(const Options& options, const Configuration& configuration, const std::vector<std::string>& flags)
      : options_(options) {
    const bool c = options.file.ends_with(".c");
    std::vector<std::string> command{options.thrum, c ? "cc" : "c++", c ? "-std=c11" : "-std=c++20", "-O1",
                                     "-g"};
    for (const std::string& flag : words(configuration.flags)) command.push_back(flag);
    command.insert(command.end(), flags.begin(), flags.end());
    command.insert(command.end(), {options.file, "-o", program()});
    const ChildResult child =
        run_child(command, compiler_environment(configuration.cxx), options.timeout_seconds);
    if (child.exit_code != 0) throw Difference("does not compile" + shown(command, child));
  }

  Run check(const std::vector<std::string>& arguments) const;
  // The program by itself, without Thrum.
  ChildResult run_plainly() const { return run_child({program()}, {}, options_.timeout_seconds); }
  // Its argument from now on.
  void set_case(const std::string& name) { case_ = name; }

 private:
  std::string program() const { return folder_.path() + "/program"; }

  const Options& options_;
  const TemporaryFolder folder_;
  std::string case_;  // empty: it has none
};

Run Built::check(const std::vector<std::string>& arguments) const {
  std::vector<std::string> command{options_.thrum, "check",       program(), "--json", "-",
                                   "--out",        folder_.path()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  if (!case_.empty()) command.insert(command.end(), {"--", case_});
  const ChildResult child = run_child(command, {}, options_.timeout_seconds);
  const std::string evidence = shown(command, child);
  if (child.timed_out) {
    throw Difference(text("not finished after ", options_.timeout_seconds, " s", evidence));
  }
  if (child.left_processes) throw Difference("processes stayed behind" + evidence);
  if (!child.exit_code) throw Difference("thrum was ended by a signal" + evidence);
  try {
    return {*child.exit_code, json::parse(child.output)};
  } catch (const json::exception& error) {
    throw Difference(text("exit code ", *child.exit_code, " and no JSON: ", error.what(), evidence));
  }
}

// ---- Comparisons --------------------------------------------------------------------------------

template <class T>
void expect_equal(std::string_view what, const T& expected, const T& found, const json& result) {
  if (expected == found) return;
  const std::string evidence = result.is_null() ? "" : "\n" + result.dump(2);
  throw Difference(text(what, ": expected ", expected, ", found ", found, evidence));
}

// Of a search that went through; one that was told to ignore races proves nothing, as its user knows.
int exit_code_of(const Expectation& expectation) {
  const auto& arguments = expectation.arguments;
  bool ignores = std::find(arguments.begin(), arguments.end(), "ignore") != arguments.end();
  if (expectation.verdict == "exhausted" || (expectation.verdict == "inconclusive" && ignores)) return 0;
  return expectation.verdict == "bug" ? 1 : 3;
}

void compare_lines(const Expectation& expectation, const json& bug) {
  if (expectation.reported.empty()) return;
  for (const json& location : bug.at("locations")) {
    const std::string found = place(location.at("file").get<std::string>(), location.at("line").get<int>());
    if (expectation.reported.contains(found)) continue;
    throw Difference("reported at a line that is not marked so\n" + bug.dump(2));
  }
}

void compare_bug(const Expectation& expectation, const Run& run) {
  const json& bugs = run.test().at("bugs");
  if (bugs.empty()) throw Difference("verdict `bug` without a bug\n" + run.result.dump(2));
  const auto fewest = std::min_element(bugs.begin(), bugs.end(), [](const json& a, const json& b) {
    return a.at("preemptions").get<int>() < b.at("preemptions").get<int>();
  });
  expect_equal("kind", expectation.kind, fewest->at("kind").get<std::string>(), run.result);
  compare_lines(expectation, *fewest);
  if (!expectation.preemptions) return;
  expect_equal("preemptions", *expectation.preemptions, fewest->at("preemptions").get<int>(), run.result);
  const auto& arguments = expectation.arguments;
  if (std::find(arguments.begin(), arguments.end(), "--strategy") == arguments.end()) {
    expect_equal("preemptions_minimal", std::string("proved"),
                 fewest->at("preemptions_minimal").get<std::string>(), run.result);
  }
}

void compare_verdict(const Built& built, const Expectation& expectation) {
  const Run run = built.check(expectation.arguments);
  expect_equal("verdict", expectation.verdict, run.result.at("verdict").get<std::string>(), run.result);
  expect_equal("verdict of the test", expectation.verdict, run.test().at("verdict").get<std::string>(),
               run.result);
  const auto reason = run.test().at("reason").get<std::string>();
  if (reason.find(expectation.reason) == std::string::npos) {
    throw Difference(text("reason: expected ", expectation.reason, ", found ", reason));
  }
  expect_equal("exit code", exit_code_of(expectation), run.exit_code, run.result);
  if (expectation.verdict == "bug") compare_bug(expectation, run);
  if (expectation.verdict == "exhausted" && without_bound(expectation.arguments) == expectation.arguments) {
    // Searched by what threads read, it is never called complete.
    const auto& words = expectation.arguments;
    const bool is_by_values = std::find(words.begin(), words.end(), "mcr") != words.end();
    expect_equal("complete", !is_by_values, run.test().at("complete").get<bool>(), run.result);
  }
}

std::int64_t executions(const Built& built, std::vector<std::string> arguments,
                        const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  // Several workers would run some classes twice.
  for (const char* word : {"--keep-going", "--jobs", "1"}) arguments.emplace_back(word);
  return built.check(arguments).executions();
}

void compare_counts(const Built& built, const Expectation& expectation) {
  const std::vector<std::string> arguments = without_bound(expectation.arguments);
  if (expectation.dfs_executions) {
    const std::int64_t found = executions(built, arguments, {"--strategy", "dfs"});
    expect_equal("executions of dfs", *expectation.dfs_executions, found, json());
  }
  if (expectation.dpor_executions) {
    const std::int64_t found =
        executions(built, without({"--bound", "--strategy"}, arguments), {"--strategy", "dpor"});
    expect_equal("executions of dpor", *expectation.dpor_executions, found, json());
  }
  std::map<int, std::int64_t> within;  // executions with at most so many preemptions
  const auto count_within = [&](int preemptions) {
    if (preemptions < 0) return std::int64_t{0};
    if (!within.contains(preemptions)) {
      within[preemptions] =
          executions(built, arguments, {"--strategy", "icb", "--bound", text("preemptions=", preemptions)});
    }
    return within[preemptions];
  };
  for (const auto& [preemptions, expected] : expectation.icb_executions) {
    const std::int64_t found = count_within(preemptions) - count_within(preemptions - 1);
    expect_equal(text("executions of icb with exactly ", preemptions, " preemptions"), expected, found,
                 json());
  }
}

// A checkable program that is right behaves, run by itself, as one that was built normally.
void compare_plain(const Built& built, const Expectation& expectation) {
  if (expectation.verdict != "exhausted" || !expectation.plain) return;
  const ChildResult child = built.run_plainly();
  if (child.exit_code == 0 && !child.left_processes) return;
  throw Difference("the program does not do well by itself" + shown({"program"}, child));
}

void compare_threads(const Built& built, const Expectation& expectation) {
  const auto run_on = [&](const char* threads) {
    std::vector<std::string> arguments = without({"--executions"}, expectation.arguments);
    arguments.insert(arguments.end(), {"--threads", threads, "--trace-digest", "--executions",
                                       text(kExecutionsOnEachThreads), "--keep-going"});
    return built.check(arguments);
  };
  const Run fibers = run_on("fibers");
  const Run system = run_on("system");
  expect_equal("threads asked for", std::string("system"), system.test().at("threads").get<std::string>(),
               json());
  const std::string both = "\nfibers: " + fibers.result.dump(2) + "\nsystem: " + system.result.dump(2);
  for (const char* what : {"verdict", "executions", "steps", "trace_digest"}) {
    if (fibers.test().at(what) == system.test().at(what)) continue;
    throw Difference(text("fibers and system threads differ in ", what, both));
  }
}

// What the program does without a bound, or without fairness, is not told by what it does with one.
void compare_reduction(const Built& built, const Expectation& expectation, const char* strategy) {
  std::vector<std::string> arguments =
      without({"--bound", "--fair", "--strategy", "--seed", "--executions", "--time"}, expectation.arguments);
  const bool bounded = arguments != expectation.arguments;
  arguments.insert(arguments.end(), {"--strategy", strategy, "--executions", text(kExecutionsReduced)});
  const Run run = built.check(arguments);
  const auto verdict = run.test().at("verdict").get<std::string>();
  const auto reason = run.test().at("reason").get<std::string>();
  const bool ends_early = reason.find("--executions") != std::string::npos;
  const bool lost_control = reason.find("could not be followed") != std::string::npos;
  const bool is_so = verdict == expectation.verdict || (verdict == "inconclusive" && ends_early) ||
                     (bounded && verdict != "exhausted" && !lost_control) ||
                     (verdict == "inconclusive" && reason.find("races were ignored") != std::string::npos);
  if (is_so) return;
  throw Difference(text("with ", strategy, ' ', verdict, " (", reason, ") instead of ", expectation.verdict,
                        "\n", run.result.dump(2)));
}

// By what threads see by themselves: where that ends, there is no bug but one that depends on all threads
// together. Where it does not cover the program, it says so.
void compare_unfolding(const Built& built, const Expectation& expectation) {
  constexpr std::string_view kOfAll[] = {"livelock", "leak", "out-of-memory", "hang"};
  std::vector<std::string> arguments =
      without({"--bound", "--fair", "--strategy", "--seed", "--executions", "--time"}, expectation.arguments);
  if (std::ranges::find(arguments, "ignore") != arguments.end()) return;  // --races
  const bool bounded = arguments != expectation.arguments;
  arguments.insert(arguments.end(), {"--strategy", "unfolding", "--executions", text(executions_unfolded())});
  const Run run = built.check(arguments);
  const auto verdict = run.test().at("verdict").get<std::string>();
  const auto reason = run.test().at("reason").get<std::string>();
  const bool is_wrong = reason.find("internal") != std::string::npos ||
                        reason.find("did not stop when it was told to") != std::string::npos;
  const bool is_of_all = std::ranges::find(kOfAll, expectation.kind) != std::end(kOfAll);
  const bool is_so = verdict == expectation.verdict || verdict == "inconclusive" || verdict == "skipped" ||
                     (verdict == "exhausted" && is_of_all) || (bounded && verdict == "bug");
  if (is_so && !is_wrong) return;
  throw Difference(text("with unfolding ", verdict, " (", reason, ") instead of ", expectation.verdict, "\n",
                        run.result.dump(2)));
}

void compare_configurations(const Options& options, const Expectation& expectation) {
  std::string counts;
  std::optional<std::int64_t> first;
  bool same = true;
  for (const Configuration& configuration : configurations()) {
    const Built built(options, configuration, expectation.flags);
    const std::int64_t found = executions(built, expectation.arguments, {"--strategy", "dfs"});
    counts += text("\n  ", configuration.cxx, ' ', configuration.flags, ": ", found);
    same = same && found == first.value_or(found);
    first = first.value_or(found);
  }
  if (!same) throw Difference("the number of executions depends on the compiler:" + counts);
}

// What there is to say of one program, or of the case of that number, with one compiler.
using Comparison = void (*)(const Built&, const Expectation&, std::size_t);

void compare_verdicts(const Built& built, const Expectation& expectation, std::size_t) {
  compare_verdict(built, expectation);
}

void compare_case(const Built& built, const Expectation& expectation, std::size_t number) {
  compare_verdict(built, expectation);
  const auto has = [&](std::size_t turn) { return compares_all() || number % 3 == turn; };
  if (has(0)) compare_threads(built, expectation);
  if (has(1)) compare_reduction(built, expectation, kReductions[0]);
  if (has(2)) compare_unfolding(built, expectation);
}

void compare_all(const Built& built, const Expectation& expectation, std::size_t) {
  compare_verdict(built, expectation);
  compare_counts(built, expectation);
  compare_threads(built, expectation);
  for (const char* strategy : kReductions) compare_reduction(built, expectation, strategy);
  compare_unfolding(built, expectation);
  compare_plain(built, expectation);
}

void compare_cases(Built& built, const Expectation& expectation, const std::string& cxx,
                   Comparison comparison) {
  std::string differences;
  std::size_t number = 0;
  for (const Case& one : expectation.cases) {
    built.set_case(one.name);
    try {
      comparison(built, one.expectation, number++);
    } catch (const Difference& difference) {
      differences += text("\n", cxx, ", case ", one.name, ": ", difference.what());
    }
  }
  if (!differences.empty()) throw Difference(differences);
}

void compare(const Options& options, const Expectation& expectation) {
  const bool has_cases = !expectation.cases.empty();
  const auto compare_with = [&](const Configuration& configuration, Comparison whole, Comparison one) {
    Built built(options, configuration, expectation.flags);
    if (has_cases) return compare_cases(built, expectation, configuration.cxx, one);
    whole(built, expectation, 0);
  };
  compare_with(options.configuration, compare_all, compare_case);
  if (expectation.both_compilers) compare_with({"clang++-19", ""}, compare_verdicts, compare_verdicts);
}

// ---- Command line -------------------------------------------------------------------------------

Options read_options(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 2) {
    throw std::invalid_argument(
        "run_program THRUM FILE [--cxx COMPILER] [--flags FLAGS] [--timeout SECONDS] "
        "[--same-counts]");
  }
  Options options;
  options.thrum = arguments[0];
  options.file = arguments[1];
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    if (name == "--same-counts") {
      options.same_counts = true;
      continue;
    }
    if (++i == arguments.size()) throw std::invalid_argument(name + " needs a value");
    if (name == "--cxx") {
      options.configuration.cxx = arguments[i];
    } else if (name == "--flags") {
      options.configuration.flags = arguments[i];
    } else if (name == "--timeout") {
      options.timeout_seconds = std::stoi(arguments[i]);
    } else {
      throw std::invalid_argument("no option " + name);
    }
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = read_options(argc, argv);
    const Expectation expectation = read_expectation(options.file);
    if (options.same_counts) {
      compare_configurations(options, expectation);
    } else {
      compare(options, expectation);
    }
    return 0;
  } catch (const std::invalid_argument& error) {
    std::cerr << "run_program: " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << argv[2] << ": " << error.what() << '\n';
    return 1;
  }
}

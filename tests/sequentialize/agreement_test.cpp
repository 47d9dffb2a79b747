// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sequential program fails in the same ways as exhaustive search of the original does, in the executions
// that its form covers: nothing else, and nothing less.
//
// THRUM_SEQUENTIAL_PROGRAMS: how many of each form; THRUM_SEQUENTIAL_SEED: the first seed;
// THRUM_SEQUENTIAL_ALL: go on after a disagreement.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <regex>

#include "sequentialize/execute.hpp"
#include "sequentialize/oracle.hpp"
#include "sequentialize/sequentialize.hpp"
#include "sequentialize/shrink.hpp"

namespace thrum::seq::random {
namespace {

constexpr std::size_t kStates = 200'000;
constexpr std::size_t kTogether = 25;  // programs in one shared object

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// One way to make a program sequential, and what the result covers.
struct Setting {
  std::string name;
  Options options;
  std::function<Failing(const Machine&)> covered;
  // What the documentation promises besides: where something of it fails, something is covered that fails.
  std::function<Failing(const Machine&)> at_least;
  bool guesses = false;  // what shared variables hold, one of four values: some programs are refused
};

Setting kiss(unsigned pending) {
  Options options;
  options.form = Form::kiss;
  options.pending = pending;
  auto covered = [pending](const Machine& machine) {
    return by_kiss(machine, static_cast<int>(pending), kStates);
  };
  auto at_least = [pending](const Machine& machine) {
    return machine.creations == 1 && pending > 0 ? by_any(machine, 2, kStates) : Failing{};
  };
  return {"pending " + std::to_string(pending), options, covered, at_least};
}

Setting rounds(Form form, unsigned count) {
  Options options;
  options.form = form;
  options.rounds = count;
  auto covered = [count](const Machine& machine) {
    return by_rounds(machine, static_cast<int>(count), kStates);
  };
  auto at_least = [count](const Machine& machine) {
    return by_any(machine, static_cast<int>(count) - 1, kStates);
  };
  return {"rounds " + std::to_string(count), options, covered, at_least, form == Form::eager};
}

std::string to_sequential(const Program& program, const Options& options) {
  static const std::string path =
      (std::filesystem::temp_directory_path() / ("thrum-agreement-" + std::to_string(getpid()) + ".c"))
          .string();
  std::ofstream(path) << to_c(program);
  struct Remove {
    ~Remove() { std::filesystem::remove(path); }
  } remove;
  return sequentialize({path}, options).text;
}

// Of a program without loops around creations.
unsigned threads_of(const Program& program) {
  unsigned count = 1;
  for (const Function& each : program.functions) count += each.role == Function::Role::thread;
  return count;
}

// Guesses take many runs.
Executed limits_of(const std::vector<Setting>& settings) {
  return settings[0].guesses ? Executed{.runs = 2'000'000, .seconds = 120} : Executed{};
}

std::string message_of(int identity) {
  return identity == kWrongUnlock ? "unlocked by a thread that does not hold it" : std::to_string(identity);
}

std::set<std::string> messages(const Failing& failing) {
  std::set<std::string> result;
  for (int each : failing) result.insert(message_of(each));
  return result;
}

std::string listed(const std::set<std::string>& all) {
  std::string text;
  for (const std::string& each : all) text += (text.empty() ? "" : ", ") + each;
  return "{" + text + "}";
}

bool holds_all(const std::set<std::string>& whole, const std::set<std::string>& part) {
  return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

// A program, with its answers.
struct Case {
  std::uint64_t seed = 0;
  std::size_t setting = 0;
  Program program{};
  std::set<std::string> covered{};
  std::string text{};
  std::string trouble{};  // with the oracle, or with the program's text
};

struct Tally {
  std::uint64_t programs = 0;
  std::uint64_t failing = 0;
  std::uint64_t skipped = 0;
  std::uint64_t refused = 0;
  std::uint64_t runs = 0;
  std::uint64_t bounded = 0;  // more can fail, in executions that are not covered
};

// False: there are too many states, or it is refused.
bool prepare(Case& one, const Setting& setting, Tally& tally) {
  try {
    Machine machine = machine_of(one.program);
    one.covered = messages(setting.covered(machine));
    if (setting.guesses && !stays_below(machine, 4, kStates)) {
      ++tally.refused;
      return false;
    }
    std::set<std::string> any = messages(by_any(machine, -1, kStates));
    if (!holds_all(any, one.covered))
      one.trouble = "the oracle covers what no interleaving does: " + listed(any);
    if (any != one.covered) ++tally.bounded;
    std::set<std::string> least = messages(setting.at_least(machine));
    if (!least.empty() && one.covered.empty())
      one.trouble = "not covered, and documented to be: " + listed(least);
  } catch (const TooManyStates&) {
    ++tally.skipped;
    return false;
  }
  try {
    Options options = setting.options;
    if (setting.guesses) options.threads = threads_of(one.program);
    one.text = to_sequential(one.program, options);
  } catch (const SourceError& error) {
    ++tally.refused;
    if (setting.guesses) return false;
    one.trouble = std::string("refused: ") + error.what();
  }
  return true;
}

std::string disagreement(const Case& one, const Runs& runs) {
  if (!one.trouble.empty()) return one.trouble + "; covered: " + listed(one.covered);
  if (!runs.trouble.empty()) return runs.trouble;
  bool agree = runs.all ? runs.failing == one.covered : holds_all(one.covered, runs.failing);
  if (agree) return "";
  return "covered: " + listed(one.covered) + ", by the sequential program: " + listed(runs.failing);
}

std::string disagreement(const Program& program, const Setting& setting) {
  Case one;
  one.program = program;
  Tally ignored;
  try {
    if (!prepare(one, setting, ignored)) return "";
    return one.trouble.empty() ? disagreement(one, run_all({one.text}, limits_of({setting}))[0])
                               : disagreement(one, {});
  } catch (const NoProgram&) {
    return "";
  }
}

// Of the same sort: a program that became wrong when it was made smaller is none.
std::string sort_of(const std::string& disagreement) {
  return disagreement.substr(0, disagreement.find(':'));
}

std::string shrunk(const Case& one, const Setting& setting, const std::string& what) {
  Program small = shrink(one.program, [&](const Program& program) {
    return sort_of(disagreement(program, setting)) == sort_of(what);
  });
  return disagreement(small, setting) + "\n" + to_c(small);
}

void finish(std::vector<Case>& cases, const std::vector<Setting>& settings, Tally& tally) {
  std::vector<std::string> texts;
  for (const Case& each : cases)
    texts.push_back(each.trouble.empty() ? each.text : "int main(void) { return 0; }\n");
  std::vector<Runs> runs = run_all(texts, limits_of(settings));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    ++tally.programs;
    tally.runs += runs[i].count;
    if (!cases[i].covered.empty()) ++tally.failing;
    if (!runs[i].all) ++tally.skipped;
    const Setting& setting = settings[cases[i].setting];
    std::string what = disagreement(cases[i], runs[i]);
    if (what.empty()) continue;
    ADD_FAILURE() << "seed " << cases[i].seed << ", " << setting.name << ": " << what
                  << "\nshrunk: " << shrunk(cases[i], setting, what);
    if (testing::Test::HasFailure() && from_environment("THRUM_SEQUENTIAL_ALL", 0) == 0) break;
  }
  cases.clear();
}

void compare(const std::vector<Setting>& settings) {
  std::uint64_t first = from_environment("THRUM_SEQUENTIAL_SEED", 1);
  std::uint64_t count = from_environment("THRUM_SEQUENTIAL_PROGRAMS", 100);
  bool all = from_environment("THRUM_SEQUENTIAL_ALL", 0) != 0;
  Tally tally;
  std::vector<Case> cases;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    Case one;
    one.seed = seed;
    one.setting = seed % settings.size();
    one.program = random_program(seed, settings[0].guesses);
    bool small = false;
    try {
      small = prepare(one, settings[one.setting], tally);
    } catch (const NoProgram& error) {
      ADD_FAILURE() << "seed " << seed << ": " << error.what();
    }
    if (small) {
      cases.push_back(std::move(one));
    } else {
      ++tally.programs;
    }
    if (cases.size() == kTogether || seed + 1 == first + count) finish(cases, settings, tally);
    if (testing::Test::HasFailure() && !all) return;
  }
  std::cout << tally.programs << " programs: " << tally.failing << " fail, " << tally.bounded
            << " can fail in more ways where more is covered, " << tally.skipped << " too large, "
            << tally.refused << " refused; " << tally.runs << " runs\n";
  // A comparison of programs that never fail, or always, would show little.
  EXPECT_GE(tally.failing, (count - tally.refused) / 5);
  EXPECT_LE(tally.failing, count - count / 10);
  EXPECT_LE(tally.skipped, 1 + count / (settings[0].guesses ? 10 : 30));
}

TEST(Agree, Kiss) { compare({kiss(2), kiss(1), kiss(0)}); }
TEST(Agree, LazyRounds) { compare({rounds(Form::lazy, 1), rounds(Form::lazy, 2), rounds(Form::lazy, 3)}); }
TEST(Agree, EagerRounds) { compare({rounds(Form::eager, 2), rounds(Form::eager, 1)}); }

// Programs for which they disagreed once: each says in comments what can fail.
TEST(Agree, AsInRegressions) {
  std::filesystem::path folder = std::filesystem::path(__FILE__).parent_path() / "regressions";
  std::size_t answers = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(entry.path());
    static const std::regex said("// (kiss|lazy|eager) ([0-9]+): (\\{.*\\})");
    for (std::string line; std::getline(in, line);) {
      std::smatch parts;
      if (!std::regex_match(line, parts, said)) continue;
      ++answers;
      Options options;
      options.form = parts[1] == "kiss" ? Form::kiss : parts[1] == "lazy" ? Form::lazy : Form::eager;
      (options.form == Form::kiss ? options.pending : options.rounds) =
          static_cast<unsigned>(std::stoul(parts[2]));
      Runs runs = run_all({sequentialize({entry.path()}, options).text}, {})[0];
      EXPECT_EQ(listed(runs.failing) + runs.trouble, parts[3])
          << entry.path() << ", " << parts[1] << ' ' << parts[2];
    }
  }
  EXPECT_GE(answers, 8U);
}

// To look at a program, or to give its sequential one to a checker: THRUM_SEQUENTIAL_SEED.
TEST(Agree, DISABLED_Print) {
  std::uint64_t seed = from_environment("THRUM_SEQUENTIAL_SEED", 1);
  Program program = random_program(seed);
  Setting setting = kiss(2);
  std::cout << to_c(program)
            << "// can fail, by KISS: " << listed(messages(setting.covered(machine_of(program)))) << '\n';
  std::string path = "thrum-agreement-" + std::to_string(seed) + ".c";
  std::ofstream(path) << to_sequential(program, setting.options);
  std::cout << "// made sequential: " << path << '\n';
}

}  // namespace
}  // namespace thrum::seq::random

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executions per second of one worker, over the programs in bench/programs.
//
//   throughput THRUM PROGRAMS_DIR BASELINE.json [--rounds N] [--executions N] [--program NAME]...
//              [--against THRUM] [--strategy NAME] [--against-strategy NAME] [--cut N] [--write-baseline]
//
// A small tree is searched again and again; the runtime asserts that each search takes as many executions as
// the first, and here that first number is compared with the formula in the program's header. The programs
// take turns, and with each turn a fixed piece of work is timed that has nothing to do with Thrum: dividing
// by its speed takes out most of what else the machine is doing. The committed baseline holds both figures,
// so the last column is the present speed against the baseline's on a machine as fast. Medians throughout.
//
// Each program is run without and with a look for data races; the first is what the baseline was measured by
// before there was a race detector.
//
// --against takes turns with another Thrum, an older one say: the fixed work is a rough measure of a machine
// that others use, and what runs a second later is a better one. The programs are compiled by each.
//
// --strategy measures another one than depth-first search, of both, and --against-strategy takes turns with
// one:
// "--strategy dpor --against-strategy dfs" is what reduction costs an execution. Reductions know no bound, so
// no search has one then, and those that are long are cut.
//
// --cut N: searches without a bound, cut at so many executions: what a long search runs at, whose executions
// have more in common than those of a small tree. No such figure is held against the baseline.
//
// Memory is the largest resident size of the whole run against that of one turn with a tenth of the
// executions: it must not grow with them.

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

// A Thrum that is measured.
struct Subject {
  std::string thrum;
  bool has_races_option = true;  // else it looks for none
  std::string strategy = "dfs";
  // Executions of one search at most; 0: it ends of itself, within the bound of the program.
  std::uint64_t cut = 0;
};

struct Program {
  std::string name;
  std::string source;
  bool races = true;  // are looked for
  std::string bound = "none";
  std::optional<std::uint64_t> executions;  // of one search, by the formula
  std::uint64_t accesses = 0;               // plain ones of an execution, where they are most of it
  std::uint64_t of_one_search = 0;          // as measured
  std::string binary;
  std::vector<double> rates;
  std::vector<double> relative;  // to the fixed work of the same turn
  std::uint64_t executions_total = 0;
  long resident_short_kib = 0;
  long resident_long_kib = 0;
};

struct Run {
  std::uint64_t executions = 0;
  double seconds = 0;
  long resident_kib = 0;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Runs a command to its end; returns what it printed. Its resources go to usage.
std::string run(const std::vector<std::string>& command, rusage& usage) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe can be had");
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execv(words[0], words.data());
    _exit(127);
  }
  close(ends[1]);
  std::string output;
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
    output.append(buffer, static_cast<std::size_t>(count));
  close(ends[0]);
  int status = 0;
  wait4(child, &status, 0, &usage);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error(fmt::format("{} failed", fmt::join(command, " ")));
  return output;
}

Run search(const Subject& subject, const Program& program, std::uint64_t repeat, const std::string& out) {
  rusage usage{};
  std::vector<std::string> command = {
      subject.thrum,          "check",          "--jobs", "1",      program.binary,
      "--strategy",           subject.strategy, "--time", "0",      "--repeat",
      std::to_string(repeat), "--out",          out,      "--json", "-"};
  if (subject.cut != 0) {
    command.insert(command.end(), {"--executions", std::to_string(subject.cut)});
  } else {
    command.insert(command.end(), {"--bound", program.bound});
  }
  bool ignores_races = subject.has_races_option && !program.races;
  if (ignores_races) command.insert(command.end(), {"--races", "ignore"});
  Json test = Json::parse(run(command, usage)).at("tests").at(0);
  // What ignores races or is cut proves nothing, but goes through.
  const bool may_end_early = ignores_races || subject.cut != 0;
  if (test.at("verdict") != "exhausted" && !(may_end_early && test.at("verdict") == "inconclusive"))
    throw std::runtime_error(program.name + " was not exhausted");
  return {test.at("executions"), test.at("seconds"), usage.ru_maxrss};
}

// A tenth of a second of the kind of work that an execution does: calls through pointers and short copies.
// Returns rounds per second.
double fixed_work() {
  using Clock = std::chrono::steady_clock;
  static char from[1 << 14];
  static char to[1 << 14];
  void* (*volatile copy)(void*, const void*, std::size_t) = std::memcpy;
  auto start = Clock::now();
  std::uint64_t rounds = 0;
  double seconds = 0;
  while (seconds < 0.1) {
    for (int i = 0; i < 10'000; ++i) copy(to + (i & 3) * 4096, from + (i & 1) * 4096, 512);
    ++rounds;
    seconds = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return static_cast<double>(rounds) / seconds;
}

std::vector<Program> read_programs(const fs::path& directory, std::span<const std::string> only) {
  std::vector<Program> programs;
  for (const auto& entry : fs::directory_iterator(directory)) {
    Program program;
    program.name = entry.path().stem();
    if (!only.empty() && std::find(only.begin(), only.end(), program.name) == only.end()) continue;
    program.source = entry.path();
    std::ifstream file(entry.path());
    const std::string bound = "// bound: ";
    const std::string executions = "// executions: ";
    const std::string accesses = "// accesses: ";
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with(bound)) program.bound = line.substr(bound.size());
      if (line.starts_with(executions) && line.back() != '?')
        program.executions = std::stoull(line.substr(executions.size()));
      if (line.starts_with(accesses)) program.accesses = std::stoull(line.substr(accesses.size()));
    }
    program.races = false;
    programs.push_back(program);
    program.races = true;
    program.name += ", races";
    programs.push_back(program);
  }
  std::sort(programs.begin(), programs.end(),
            [](const Program& a, const Program& b) { return a.name < b.name; });
  return programs;
}

void build(const Subject& subject, const fs::path& out, Program& program) {
  fs::create_directories(out);
  program.binary = out / program.name;
  rusage usage{};
  run({subject.thrum, "c++", "-std=c++20", "-O2", program.source, "-o", program.binary}, usage);
  program.of_one_search = search(subject, program, 1, out).executions;
  if (subject.cut == 0 && program.executions && *program.executions != program.of_one_search) {
    throw std::runtime_error(fmt::format("{}: {} executions, but the formula says {}", program.name,
                                         program.of_one_search, *program.executions));
  }
}

void take_turn(const Subject& subject, const fs::path& out, std::uint64_t executions, Program& program) {
  // An execution of the others takes about as long as a thousand accesses.
  std::uint64_t repeat = executions / (1 + program.accesses / 1000) / program.of_one_search + 1;
  if (program.of_one_search == subject.cut) repeat = 1;
  if (program.resident_short_kib == 0)
    program.resident_short_kib = search(subject, program, repeat / 10 + 1, out).resident_kib;
  double before = fixed_work();
  Run run = search(subject, program, repeat, out);
  double speed = (before + fixed_work()) / 2;
  double rate = static_cast<double>(run.executions) / run.seconds;
  program.rates.push_back(rate);
  program.relative.push_back(rate / speed);
  program.executions_total += run.executions;
  program.resident_long_kib = std::max(program.resident_long_kib, run.resident_kib);
}

Program* find(std::vector<Program>& programs, const std::string& name) {
  for (Program& program : programs) {
    if (program.name == name) return &program;
  }
  return nullptr;
}

// Of the speeds in each turn that both took.
double median_ratio(const Program& program, const Program& other) {
  std::vector<double> ratios;
  for (std::size_t turn = 0; turn < program.rates.size(); ++turn)
    ratios.push_back(program.rates[turn] / other.rates[turn]);
  return median(std::move(ratios));
}

void print_table(const std::vector<Program>& programs, std::vector<Program>& others, const Json& baseline) {
  fmt::print("{:26}{:>12}{:>14}{:>12}{:>12}{:>12}{:>16}{:>14}{:>14}\n", "program", "executions", "median /s",
             "lowest", "highest", "baseline", "of the baseline", "memory KiB",
             others.empty() ? "" : "of the other");
  for (const Program& program : programs) {
    double rate = median(program.rates);
    std::string base = "-";
    std::string ratio = "-";
    if (baseline.contains(program.name)) {
      base = fmt::format("{:.0f}", baseline.at(program.name).at("executions_per_second").get<double>());
      ratio = fmt::format("{:.2f}",
                          median(program.relative) / baseline.at(program.name).at("relative").get<double>());
    }
    const Program* other = find(others, program.name);
    fmt::print("{:26}{:>12}{:>14.0f}{:>12.0f}{:>12.0f}{:>12}{:>16}{:>14}{:>14}\n", program.name,
               program.executions_total, rate, *std::min_element(program.rates.begin(), program.rates.end()),
               *std::max_element(program.rates.begin(), program.rates.end()), base, ratio,
               fmt::format("{} {:+}", program.resident_long_kib,
                           program.resident_long_kib - program.resident_short_kib),
               other ? fmt::format("{:.3f}", median_ratio(program, *other)) : "");
  }
  for (const Program& program : programs) {
    if (program.accesses != 0)
      fmt::print("{}: {:.1f} ns an access\n", program.name,
                 1e9 / median(program.rates) / static_cast<double>(program.accesses));
  }
}

struct Options {
  Subject subject;
  std::optional<Subject> against;
  fs::path programs;
  std::string baseline;
  std::vector<std::string> only;
  int rounds = 5;
  std::uint64_t executions = 1'000'000;
  bool write_baseline = false;
};

std::optional<Options> parse(const std::vector<std::string>& arguments) {
  if (arguments.size() < 3) return {};
  Options options;
  options.subject.thrum = arguments[0];
  options.programs = arguments[1];
  options.baseline = arguments[2];
  std::optional<std::string> against_thrum;
  std::optional<std::string> against_strategy;
  std::uint64_t cut = 0;
  for (std::size_t i = 3; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    if (name == "--write-baseline") {
      options.write_baseline = true;
      continue;
    }
    if (++i == arguments.size()) return {};
    const std::string& value = arguments[i];
    if (name == "--rounds") {
      options.rounds = std::stoi(value);
    } else if (name == "--executions") {
      options.executions = std::stoull(value);
    } else if (name == "--program") {
      options.only.push_back(value);
    } else if (name == "--strategy") {
      options.subject.strategy = value;
    } else if (name == "--against-strategy") {
      against_strategy = value;
    } else if (name == "--against") {
      against_thrum = value;
    } else if (name == "--cut") {
      cut = std::stoull(value);
    } else {
      return {};
    }
  }
  if (against_thrum || against_strategy) {
    Subject& other = options.against.emplace(options.subject);
    if (against_strategy) other.strategy = *against_strategy;
    if (against_thrum) {
      other.thrum = *against_thrum;
      rusage usage{};
      other.has_races_option =
          run({other.thrum, "check", "--help"}, usage).find("--races") != std::string::npos;
    }
  }
  constexpr std::uint64_t kCut = 200'000;
  const bool reduces =
      options.subject.strategy != "dfs" || (options.against && options.against->strategy != "dfs");
  if (reduces && cut == 0) cut = kCut;
  options.subject.cut = cut;
  if (options.against) options.against->cut = cut;
  return options;
}

void write_baseline(const std::vector<Program>& programs, Json baseline, const std::string& file) {
  for (const Program& program : programs) {
    baseline[program.name] = {{"executions_per_second", median(program.rates)},
                              {"relative", median(program.relative)}};
  }
  std::ofstream(file) << baseline.dump(2) << '\n';
}

int bench(const Options& options) {
  char name[] = "/tmp/thrum-bench-XXXXXX";
  if (!mkdtemp(name)) throw std::runtime_error("no temporary folder can be made");
  const fs::path out = name;
  std::vector<Program> programs = read_programs(options.programs, options.only);
  for (Program& program : programs) build(options.subject, out / "this", program);
  std::vector<Program> others;
  if (options.against) {
    others = read_programs(options.programs, options.only);
    if (!options.against->has_races_option)
      std::erase_if(others, [](const Program& program) { return program.races; });
    for (Program& program : others) build(*options.against, out / "other", program);
  }
  for (int round = 0; round < options.rounds; ++round) {
    for (Program& program : programs) {
      take_turn(options.subject, out, options.executions, program);
      if (Program* other = find(others, program.name))
        take_turn(*options.against, out, options.executions, *other);
    }
  }
  Json baseline = Json::object();
  if (std::ifstream file(options.baseline); file) baseline = Json::parse(file);
  const bool is_cut = options.subject.cut != 0;
  print_table(programs, others, is_cut ? Json::object() : baseline);
  if (options.write_baseline && !is_cut) write_baseline(programs, baseline, options.baseline);
  fs::remove_all(out);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::optional<Options> options = parse({argv + 1, argv + argc});
    if (options) return bench(*options);
    fmt::print(
        stderr,
        "throughput THRUM PROGRAMS_DIR BASELINE.json [--rounds N] [--executions N] [--program NAME]... "
        "[--against THRUM] [--strategy NAME] [--against-strategy NAME] [--write-baseline]\n");
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "throughput: {}\n", error.what());
    return 1;
  }
}

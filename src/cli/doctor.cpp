// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `thrum doctor` and `thrum strategies`: the abilities of this machine, and the list of strategies. Each
// compiler is tried on a program with a bug, so that "works" is an observation.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "campaign/strategies.hpp"
#include "cli/build.hpp"
#include "cli/commands.hpp"
#include "cli/engine.hpp"
#include "cli/machine.hpp"
#include "cli/outside_strategy.hpp"
#include "cli/vm_library.hpp"
#include "supervisor/signals.hpp"
#include "supervisor/worker.hpp"
#include "verdict/error.hpp"

namespace thrum {

namespace {

// Loses an update where one thread runs between another's load and store.
constexpr const char* kTrial = R"(#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> counter;
void increment() { int old = counter.load(); counter.store(old + 1); }
int main() {
  std::thread first(increment), second(increment), third(increment);
  first.join();
  second.join();
  third.join();
  assert(counter.load() == 3);
}
)";

class TrialSource {
 public:
  TrialSource() {
    std::string pattern = (std::filesystem::temp_directory_path() / "thrum-XXXXXX.cpp").string();
    int file = mkstemps(pattern.data(), 4);
    if (file < 0) throw UserError(pattern + ": cannot be made: " + std::strerror(errno));
    close(file);
    path_ = pattern;
    std::ofstream(path_) << kTrial;
  }
  ~TrialSource() { std::remove(path_.c_str()); }
  TrialSource(const TrialSource&) = delete;
  TrialSource& operator=(const TrialSource&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Compiles the trial program, finds its bug, and measures the speed by running all its schedules repeatedly.
Finding try_compiler(const std::string& name) {
  constexpr std::uint64_t kRepeats = 1'000;
  setenv("THRUM_CXX", name.c_str(), 1);
  TrialSource source;
  TemporaryBuild build({source.path()}, "", false);
  WorkerSettings settings;
  settings.program = build.program();
  Job job;
  job.strategy = "dfs";
  ThreadNames names;
  WorkerOutcome found = run_worker(settings, job, names);
  std::string problem = found.problem + found.internal;
  if (problem.empty() && found.report.result.bugs.empty())
    problem = "the bug of a trial program was not found";
  if (!problem.empty()) return {name, State::missing, "does not work: " + problem};
  job.keep_going = true;
  job.repeat = kRepeats;
  const SearchResult search = run_worker(settings, job, names).report.result;
  double rate = search.seconds > 0 ? static_cast<double>(search.executions) / search.seconds : 0;
  return {name, State::good,
          fmt::format("works: a trial program's bug was found; {:.0f} executions a second", rate)};
}

Finding examine_compiler(const std::string& name) {
  Finding finding = examine_tool(name, State::fallback, "other compilers serve as well");
  if (finding.state != State::good) return finding;
  try {
    Finding tried = try_compiler(name);
    tried.text = finding.text + "; " + tried.text;
    return tried;
  } catch (const UserError& error) {
    return {name, State::missing, finding.text + "; does not work: " + error.what()};
  }
}

// Z3, in a module.
Finding examine_solver() {
  if (!has_module(kSolver))
    return {"solver", State::fallback, std::string("for --strategy mcr only: this build ") + kSolver.lacks};
  try {
    module_function("solver", kSolver);
  } catch (const UserError& error) {
    return {"solver", State::fallback, std::string("for --strategy mcr only: ") + error.what()};
  }
  return {"solver", State::good, "Z3, for --strategy mcr"};
}

Finding examine_vm() {
  if (access(vm_path().c_str(), X_OK) == 0) return {"thrum-vm", State::good, vm_path()};
  return {"thrum-vm", State::fallback, "for --engine vm only: " + vm_path() + " is not there"};
}

class Doctor {
 public:
  void tell(const Finding& finding) {
    const char* mark = finding.state == State::good ? "ok" : finding.state == State::fallback ? "--" : "!!";
    fmt::print("{} {:<22} {}\n", mark, finding.what, finding.text);
    std::fflush(stdout);
    if (finding.state == State::missing) able_ = false;
  }

  bool examine_compilers() {
    std::vector<std::string> compilers = {"g++", "clang++", "clang++-19"};
    if (const char* chosen = std::getenv("THRUM_CXX")) compilers = {chosen};
    bool any = false;
    for (const std::string& name : compilers) {
      Finding finding = examine_compiler(name);
      any = any || finding.state == State::good;
      // One compiler that works is enough.
      if (finding.state == State::missing && compilers.size() > 1) finding.state = State::fallback;
      tell(finding);
    }
    return any;
  }

  int run() {
    for (const Finding& finding : examine_machine()) tell(finding);
    bool compiles = able_ && examine_compilers();
    tell(examine_tool("gcc", State::fallback, "for C only"));
    tell(
        examine_tool("clang-19", State::fallback, "for C by clang, and for --bitcode and --engine vm, only"));
    tell(examine_tool("llvm-objcopy-19", State::fallback, "for --bitcode and --engine vm only"));
    tell(examine_vm());
    tell(examine_tool("gdb", State::fallback, "for looking into a replayed schedule only"));
    tell(examine_solver());
    tell(examine_vm_library());
    able_ = able_ && compiles;
    fmt::print("{}\n", able_ ? "This machine can check programs."
                             : "This machine cannot check programs yet: see the lines marked !! or --.");
    return able_ ? kExitDone : kExitUsage;
  }

 private:
  bool able_ = true;
};

}  // namespace

int doctor_command() {
  InterruptHandler handler;  // a temporary build must not be left behind
  return Doctor().run();
}

int strategies_command() {
  std::size_t width = 0;
  for (const StrategyRow& row : strategies()) width = std::max(width, row.name.size());
  for (const StrategyRow& row : strategies()) fmt::print("{:<{}}  {}\n", row.name, width, row.help);
  return kExitDone;
}

}  // namespace thrum

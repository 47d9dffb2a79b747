// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs one program on both engines by the same plans, and compares the executions event by event: thread,
// index, operation, object by name, value, outcome and line.
//
//   same_events [--plans N] [--races ignore] [--out OUT] PROGRAM [ARGUMENT...]
//
// PROGRAM was compiled with `thrum c++ --bitcode`. The first plan departs nowhere, the others choose at
// random, each with another seed. Exit codes: 0 all are the same, 1 one differs, 2 it could not be run, 3
// they are the same as far as the machine goes, which ends at undefined behaviour; one line says which.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "cli/engine.hpp"
#include "report/same_execution.hpp"
#include "supervisor/worker.hpp"
#include "verdict/error.hpp"
#include "verdict/tracing.hpp"

namespace thrum {
namespace {

struct Asked {
  std::uint64_t plans = 20;
  Races races = Races::report;
  std::string out;  // the two executions that differ become OUT-native.json and OUT-vm.json
  std::string program;
  std::vector<std::string> arguments;
};

struct Runs {
  std::vector<TraceFile> executions;
  std::string problem;
};

Plan plan_number(std::uint64_t number) {
  Plan plan;
  if (number == 0) return plan;
  plan.policy.kind = Policy::Kind::random;
  plan.policy.seed = number;
  return plan;
}

Runs run_on(const char* engine, const Asked& asked) {
  Runs runs;
  Job job;
  job.led = true;
  job.races = asked.races;
  WorkerSettings settings;
  settings.program = std::filesystem::absolute(asked.program);
  settings.arguments = asked.arguments;
  settings.time_seconds = 60;
  use_engine(engine, settings);
  take_libraries(engine, job);
  std::vector<Trace> traces;
  ThreadNames names;  // of the traces
  settings.lead = [&](Program& program) {
    traces.resize(asked.plans);
    for (std::uint64_t i = 0; i < asked.plans; ++i)
      program.run(plan_number(i), nullptr, Wanted::everything(), traces[i]);
    names = program.names();
  };
  ThreadNames worker_names;
  const WorkerOutcome outcome = run_worker(settings, job, worker_names);
  runs.problem = outcome.problem.empty() ? outcome.internal : outcome.problem;
  if (runs.problem.empty() && !outcome.report.refused.empty()) runs.problem = outcome.report.refused;
  for (const Note& note : outcome.report.notes) {
    if (runs.problem.empty() && note.uncontrolled) runs.problem = note.text;
  }
  for (const Trace& trace : traces) {
    TraceFile file;
    file.engine = engine;
    set_trace(file, trace, names, outcome.report, settings.program);
    runs.executions.push_back(std::move(file));
  }
  return runs;
}

// Whether the program has done what only the machine looks for at each access, and what may end an execution
// of the compiled program in any way, or not at all.
bool is_undefined(BugKind kind) {
  return kind == BugKind::crash || kind == BugKind::use_after_free || kind == BugKind::double_free ||
         kind == BugKind::buffer_overflow || kind == BugKind::stack_overflow ||
         kind == BugKind::undefined_behaviour;
}

// Whether they are the same up to where the first of them ends.
bool same_before(TraceFile native, TraceFile machine, std::string& difference) {
  const std::size_t events = std::min(native.trace.events.size(), machine.trace.events.size());
  native.trace.events.resize(events);
  machine.trace.events.resize(events);
  native.trace.end = machine.trace.end;
  native.trace.failure = machine.trace.failure;
  return same_execution(native, machine, difference);
}

// Each engine has its own count of steps, so one may come to the limit earlier.
bool same(const TraceFile& native, const TraceFile& machine, std::string& difference) {
  const bool are_cut = native.trace.end == End::steps && machine.trace.end == End::steps;
  return are_cut ? same_before(native, machine, difference) : same_execution(native, machine, difference);
}

int compare(const Asked& asked) {
  const Runs machine = run_on(kVmEngine, asked);
  if (!machine.problem.empty()) throw UserError("vm: " + machine.problem);
  const Runs native = run_on(kNativeEngine, asked);
  if (!native.problem.empty()) throw UserError("native: " + native.problem);
  if (machine.executions.size() != native.executions.size()) throw UserError("one of them makes no choice");
  std::uint64_t events = 0;
  for (std::size_t i = 0; i < native.executions.size(); ++i) {
    std::string difference;
    if (!same(native.executions[i], machine.executions[i], difference)) {
      const Failure& failure = machine.executions[i].trace.failure;
      std::string earlier;
      const bool ends_early = !failure.empty() && is_undefined(failure.kind) &&
                              same_before(native.executions[i], machine.executions[i], earlier);
      if (ends_early) {
        std::cout << "undefined behaviour: " << failure.message << "\n";
        return 3;
      }
      std::cout << "plan " << i << ": " << difference << "\n";
      if (!asked.out.empty()) {
        std::ofstream(asked.out + "-native.json") << to_json(native.executions[i]);
        std::ofstream(asked.out + "-vm.json") << to_json(machine.executions[i]);
      }
      return 1;
    }
    events += native.executions[i].trace.events.size();
  }
  std::cout << "same: " << native.executions.size() << " executions, " << events << " events\n";
  return 0;
}

Asked read(const std::vector<std::string>& words) {
  Asked asked;
  std::size_t i = 0;
  for (; i + 1 < words.size() && words[i].starts_with("--"); i += 2) {
    if (words[i] == "--plans")
      asked.plans = std::strtoull(words[i + 1].c_str(), nullptr, 10);
    else if (words[i] == "--races" && words[i + 1] == "ignore")
      asked.races = Races::ignore;
    else if (words[i] == "--out")
      asked.out = words[i + 1];
    else
      throw UserError(words[i] + " " + words[i + 1] + ": is no option");
  }
  if (i == words.size()) throw UserError("names no program");
  asked.program = words[i];
  asked.arguments.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
  return asked;
}

}  // namespace
}  // namespace thrum

int main(int argc, char** argv) {
  try {
    return thrum::compare(thrum::read({argv + 1, argv + argc}));
  } catch (const std::exception& error) {
    std::cout << "not run: " << error.what() << "\n";
    return 2;
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `thrum replay`: runs the schedule of a trace file again, and compares the outcome with the trace.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "cli/boolean_program.hpp"
#include "cli/build.hpp"
#include "cli/commands.hpp"
#include "cli/sequential_trace.hpp"
#include "report/text_report.hpp"
#include "supervisor/executable.hpp"
#include "supervisor/signals.hpp"
#include "supervisor/worker.hpp"
#include "verdict/error.hpp"
#include "verdict/tracing.hpp"

namespace thrum {

namespace {

Job job_of(const TraceFile& recorded, Threads threads) {
  Job job;
  job.settings.seed = recorded.seed;  // for random numbers that the program draws
  job.steps = recorded.steps;
  job.hang_seconds = recorded.hang_seconds;
  job.early_timeouts_ns = nanoseconds_of(recorded.early_timeouts_seconds);
  job.leaks = recorded.leaks;
  job.spurious = recorded.spurious;
  job.heap = recorded.heap == "fresh" ? Heap::fresh : Heap::lifo;
  job.races = races_of(recorded.races);
  job.threads = threads;
  job.test = recorded.invocation.test;
  job.part = recorded.invocation.part;
  job.known_races = recorded.trace.details.known_races;
  job.replay = recorded.plan;
  return job;
}

// The path of the program. If the trace is of source files, they are compiled again.
std::string find_program(const Invocation& invocation, std::unique_ptr<TemporaryBuild>& build) {
  if (invocation.program.empty()) {
    if (invocation.sources.empty()) throw UserError("the trace names neither a program nor sources");
    build = std::make_unique<TemporaryBuild>(invocation.sources, invocation.compile_flags);
    return build->program();
  }
  std::string problem = executable_problem(invocation.program);
  if (!problem.empty()) throw UserError(problem);
  return invocation.program;
}

int say(const char* verdict, ExitCode code) {
  fmt::print("{}\n", verdict);
  return code;
}

// A worker that dies leaves no trace. Then only the way in which it ended can be compared.
int judge_without_trace(const TraceFile& recorded, const WorkerOutcome& outcome) {
  const SearchResult& search = outcome.report.result;
  bool same = !search.bugs.empty() && recorded.trace.events.empty() &&
              search.bugs[0].failure.kind == recorded.trace.failure.kind;
  if (same) return say("replay: the same failure again", kExitBug);
  if (!search.bugs.empty())
    fmt::print("replay: departed from the trace: {}\n", search.bugs[0].failure.message);
  else
    fmt::print("replay: inconclusive: {}\n",
               search.lost_reason.empty() ? "no trace came back" : search.lost_reason);
  return kExitInconclusive;
}

int judge_replay(const TraceFile& recorded, const TraceFile& now, const Report& report, Colour colour) {
  if (now.trace.end == End::refused && !report.notes.empty()) {
    auto note = std::find_if(report.notes.begin(), report.notes.end(),
                             [](const Note& one) { return one.uncontrolled; });
    if (note != report.notes.end()) fmt::print("replay: inconclusive: {}\n", note->text);
    return kExitInconclusive;
  }
  std::string difference;
  bool same = same_execution(recorded, now, difference);
  if (same && now.trace.end == End::bug) {
    TextStyle style = style_for(STDOUT_FILENO, colour);
    style.directory = now.invocation.directory;
    fmt::print("{}", text_trace(now, style));
    return say("replay: the same failure again, by the same operations", kExitBug);
  }
  if (now.trace.end == End::finished) return say("replay: it passes now", kExitDone);
  fmt::print("replay: departed from the trace: {}\n", difference);
  return kExitInconclusive;
}

}  // namespace

int replay_command(const std::string& trace_path, Threads threads, Colour colour) {
  if (auto trace = read_bool_trace(trace_path)) return bool_replay_command(*trace, colour);
  if (auto trace = read_sequential_trace(trace_path))
    return sequential_replay_command(trace_path, *trace, colour);
  InterruptHandler handler;
  TraceFile recorded = read_trace_file(trace_path);
  std::unique_ptr<TemporaryBuild> build;
  WorkerSettings settings;
  settings.program = find_program(recorded.invocation, build);
  settings.arguments = recorded.invocation.arguments;
  settings.output_live = true;
  std::error_code error;
  std::filesystem::current_path(recorded.invocation.directory, error);
  if (error)
    throw UserError(recorded.invocation.directory +
                    ": the program's working directory is not there: " + error.message());

  ThreadNames names = recorded.names;
  WorkerOutcome outcome = run_worker(settings, job_of(recorded, threads), names);
  if (!outcome.problem.empty()) throw UserError(outcome.problem);
  if (!outcome.internal.empty()) return kExitInternal;
  if (!outcome.report.replayed) return judge_without_trace(recorded, outcome);
  TraceFile now = recorded;
  now.symbols = {};
  set_trace(now, *outcome.report.replayed, names, outcome.report.modules, settings.program);
  return judge_replay(recorded, now, outcome.report, colour);
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `thrum replay`: runs the schedule of a trace file again, and compares the outcome with the trace; or the
// schedules of a suite (suite_replay.cpp).
#include "cli/replay.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include "cli/boolean_program.hpp"
#include "cli/engine.hpp"
#include "cli/sequential_trace.hpp"
#include "report/same_execution.hpp"
#include "report/text_report.hpp"
#include "supervisor/executable.hpp"
#include "supervisor/signals.hpp"
#include "verdict/text_file.hpp"
#include "verdict/tracing.hpp"

namespace thrum {

namespace {

namespace fs = std::filesystem;

// A worker that dies leaves no trace. Then only the way in which it ended can be compared.
void judge_without_trace(const TraceFile& recorded, const WorkerOutcome& outcome, ReplayResult& result) {
  const SearchResult& search = outcome.report.result;
  bool same = !search.bugs.empty() && recorded.trace.events.empty() &&
              search.bugs[0].failure.kind == recorded.trace.failure.kind;
  if (same) {
    result.verdict = ReplayVerdict::bug;
    result.reason = "the same failure again";
  } else if (!search.bugs.empty()) {
    result.verdict = ReplayVerdict::departed;
    result.reason = "departed from the trace: " + search.bugs[0].failure.message;
  } else {
    result.verdict = ReplayVerdict::inconclusive;
    result.reason =
        "inconclusive: " + (search.lost_reason.empty() ? "no trace came back" : search.lost_reason);
  }
}

// Returns what is to be printed before the verdict.
std::string judge_replay(const TraceFile& recorded, const TraceFile& now, const Report& report, Colour colour,
                         ReplayResult& result) {
  const std::string refused = refused_text(report);
  if (now.trace.end == End::refused && !report.notes.empty()) {
    result.verdict = ReplayVerdict::inconclusive;
    result.reason = "inconclusive: " + refused;
    return "";
  }
  std::string difference;
  bool same = same_execution(recorded, now, difference);
  if (same && now.trace.end == End::bug) {
    TextStyle style = style_for(STDOUT_FILENO, colour);
    style.directory = now.invocation.directory;
    result.verdict = ReplayVerdict::bug;
    result.reason = "the same failure again, by the same operations";
    return text_trace(now, style);
  }
  result.verdict = now.trace.end == End::finished ? ReplayVerdict::passed : ReplayVerdict::departed;
  result.reason = now.trace.end == End::finished ? "it passes now" : "departed from the trace: " + difference;
  return "";
}

int replay_one(const TraceFile& recorded, const ReplayOptions& options) {
  const std::string json = json_path(options);
  ReplayedProgram program;
  const std::string engine = engine_for(recorded, options);
  refuse_threads_on_engine(engine, options.threads);
  if (engine != recorded.engine && !recorded.trace.details.known_races.empty()) {
    throw UserError("--engine " + engine + ": the trace has races that are explored, by places of engine " +
                    recorded.engine + "; leave --engine out");
  }
  program.prepare(recorded.invocation, engine);
  ThreadNames names = recorded.names;
  const WorkerOutcome outcome = replay_plan(recorded, program, options, names);
  if (!outcome.internal.empty()) return kExitInternal;
  ReplayResult result;
  result.engine = engine;
  result.run = 1;
  result.seconds = outcome.report.result.seconds;
  std::string text;
  if (outcome.report.replayed) {
    TraceFile now = recorded;
    now.symbols = {};
    now.engine = engine;
    set_trace(now, *outcome.report.replayed, names, outcome.report, program.path());
    text = judge_replay(recorded, now, outcome.report, options.colour, result);
  } else {
    judge_without_trace(recorded, outcome, result);
  }
  if (result.verdict == ReplayVerdict::bug) {
    result.bug = {1, recorded.invocation.test, std::string(bug_kind_name(recorded.trace.failure.kind)),
                  recorded.trace.failure.message, "thrum replay " + options.path};
  }
  if (result.verdict == ReplayVerdict::departed) result.departed = {{1, result.reason}};
  if (options.json != "-") fmt::print("{}", text);
  return end_replay(std::move(result), json, options);
}

bool is_of_other_programs(const ReplayOptions& options, int& code) {
  const auto boolean = read_bool_trace(options.path);
  const auto sequential = boolean ? std::nullopt : read_sequential_trace(options.path);
  if (!boolean && !sequential) return false;
  if (!options.json.empty())
    throw UserError("--json: " + options.path + " is no trace of thrum check; leave it out");
  if (!options.engine.empty())
    throw UserError("--engine: " + options.path + " is no trace of thrum check; leave it out");
  code = boolean ? bool_replay_command(*boolean, options.colour)
                 : sequential_replay_command(options.path, *sequential, options.colour);
  return true;
}

}  // namespace

std::string engine_for(const TraceFile& recorded, const ReplayOptions& options) {
  return options.engine.empty() ? recorded.engine : options.engine;
}

void ReplayedProgram::prepare(const Invocation& invocation, const std::string& engine) {
  if (!invocation.program.empty()) {
    std::string problem = executable_problem(invocation.program);
    if (!problem.empty()) throw UserError(problem);
    path_ = invocation.program;
    require_code_for_engine(engine, path_);
    require_engine(engine);
  } else {
    if (invocation.sources.empty()) throw UserError("the trace names neither a program nor sources");
    if (engine == kVmEngine && !invocation.bitcode) {
      throw UserError(
          "--engine vm: the sources of the trace were compiled without --bitcode, so other code ran; "
          "check them with --engine vm, or with THRUM_BITCODE=1");
    }
    require_engine(engine);
    build(invocation);
    require_code_for_engine(engine, path_);
  }
  invocation_ = invocation;
  std::error_code error;
  fs::current_path(invocation.directory, error);
  if (error)
    throw UserError(invocation.directory +
                    ": the program's working directory is not there: " + error.message());
}

void ReplayedProgram::build(const Invocation& invocation) {
  const bool is_built = build_ != nullptr && invocation.sources == invocation_.sources &&
                        invocation.compile_flags == invocation_.compile_flags &&
                        invocation.bitcode == invocation_.bitcode;
  if (!is_built) {
    build_ =
        std::make_unique<TemporaryBuild>(invocation.sources, invocation.compile_flags, invocation.bitcode);
  }
  path_ = build_->program();
}

Job replay_job(const TraceFile& recorded, const ReplayOptions& options) {
  Job job;
  job.settings.seed = recorded.seed;  // for random numbers that the program draws
  job.steps = recorded.steps;
  job.hang_seconds = recorded.hang_seconds;
  job.early_timeouts_ns = nanoseconds_of(recorded.early_timeouts_seconds);
  job.leaks = recorded.leaks || options.leaks;
  job.spurious = recorded.spurious;
  job.state_cache = recorded.state_cache && engine_for(recorded, options) == kVmEngine;
  job.heap = recorded.heap == "fresh" ? Heap::fresh : Heap::lifo;
  job.races = races_of(recorded.races);
  job.threads = options.threads;
  job.test = recorded.invocation.test;
  job.part = recorded.invocation.part;
  job.known_races = recorded.trace.details.known_races;
  take_libraries(engine_for(recorded, options), job);
  return job;
}

WorkerOutcome replay_plan(const TraceFile& recorded, const ReplayedProgram& program,
                          const ReplayOptions& options, ThreadNames& names) {
  WorkerSettings settings;
  settings.program = program.path();
  settings.arguments = recorded.invocation.arguments;
  use_engine(engine_for(recorded, options), settings);
  settings.output_live = options.json != "-";
  Job job = replay_job(recorded, options);
  job.replay = recorded.plan;
  WorkerOutcome outcome = run_worker(settings, job, names);
  if (!outcome.problem.empty()) throw UserError(outcome.problem);
  return outcome;
}

std::string refused_text(const Report& report) {
  auto note = std::find_if(report.notes.begin(), report.notes.end(),
                           [](const Note& one) { return one.uncontrolled; });
  return note == report.notes.end() ? "" : note->text;
}

std::string json_path(const ReplayOptions& options) {
  const bool is_file = !options.json.empty() && options.json != "-";
  return is_file ? fs::absolute(options.json).string() : options.json;
}

int end_replay(ReplayResult result, const std::string& json, const ReplayOptions& options) {
  result.command = options.command;
  result.file = options.path;
  const std::string text = json.empty() ? "" : to_json(result);
  if (json == "-") {
    fmt::print("{}", text);
  } else {
    fmt::print("replay: {}\n{}", result.reason, result.details);
    if (!json.empty()) write_file(json, text);
  }
  switch (result.verdict) {
    case ReplayVerdict::passed: return kExitDone;
    case ReplayVerdict::bug: return kExitBug;
    case ReplayVerdict::departed:
    case ReplayVerdict::inconclusive: break;
  }
  return kExitInconclusive;
}

int replay_command(const ReplayOptions& options) {
  // An interrupt must not leave a temporary build behind.
  InterruptHandler handler;
  std::string text = fs::is_directory(options.path) ? "" : read_file(options.path);
  if (is_suite(text)) {
    std::string problem;
    std::optional<Suite> suite = suite_of_text(std::move(text), problem);
    if (!suite) throw UserError(options.path + ": " + problem);
    return suite_replay_command(std::move(*suite), options);
  }
  if (options.schedule != 0) throw UserError("--schedule: " + options.path + " is no suite; leave it out");
  if (int code = 0; is_of_other_programs(options, code)) return code;
  return replay_one(read_trace_file(options.path), options);
}

}  // namespace thrum

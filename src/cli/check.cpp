// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `thrum check`: one worker searches, and what it reports is judged, written down and told.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include "cli/build.hpp"
#include "cli/commands.hpp"
#include "cli/error.hpp"
#include "cli/tracing.hpp"
#include "cli/verdict.hpp"
#include "report/source_lines.hpp"
#include "report/symbolizer.hpp"
#include "report/text_report.hpp"
#include "supervisor/executable.hpp"
#include "supervisor/signals.hpp"
#include "supervisor/worker.hpp"

namespace thrum {

namespace {

namespace fs = std::filesystem;

Job job_of(const CheckOptions& options) {
  Job job;
  job.strategy = options.strategy;
  job.settings = options.settings;
  job.executions = options.executions;
  job.steps = options.steps;
  job.repeat = options.repeat;
  job.keep_going = options.keep_going;
  job.heap = options.heap == "fresh" ? Heap::fresh : Heap::lifo;
  job.threads = threads_of(options.threads);
  job.digest_traces = options.trace_digest;
  return job;
}

// One line on a terminal that is written over, and gone at the end.
class ProgressLine {
 public:
  ~ProgressLine() {
    if (shown_) fmt::print(stderr, "\r\033[K");
  }
  void show(const WorkerProgress& progress) {
    if (!on_terminal_) return;
    shown_ = true;
    double rate = progress.seconds > 0 ? static_cast<double>(progress.executions) / progress.seconds : 0;
    fmt::print(stderr, "\r\033[K{} {} executions, {:.0f}/s, {:.0f} s",
               progress.searching ? "searching:" : "starting:", progress.executions, rate, progress.seconds);
    std::fflush(stderr);
  }

 private:
  bool on_terminal_ = isatty(STDERR_FILENO) != 0;
  bool shown_ = false;
};

// Makes the folder and removes the traces of earlier checks in it.
void prepare_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw UserError(folder + ": cannot be made: " + error.message());
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    std::string name = entry.path().filename().string();
    if (name.starts_with("bug-") && name.ends_with(".trace.json")) fs::remove(entry.path(), error);
  }
  if (access(folder.c_str(), W_OK) != 0)
    throw UserError(folder + ": cannot be written: " + std::strerror(errno));
}

// Before the search: what it finds must not be lost for want of a place.
void check_writable(const std::string& path) {
  if (path.empty() || path == "-") return;
  std::ofstream out(path, std::ios::app);
  if (!out) throw UserError(path + ": cannot be written: " + std::strerror(errno));
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  out.close();
  if (!out) throw UserError(path + ": cannot be written: " + std::strerror(errno));
}

Location location(const char* role, const TraceFile& file, ThreadId thread, const std::vector<Place>& stack) {
  Location result{role, file.names.name(thread), "", 0, ""};
  if (std::optional<SourceLine> line = shown_line(file, stack)) {
    result.file = line->file;
    result.line = line->line;
    result.function = line->function;
  }
  return result;
}

BugResult describe_bug(const FoundBug& bug, const TraceFile& file) {
  BugResult result;
  result.kind = bug_kind_name(bug.failure.kind);
  result.message = bug.failure.message;
  result.fingerprint = fingerprint(file);
  result.preemptions = bug.preemptions;
  result.minimal = bug.minimal;
  result.execution = bug.execution;
  result.seconds = bug.seconds;
  const Trace& trace = file.trace;
  if (trace.waiter_places.empty()) {
    result.locations.push_back(location("failure", file, trace.failure.thread, failing_stack(file)));
  }
  for (std::size_t i = 0; i < trace.waiter_places.size(); ++i) {
    result.locations.push_back(
        location("waiter", file, trace.failure.waiters[i].thread, trace.waiter_places[i].stack));
  }
  return result;
}

class Check {
 public:
  Check(const CheckOptions& options, const std::vector<std::string>& command) : options_(options) {
    result_.command = command;
  }

  int run() {
    find_program();
    prepare_folder(options_.out);
    check_writable(options_.json);
    WorkerOutcome outcome = search();
    if (!outcome.problem.empty()) throw UserError(outcome.problem);
    if (!outcome.internal.empty()) {
      fmt::print(stderr, "{}\n", outcome.internal);
      return kExitInternal;
    }
    result_.tests.push_back(judge(outcome, options_));
    write_traces(outcome);
    tell(outcome);
    return exit_code(outcome, options_);
  }

 private:
  void find_program();
  WorkerOutcome search();
  void write_traces(const WorkerOutcome& outcome);
  void tell(const WorkerOutcome& outcome) const;

  const CheckOptions& options_;
  Invocation invocation_;
  std::unique_ptr<TemporaryBuild> build_;
  std::string program_;
  ThreadNames names_;
  Result result_;
  std::vector<TraceFile> traces_;
};

void Check::find_program() {
  invocation_.arguments = options_.arguments;
  invocation_.directory = fs::current_path().string();
  if (is_source(options_.inputs[0])) {
    for (const std::string& input : options_.inputs) {
      if (!is_source(input)) throw UserError(input + ": is no C or C++ source file like the ones before it");
      invocation_.sources.push_back(fs::absolute(input).lexically_normal().string());
    }
    invocation_.compile_flags = options_.compile_flags;
    build_ = std::make_unique<TemporaryBuild>(invocation_.sources, options_.compile_flags);
    program_ = build_->program();
    return;
  }
  if (options_.inputs.size() > 1) {
    throw UserError(options_.inputs[1] +
                    ": one program is checked at a time; arguments of the program stand behind --");
  }
  program_ = fs::absolute(options_.inputs[0]).lexically_normal().string();
  std::string problem = executable_problem(program_);
  if (!problem.empty()) throw UserError(problem);
  invocation_.program = program_;
}

WorkerOutcome Check::search() {
  ProgressLine line;
  WorkerSettings settings;
  settings.program = program_;
  settings.arguments = options_.arguments;
  settings.time_seconds = options_.time_seconds;
  settings.progress = [&](const WorkerProgress& progress) { line.show(progress); };
  return run_worker(settings, job_of(options_), names_);
}

void Check::write_traces(const WorkerOutcome& outcome) {
  TestResult& test = result_.tests[0];
  for (const FoundBug& bug : outcome.report.result.bugs) {
    TraceFile file;
    file.invocation = invocation_;
    file.strategy = options_.strategy;
    file.heap = options_.heap;
    file.steps = options_.steps;
    file.seed = options_.seed;
    file.plan = bug.plan;
    file.preemptions = bug.preemptions;
    file.minimal = bug.minimal;
    file.execution = bug.execution;
    set_trace(file, bug.trace, names_, outcome.report.modules, program_);
    file.trace.output.insert(0, outcome.output);  // what it printed before its first choice

    BugResult described = describe_bug(bug, file);
    described.id = static_cast<int>(traces_.size()) + 1;
    described.trace = (fs::path(options_.out) / fmt::format("bug-{}.trace.json", described.id)).string();
    write_file(described.trace, to_json(file));
    test.bugs.push_back(std::move(described));
    traces_.push_back(std::move(file));
  }
}

void Check::tell(const WorkerOutcome& outcome) const {
  if (options_.json == "-") {
    fmt::print("{}", to_json(result_));
    return;
  }
  TextStyle style = style_for(STDOUT_FILENO);
  style.directory = invocation_.directory;
  fmt::print("{}", text_report(result_, traces_, style));
  bool lost = outcome.report.result.end == SearchEnd::lost_control;
  if (lost && !outcome.output.empty()) fmt::print("\nOutput of the program:\n{}\n", outcome.output);
  if (!options_.json.empty()) write_file(options_.json, to_json(result_));
}

}  // namespace

int check_command(const CheckOptions& options, const std::vector<std::string>& command) {
  // From here on an interrupt must not leave a temporary build behind.
  InterruptHandler handler;
  int code = Check(options, command).run();
  if (std::fflush(stdout) != 0) throw UserError(std::string("standard output: ") + std::strerror(errno));
  return code;
}

}  // namespace thrum

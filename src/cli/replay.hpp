// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `thrum replay` does alike for one schedule and for a suite of them.
#pragma once

#include <memory>
#include <string>

#include "cli/build.hpp"
#include "cli/commands.hpp"
#include "cli/suite_file.hpp"
#include "report/replay_result.hpp"
#include "report/trace_file.hpp"
#include "supervisor/worker.hpp"
#include "verdict/error.hpp"

namespace thrum {

// The program of a trace file, ready to run.
class ReplayedProgram {
 public:
  // Finds the program, or compiles its sources again unless they are those of the last call, and goes to its
  // working directory. Throws UserError, also where the engine cannot run the program.
  void prepare(const Invocation& invocation, const std::string& engine);
  const std::string& path() const { return path_; }

 private:
  void build(const Invocation& invocation);

  Invocation invocation_;
  std::unique_ptr<TemporaryBuild> build_;
  std::string path_;
};

// A job with the options that the trace file names, without a plan.
Job replay_job(const TraceFile& recorded, const ReplayOptions& options);

// The engine of --engine, else that of the trace file.
std::string engine_for(const TraceFile& recorded, const ReplayOptions& options);

// Runs the plan of a trace file. names: of the threads in the outcome. Throws UserError where that is not
// possible.
WorkerOutcome replay_plan(const TraceFile& recorded, const ReplayedProgram& program,
                          const ReplayOptions& options, ThreadNames& names);

// What the worker says of a call that was refused; empty: nothing.
std::string refused_text(const Report& report);

// Prints the reason as the last line, unless the JSON goes to standard output, and writes the JSON. json: an
// absolute path, or as in ReplayOptions. Returns the exit code.
int end_replay(ReplayResult result, const std::string& json, const ReplayOptions& options);

// ReplayOptions::json, which means the same in any directory.
std::string json_path(const ReplayOptions& options);

// The whole command for a suite, or for one of its schedules.
int suite_replay_command(Suite suite, const ReplayOptions& options);

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bugs that workers found: their trace files, and what the result says of each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/result.hpp"
#include "report/suppressions.hpp"
#include "report/trace_file.hpp"
#include "supervisor/worker.hpp"
#include "verdict/check_options.hpp"

namespace thrum {

class FoundBugs {
 public:
  // options and invocation must outlive it. program: the file that runs.
  // Throws UserError where the file of --suppressions is none.
  FoundBugs(const CheckOptions& options, const Invocation& invocation);

  // Writes a trace file for each bug of a worker, and adds the bugs to the result of its test; of those with
  // the same fingerprint the simplest, and without those that are suppressed, which are counted. job: the
  // worker's. passed: where a further search follows, the races that it will pass over; it will find again
  // what else is suppressed. Bugs are numbered over all tests.
  void add(const WorkerOutcome& outcome, const ThreadNames& names, const std::string& program, const Job& job,
           const std::vector<KnownRace>& passed, TestResult& result);

  // What a worker's search says of what a race leads to, the bug of that number. Writes the trace file of the
  // first failure that is no data race. job: the worker's.
  ConsequenceResult consequence(const WorkerOutcome& outcome, const ThreadNames& names,
                                const std::string& program, const Job& job, int bug) const;

  // Of the suppressed races of a worker those that a further search can pass over, as all races of the same
  // two places are suppressed; without those that the job was to pass over already.
  std::vector<KnownRace> passable_races(const WorkerOutcome& outcome, const ThreadNames& names,
                                        const std::string& program, const Job& job) const;

  // What --suppressions says, with its counts; nothing where it was not given.
  std::optional<std::vector<SuppressionResult>> suppressions() const;

  // What a trace file of a worker's executions says before its schedule.
  TraceFile header(const WorkerOutcome& outcome, const ThreadNames& names, const std::string& program,
                   const Job& job) const;

  // In the order of the bugs.
  const std::vector<TraceFile>& traces() const { return traces_; }

 private:
  TraceFile trace_file(const FoundBug& bug, const WorkerOutcome& outcome, const ThreadNames& names,
                       const std::string& program, const Job& job) const;

  Suppressions suppressions_;
  const CheckOptions& options_;
  const Invocation& invocation_;
  std::vector<TraceFile> traces_;
};

// Makes the folder for trace files and removes those of earlier checks in it. Throws UserError.
void prepare_trace_folder(const std::string& folder);

// As JSON, to the file of --json; "-" is standard output. Throws UserError.
void write_result(const Result& result, const std::string& path);

}  // namespace thrum

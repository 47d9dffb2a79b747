// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The outcome of a worker.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/job.hpp"
#include "search/shown_decisions.hpp"

namespace thrum {

// The state of a search, which its worker saved in the file that was given to it.
struct PutDown {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;    // 0: it could not be written
  std::uint64_t digest = 0;  // StreamDigest of its bytes
  int error = 0;             // size 0: why, an error number
  std::uint64_t executions = 0;
  double seconds = 0;  // for which the search stood still
};

// The schedules that a worker has recorded for a suite, in the file that was given to it.
struct RecordedSuite {
  std::uint64_t size = 0;  // in bytes, of whole lines
  int error = 0;           // not 0: some could not be written; an error number
};

struct WorkerOutcome {
  Report report;
  std::string output;  // before the search took it over: the last 64 KB
  // Not empty: the worker could not be started, or its search not be taken up; one line, and no report.
  std::string problem;
  std::string internal;        // not empty: Thrum itself failed in the worker; one line, and no report
  bool interrupted = false;    // by the user: the report says what was done until then
  bool reported = false;       // the report is the worker's own
  double reading_seconds = 0;  // for which an interpreter read the program: no part of the given time
  std::uint32_t workers = 1;   // the most that ran at once
  std::uint64_t killed = 0;    // so often workers were killed from outside; what they had done was done again
  RecordedSuite suite;         // for SuiteUse::record
  std::optional<PutDown> state;  // of a search that a limit has ended
  // Of a strategy that ran in this process.
  ShownDecisions decisions;
  std::vector<std::string> decision_threads;  // by id there: names
};

}  // namespace thrum

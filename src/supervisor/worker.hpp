// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs one worker, the program under test with the runtime inside, to its end, whatever that is; and those
// that share its search.
//
// The worker may crash, hang, be killed, fork, or write without end: run_worker() returns all the same,
// within the time given and a grace, and leaves no process behind. What the worker could not report itself is
// composed for it from the plan in the channel. Thread safety: one call at a time in a process, on its main
// thread: it handles SIGINT, SIGTERM and SIGHUP meanwhile, and makes the process the one that inherits
// orphans.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "protocol/job.hpp"

namespace thrum {

struct WorkerProgress {
  bool searching = false;
  std::uint64_t executions = 0;
  double seconds = 0;
  std::optional<Progress> search;  // nothing: the worker did not answer, since an execution takes long
};

// A search that was put down by its worker, in the file that was given to it.
struct PutDown {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;    // 0: it could not be written
  std::uint64_t digest = 0;  // StreamDigest of its bytes
  int error = 0;             // size 0: why, an error number
  std::uint64_t executions = 0;
  double seconds = 0;  // for which the search stood still
};

// By which a search can be put down while it runs, and taken up.
struct StateSettings {
  int file = -1;           // open for reading and writing; -1: it is not to be put down
  std::uint64_t size = 0;  // at its beginning so many bytes, a state from which to go on; 0: none
  double seconds = 0;      // from one state to the next
  // Takes each state while the worker runs on. The file is its own until it returns.
  std::function<void(const PutDown&)> take;
  // Writes the state that was taken last to its beginning again, for a worker that begins anew, and gives its
  // size; 0: there is none.
  std::function<std::uint64_t()> put_back;
};

struct WorkerSettings {
  std::string program;                 // an absolute path for which executable_problem() is empty
  std::vector<std::string> arguments;  // without the program's own name
  bool output_live = false;            // else kept, and the last part given in the outcome
  double time_seconds = 0;             // 0: no limit
  std::uint32_t jobs = 1;              // workers that may run at once
  std::function<void(const WorkerProgress&)> progress;  // about once a second; may be empty
  StateSettings state;
};

struct WorkerOutcome {
  Report report;
  std::string output;  // before the search took it over: the last 64 KB
  // Not empty: the worker could not be started, or its search not be taken up; one line, and no report.
  std::string problem;
  std::string internal;       // not empty: Thrum itself failed in the worker; one line, and no report
  bool interrupted = false;   // by the user: the report says what was done until then
  bool reported = false;      // the report is the worker's own
  std::uint32_t workers = 1;  // the most that ran at once
  std::uint64_t killed = 0;   // so often workers were killed from outside; what they had done was done again
  std::optional<PutDown> state;  // of a search that a limit has ended
};

WorkerOutcome run_worker(const WorkerSettings& settings, const Job& job, ThreadNames& names);

}  // namespace thrum

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

#include "execution/program.hpp"
#include "protocol/job.hpp"
#include "protocol/remote_strategy.hpp"
#include "supervisor/worker_outcome.hpp"

namespace thrum {

struct WorkerProgress {
  bool searching = false;
  std::uint64_t executions = 0;
  double seconds = 0;
  std::optional<Progress> search;  // nothing: the worker did not answer, since an execution takes long
};

// How the state of a search is saved while it runs, and from which state it goes on.
struct StateSettings {
  int file = -1;           // open for reading and writing; -1: no state is saved
  std::uint64_t size = 0;  // of the state at its beginning, from which the search goes on; 0: none
  double seconds = 0;      // from one state to the next
  // Takes each state while the worker runs on. The file is its own until it returns.
  std::function<void(const PutDown&)> take;
  // Writes the state that was taken last to the file's beginning, for a worker that begins again, and returns
  // its size; 0: there is none.
  std::function<std::uint64_t()> put_back;
};

// The schedules of a suite (Job::suite), one a line.
struct SuiteSettings {
  int file = -1;           // open for reading and writing; -1: there are none
  std::uint64_t size = 0;  // of those that are to be replayed
};

struct WorkerSettings {
  std::string program;                 // an absolute path for which executable_problem() is empty
  std::vector<std::string> arguments;  // without the program's own name
  // The program that is started in its place, with its path before its arguments, and runs its bitcode; an
  // absolute path. Empty: the program runs itself.
  std::string interpreter;
  bool output_live = false;                             // else kept, and the last part given in the outcome
  double time_seconds = 0;                              // 0: no limit
  std::uint32_t jobs = 1;                               // workers that may run at once
  std::function<void(const WorkerProgress&)> progress;  // about once a second; may be empty
  StateSettings state;
  SuiteSettings suite;
  // The strategy of a search, where that runs in this process, for each worker on a thread of its own
  // (protocol/remote_strategy.hpp); else empty.
  OutsideStrategy strategy;
  // Of Job::led: leads the search, on a thread of its own, and returns when it is over; again from the
  // beginning where the worker died and is started again.
  std::function<void(Program&)> lead;
};

WorkerOutcome run_worker(const WorkerSettings& settings, const Job& job, ThreadNames& names);

}  // namespace thrum

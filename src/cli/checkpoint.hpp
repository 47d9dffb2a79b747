// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --checkpoint and --resume: the state of a long check is saved while it runs, and a later check continues
// it.
//
// A check is a sequence of runs of workers (tests, parts of tests, heaps, searches past suppressed races).
// Which run is next follows from the results of the runs before it. So the file holds, for each run that has
// begun, its report if it has ended, and the state of its search if the search is not finished. A resumed
// check makes the same sequence of runs: it takes the results of finished searches from the file, continues
// unfinished ones from their states, and begins the others.
//
// A search is finished if nothing is left to search, or at a bug. If a limit ended it, or control was lost,
// or its worker died, it continues from its last saved state.
//
// Tested by tests/endtoend/checkpoint_test.cpp.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/checkpoint_file.hpp"
#include "cli/options.hpp"
#include "report/result.hpp"
#include "supervisor/worker.hpp"

namespace thrum {

// The words of the command line that give the options which a checkpoint keeps, and the program.
std::vector<std::string> kept_words(const CheckOptions& options);

// The options of the command line; those that it leaves out are as in the checkpoint. words: the words of the
// command line after "check", without the program's arguments. Throws UserError.
CheckOptions resumed_options(const CheckOptions& options, const std::vector<std::string>& words);

class Checkpoint {
 public:
  // Without --checkpoint and --resume it does nothing. REQUIRES: validate(options) was called. Throws
  // UserError if the file of --resume is no checkpoint of a check with these options.
  explicit Checkpoint(const CheckOptions& options);

  // The check of this program file begins. Throws UserError if the checkpoint is of another program, or if
  // the file cannot be written.
  void begin(const std::string& program);

  // Nothing without --checkpoint and --resume.
  std::optional<CheckpointResult> result() const;

  // The saved outcome of a run whose search is finished; nothing for other runs. The names of its threads are
  // added to names.
  std::optional<WorkerOutcome> ended(const Job& job, ThreadNames& names) const;

  // A run begins. end_run() must follow before the next one begins. Throws UserError.
  StateSettings begin_run(const Job& job);
  void end_run(const WorkerOutcome& outcome, const ThreadNames& names);
  // Writes what is not written yet, because no run follows soon.
  void finish();

 private:
  const SavedRun* find(const Job& job) const;
  void take(const PutDown& state);
  std::uint64_t put_back();
  bool write();
  double seconds_since_write() const;
  void tell(const std::string& problem);

  std::string name_;  // as on the command line
  std::string path_;  // empty: there is no checkpoint
  double seconds_ = 0;
  std::string resumed_from_;
  CheckpointContents contents_;
  std::optional<std::uint64_t> executions_before_;
  std::size_t running_ = 0;            // the index of the current run
  std::shared_ptr<OpenFile> passing_;  // passes states between this process and the worker
  std::string told_;                   // the last problem
  std::chrono::steady_clock::time_point written_;
  int unwritten_ = 0;  // runs that have ended since written_
};

}  // namespace thrum

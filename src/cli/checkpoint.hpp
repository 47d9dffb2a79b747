// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --checkpoint and --resume: a long check is written down while it runs, and gone on with after it has ended.
//
// A check is a number of runs of workers, one after the other (tests, parts of tests, heaps, searches past
// suppressed races), and which run is next follows from what the ones before it gave. So the file holds, for
// each run that was begun, its report, where it has ended, and where its search stands, where it has not come
// to its end. A check that is resumed goes the same way again: what has come to its end is told from the
// file, what has not goes on, and what is not there begins.
//
// A search has come to its end where nothing is left, or at a bug. Where a budget ended it, or control was
// lost, or its worker died, it goes on from where it was put down last.
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

// The options with those of the checkpoint where the command line leaves them out. words: behind "check" on
// the command line, without the program's arguments. Throws UserError.
CheckOptions resumed_options(const CheckOptions& options, const std::vector<std::string>& words);

class Checkpoint {
 public:
  // Without --checkpoint and --resume it does nothing. Throws UserError where the file of --resume is not one
  // of such a check. options: as validate() leaves them.
  explicit Checkpoint(const CheckOptions& options);

  // The check begins, with the program's file. Throws UserError where the program is another one, or the file
  // cannot be written.
  void begin(const std::string& program);

  // Nothing without --checkpoint and --resume.
  std::optional<CheckpointResult> result() const;

  // A run that has come to its end already, as it was then; its names are added to names.
  std::optional<WorkerOutcome> ended(const Job& job, ThreadNames& names) const;

  // A run begins; it is to be ended before another one begins. Throws UserError.
  StateSettings begin_run(const Job& job);
  void end_run(const WorkerOutcome& outcome, const ThreadNames& names);
  // No further run follows, or none for now.
  void finish();

 private:
  const SavedRun* find(const Job& job) const;
  void take(const PutDown& state);
  std::uint64_t put_back();
  bool write();
  double seconds_since_write() const;
  void tell(const std::string& problem);

  std::string name_;  // as it was given
  std::string path_;  // empty: there is none
  double seconds_ = 0;
  std::string resumed_from_;
  CheckpointContents contents_;
  std::optional<std::uint64_t> executions_before_;
  std::size_t running_ = 0;            // which of the runs
  std::shared_ptr<OpenFile> passing_;  // by which states pass
  std::string told_;                   // what went wrong last
  std::chrono::steady_clock::time_point written_;
  int unwritten_ = 0;  // runs that have ended since
};

}  // namespace thrum

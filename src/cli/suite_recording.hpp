// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --suite: a check writes the schedules that together show all states of each thread, for `thrum replay`.
//
// Each run of a worker records its schedules in a file without a name. When the check takes the run's result,
// they become a section of the suite. So what a run of no account has recorded is dropped, such as a first,
// short turn of a test.
//
// Tested by tests/endtoend/suite_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/suite_file.hpp"
#include "report/result.hpp"
#include "supervisor/worker.hpp"
#include "verdict/check_options.hpp"

namespace thrum {

// Throws UserError where the options do not go together with --suite.
void validate_suite(const CheckOptions& options);

class SuiteRecording {
 public:
  // Without --suite it does nothing.
  explicit SuiteRecording(const CheckOptions& options) : path_(options.suite) {}

  // Called before the search. Throws UserError where the file could not be written.
  void begin();
  bool is_on() const { return writer_ != nullptr; }

  // The file in which a run records its schedules; the caller keeps it. Throws UserError.
  std::shared_ptr<OpenFile> begin_run() const;
  // Adds the schedules of a run. header: how to run them.
  void add(const WorkerOutcome& outcome, const std::shared_ptr<OpenFile>& lines, const TraceFile& header);
  // A search that was not begun.
  void leave_out(const TraceFile& header);

  // Writes the suite. Returns an empty string, or one line that says why it could not be written.
  std::string finish();
  // What came of it; nothing if it was not written.
  std::optional<SuiteResult> result() const { return result_; }

 private:
  void fail(int error);

  std::string path_;  // as on the command line
  std::unique_ptr<SuiteWriter> writer_;
  int error_ = 0;  // why a section could not be written
  std::optional<SuiteResult> result_;
};

}  // namespace thrum

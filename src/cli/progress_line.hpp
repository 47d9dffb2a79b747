// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells the progress of a search on standard error while it runs. On a terminal it is one line, which is
// overwritten and removed at the end; elsewhere, such as in a log, a line from time to time.
//
// Tested by progress_line_test.cpp.
#pragma once

#include <cstdint>
#include <string>

#include "cli/options.hpp"
#include "supervisor/worker.hpp"

namespace thrum {

// What a line shows. rate: executions per second, recently.
struct ProgressView {
  std::string about;     // the test and the like; may be empty
  std::string strategy;  // as in the result
  WorkerProgress now;
  double rate = 0;
  double level_seconds = 0;  // since the level began, as far as that was seen
  std::string doing = "searching";
};

// One line, without a line break.
std::string progress_words(const ProgressView& view);

// A duration for people: "8 s", "12 min", "3 h", "5 days".
std::string duration_words(double seconds);

// The text in UTF-8, cut to at most so many columns of a terminal.
std::string cut_to_width(const std::string& text, int width);

class ProgressLine {
 public:
  ProgressLine(std::string about, std::string strategy, ProgressMode mode,
               std::string doing = ProgressView().doing);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

  void show(const WorkerProgress& progress);

  // Whether it will ever print a line.
  bool speaks() const { return mode_ != ProgressMode::never; }

 private:
  ProgressView view_;
  ProgressMode mode_;
  bool live_;  // the line is written over
  bool shown_ = false;
  double next_seconds_;  // in logs: not before
  double level_begun_ = 0;
  std::uint64_t executions_before_ = 0;
  double seconds_before_ = 0;
};

}  // namespace thrum

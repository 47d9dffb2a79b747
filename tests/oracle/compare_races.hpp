// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Holds the race detector of the product against Goldilocks, trace by trace, and both against the oracle.
#pragma once

#include <string>
#include <vector>

#include "oracle/goldilocks.hpp"
#include "oracle/oracle.hpp"
#include "races/race_detector.hpp"

namespace thrum {

// What was compared.
struct RaceCount {
  std::uint64_t traces = 0;
  std::uint64_t racy_traces = 0;
  std::uint64_t racy = 0;     // programs
  std::uint64_t stopped = 0;  // programs: with one of the two sets of scheduling points a bug hides the race
  std::uint64_t undecided = 0;  // programs without a reported race, too large for the oracle
};

class RaceComparison {
 public:
  RaceComparison();

  // Both detectors agree about the trace:
  //   up to its first access that races, about every access; about that one, which bytes race, and the
  //   earlier access that the detector names is one that races behind it, where the detector says less, about
  //   the bytes that race at all; and what it says is so
  // racy: whether there is a race. The result is the first disagreement, or empty.
  std::string compare_trace(const RaceTrace& trace, bool& racy);

  // They agree about each execution of the program, with the oracle, too; and the program is reported racy if
  // and only if the oracle finds a race with scheduling points everywhere, unless a misused mutex stops
  // executions before the race. findings: of code. finest_max: give the oracle up beyond so many executions.
  std::string compare_program(const ToyCode& code, const Findings& findings, std::size_t finest_max,
                              RaceCount& count);

 private:
  bool detect(const RaceStep& step, std::size_t place);
  template <AccessKind kKind>
  bool detect_plain(const RaceStep& step, std::size_t place);
  std::string compare_step(const RaceTrace& trace, std::size_t at, bool found,
                           const std::vector<std::size_t>& racing, bool first);

  // The detector begins the trace: at the last mark that is on its way. How many steps it has done then.
  std::size_t begin(const RaceTrace& trace);

  RaceDetector detector_;
  RaceTrace last_;
  std::vector<std::size_t> marks_;       // of the detector: so many steps of last_ led there
  std::vector<std::uint64_t> detected_;  // bytes that race, of a trace
  std::vector<std::uint64_t> expected_;
};

}  // namespace thrum

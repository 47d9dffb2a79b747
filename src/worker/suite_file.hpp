// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The worker's side of a reduced test suite: the schedules are recorded in the file that the supervisor has
// opened (Board::suite_file), or read from it and run, one after the other.
//
// Where the next line goes is in this process's memory. So a copy that takes over from a worker that died
// writes over what that worker has recorded since.
//
// Thread safety: one thread. Tested by tests/endtoend/suite_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "campaign/suite.hpp"
#include "protocol/job.hpp"
#include "worker/worker_process.hpp"

namespace thrum {

class SuiteFile final : public SuiteTaker {
 public:
  // file: the descriptor that the supervisor has given to the worker (Board::suite_file), wherever it lies by
  // now; -1: none.
  SuiteFile(WorkerProcess& process, long file) : process_(process), file_(file) {}

  void add(const SuiteSchedule& schedule) override;
  void begin_again() override;

  // What an engine adds to the schedules that run.
  struct Replay {
    // Runs the plan with all events recorded. Returns how many of its departures were not met.
    std::function<std::size_t(const Plan&, Trace&)> run;
    // Called with each plan before it runs. done: the part of the suite that has run.
    std::function<void(const Plan&, double done)> before_each;
    // An execution that may have a leak, which was not known when it ended; asked at the end.
    std::function<std::optional<Plan>()> take_suspect;
  };
  // Runs the schedules in the file until one fails or the time is over.
  SuiteRun replay(const Replay& how);

 private:
  void write(std::string_view bytes);
  void publish() const;
  SuiteSchedule take_schedule(std::string_view& rest) const;
  void judge(const SuiteSchedule& schedule, std::uint64_t number, const Trace& trace, std::size_t left,
             SuiteRun& run) const;
  void judge_suspect(const Replay& how, std::string_view lines, SuiteRun& run) const;

  WorkerProcess& process_;
  long file_;
  std::uint64_t size_ = 0;
};

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which executions are judged for data races and uses of memory (race_judge.hpp).
//
// The idea. Executions of one class do the same, and order the same accesses in the same way. If one of them
// was judged and nothing was found, the others need not be judged. The class of an execution is known when it
// is over, by the names of its events (order/execution_names.hpp). So it is run without the judge, and run
// again with the judge if its class is new.
//
// That pays if most classes have been met before, as in searches of all interleavings and in random searches.
// So at first executions are judged and named. They are trusted only while most of the last executions were
// of known classes. If few are, no names are given, for longer and longer.
//
// An execution is trusted only if it came to its end by events that have names, without anything else that
// could differ: no system call, no order declared by the program, no race that is allowed. All others are
// judged. So are executions whose events are recorded: those of reductions, which run each class once, those
// of bugs, and those of audits.
//
// Tested by tests/endtoend/judging_test.cpp: programs that are searched this way and with each execution
// judged.
#pragma once

#include <cstdint>

#include "order/execution_names.hpp"
#include "runtime/base/forever.hpp"
#include "runtime/base/thread.hpp"

namespace thrum {

class Judging {
 public:
  constexpr Judging() = default;

  // An execution of another plan is to begin. may_trust: nobody needs to know more of it than how it ends.
  void begin(bool may_trust);
  // Whether the execution is judged, and whether its events get names. Between executions: of the last one.
  bool judges() const { return mode_ != Mode::trusts; }
  bool names_events() const { return mode_ != Mode::judges; }
  // Whether the same plan runs for the second time.
  bool is_second() const { return is_second_; }
  // The execution begins at the snapshot, or at a waypoint. REQUIRES: names_events()
  void begin_whole() { names_.begin(mode_ == Mode::learns); }
  void save(ExecutionNames::Moment& moment) const { names_.save(moment); }
  void restore(const ExecutionNames::Moment& moment) { names_.restore(moment, mode_ == Mode::learns); }

  // Events of an execution whose events get names. They do not return if its class is new and it is not
  // judged.
  void create(const Thread& parent, const Thread& child);
  void join(const Thread& thread, const Thread& other);
  void take(const Thread& thread, std::uint64_t value, std::uint64_t operand, Outcome outcome);
  // Something without a name orders the execution, or may differ between executions of its class.
  void lose() { names_.lose(); }

  // The execution is over; whole: it came to the program's own end. Whether it has to run again, judged.
  bool finish(bool whole);

  // The snapshot has changed, or executions are judged by other rules now.
  void forget();

  // From now on all executions are judged. For the simplification of bugs: what shows a livelock may depend
  // on what earlier code left on the stacks.
  void judge_all() { judges_all_ = true; }

 private:
  enum class Mode : std::uint8_t { judges, learns, trusts };
  bool is_clean() const;
  void count(bool known);

  Mode mode_ = Mode::judges;
  bool judges_all_ = false;
  bool is_second_ = false;
  bool trusting_ = false;      // most of the last executions were of known classes
  std::uint32_t seen_ = 0;     // executions counted since the last decision
  std::uint32_t known_ = 0;    // those of known classes
  std::uint32_t pause_ = 0;    // executions that get no names
  std::uint32_t refused_ = 0;  // decisions in a row against names
  std::uint32_t pauses_ = 0;   // pauses in a row
  ExecutionNames names_;
};

extern constinit Forever<Judging> the_judging;
inline Judging& judging() { return the_judging.value; }

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which executions are judged for data races and uses of memory (race_judge.hpp).
//
// The idea. Executions of one class do the same, and order the same accesses in the same way. So where one
// was judged, and nothing was found, the others need not be. Whether an execution is of a class that was
// judged is known when it is over, by the names of its events (order/execution_names.hpp). So it is run
// without the judge, and once more with it where its class turns out to be new.
//
// That pays where most classes have been met before, as in searches of all interleavings and in random ones.
// So first executions are judged and named; only while most of the last ones were of known classes are they
// trusted. Where few are, names are not looked for any more, for longer and longer.
//
// An execution is trusted only if it came to its end, by events that have names and by nothing else that
// could differ: no system call, no order that somebody declares, no race that is meant. All others are
// judged, and so are those whose events are recorded: of reductions, which run each class once, of bugs, and
// of audits.
//
// Tested by tests/endtoend/judging_test.cpp: programs that are searched so, and with each execution judged.
#pragma once

#include <cstdint>

#include "order/execution_names.hpp"
#include "runtime/base/forever.hpp"
#include "runtime/base/thread.hpp"

namespace thrum {

class Judging {
 public:
  constexpr Judging() = default;

  // An execution of another plan is to begin. may_trust: nobody wants to know more of it than how it ends.
  void begin(bool may_trust);
  // Whether it is judged, and whether its events get names. Between plans: as of the last one.
  bool judges() const { return mode_ != Mode::trusts; }
  bool names_events() const { return mode_ != Mode::judges; }
  // Whether it is the same plan's once more.
  bool is_second() const { return is_second_; }
  // Where it begins: at the snapshot, or where another one came by. REQUIRES: names_events()
  void begin_whole() { names_.begin(mode_ == Mode::learns); }
  void save(ExecutionNames::Moment& moment) const { names_.save(moment); }
  void restore(const ExecutionNames::Moment& moment) { names_.restore(moment, mode_ == Mode::learns); }

  // While it runs, and its events get names. They do not return where it is of a new class and is not judged.
  void create(const Thread& parent, const Thread& child);
  void join(const Thread& thread, const Thread& other);
  void take(const Thread& thread, std::uint64_t value, std::uint64_t operand, Outcome outcome);
  // Something else orders it, or may differ between executions of its class.
  void lose() { names_.lose(); }

  // It is over; whole: it came to the program's own end. Whether it is to be run again, and judged.
  bool finish(bool whole);

  // There is another snapshot, or executions are judged by other rules.
  void forget();

  // From now on all are judged. For schedules that bugs are made simple by: what shows a livelock may depend
  // on what is left on stacks by whatever ran there before.
  void judge_all() { judges_all_ = true; }

 private:
  enum class Mode : std::uint8_t { judges, learns, trusts };
  bool is_clean() const;
  void count(bool known);

  Mode mode_ = Mode::judges;
  bool judges_all_ = false;
  bool is_second_ = false;
  bool trusting_ = false;      // most of the last executions were of known classes
  std::uint32_t seen_ = 0;     // so many of them
  std::uint32_t known_ = 0;    // were so
  std::uint32_t pause_ = 0;    // executions that get no names
  std::uint32_t refused_ = 0;  // so often, one after the other, it would not have paid
  std::uint32_t pauses_ = 0;   // so many, likewise
  ExecutionNames names_;
};

extern constinit Forever<Judging> the_judging;
inline Judging& judging() { return the_judging.value; }

}  // namespace thrum

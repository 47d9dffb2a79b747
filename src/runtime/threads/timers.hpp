// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timers. A timer that is set is a thread that sleeps and then sends a signal: so it expires when a sleep may
// end, by virtual time, and stands among the options of the thread choice (Via::expiry). It has no code of
// the program's, and nobody waits for it or is kept from a deadlock by it unless its expiry would do
// something.
//
// A timer's expiry is offered only where it has an effect: not while its last signal is still pending (what
// it misses is counted as overrun), not where the signal is ignored. One whose signal would end the process
// is a watchdog: it expires when nothing else can happen, not before.
#pragma once

#include <time.h>
#include <csignal>
#include <cstdint>
#include <vector>

#include "runtime/base/forever.hpp"
#include "runtime/base/thread.hpp"

namespace thrum {

class Timers {
 public:
  constexpr Timers() = default;

  // Those of setitimer and alarm (ITIMER_REAL, _VIRTUAL, _PROF) have the first numbers.
  static constexpr int kOfProcess = 3;

  // target: whom SIGEV_THREAD_ID names. The new timer's number.
  int create(clockid_t clock, const sigevent& event, Thread* target);
  void set_value(int number, int value) { change(number).event.sigev_value.sival_int = value; }
  void remove(int number);
  bool exists(int number) const;
  clockid_t clock(int number) const { return timers_[static_cast<std::size_t>(number)].clock; }

  struct Setting {
    std::uint64_t left_ns = 0;  // until it expires; 0: it is not set
    std::uint64_t interval_ns = 0;
  };
  Setting setting(int number) const;
  // due_ns: the virtual time at which it expires first, or kNoDeadline: never. REQUIRES: an
  // execution runs.
  void set(int number, std::uint64_t due_ns, std::uint64_t interval_ns);
  int overrun(int number) const { return timers_[static_cast<std::size_t>(number)].overrun; }

  // Its signal has been taken: how often it would have expired since then.
  int accepted(int number);

  // Whether the timer whose thread that is may expire. idle: nothing else can happen.
  bool may_expire(const Thread& sleeper, bool idle) const;

  // Adds the addresses that it holds for the program.
  void add_held(std::vector<std::uint64_t>& addresses) const {
    for (const Timer& timer : timers_) {
      if (timer.exists)
        addresses.push_back(reinterpret_cast<std::uint64_t>(timer.event.sigev_value.sival_ptr));
    }
  }

  // As it is at the snapshot, and back to that.
  void save();
  void restore();
  // Whether anything was changed since the last of these two.
  bool changed() const { return changed_; }

 private:
  struct Timer {
    bool exists = false;
    clockid_t clock = CLOCK_MONOTONIC;
    sigevent event{};
    Thread* target = nullptr;    // of its signal; nullptr: the process
    Thread* sleeper = nullptr;   // once it has been set
    Thread* notified = nullptr;  // SIGEV_THREAD: the last thread that it has made
    std::uint64_t due_ns = 0;
    std::uint64_t interval_ns = 0;
    int overrun = 0;
  };
  static void sleep();
  void expire(Timer& timer, int number);
  void start(Timer& timer);
  int skip_missed(Timer& timer, std::uint64_t now_ns);
  int number_of(const Thread& sleeper) const;
  Timer& change(int number);

  std::vector<Timer> timers_;
  std::vector<Timer> saved_;
  bool changed_ = false;
};

extern constinit Forever<Timers> the_timers;
inline Timers& timers() { return the_timers.value; }

}  // namespace thrum

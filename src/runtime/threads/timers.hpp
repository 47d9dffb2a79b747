// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timers. A timer that is set is a thread that sleeps and then sends a signal. So it may expire when a sleep
// may end, by virtual time, and its expiry is an option of the choice of a thread (Via::expiry). It runs no
// code of the program. It does not prevent a deadlock, and nobody waits for it, unless its expiry would have
// an effect.
//
// A timer's expiry is an option only if it has an effect: not while its last signal is still pending (missed
// expiries count as overrun), and not if the signal is ignored. A timer whose signal would end the process is
// a watchdog: it expires only when nothing else can happen.
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

  // The timers of setitimer and alarm (ITIMER_REAL, _VIRTUAL, _PROF) have the first numbers.
  static constexpr int kOfProcess = 3;

  // Returns the number of the new timer. target: the thread named by SIGEV_THREAD_ID.
  int create(clockid_t clock, const sigevent& event, Thread* target);
  void set_value(int number, int value) { change(number).event.sigev_value.sival_int = value; }
  void remove(int number);
  bool exists(int number) const;
  clockid_t clock(int number) const { return timers_[static_cast<std::size_t>(number)].clock; }

  struct Setting {
    std::uint64_t left_ns = 0;  // until it expires; 0: not set
    std::uint64_t interval_ns = 0;
  };
  Setting setting(int number) const;
  // due_ns: the virtual time of the first expiry; kNoDeadline: never. REQUIRES: an execution runs.
  void set(int number, std::uint64_t due_ns, std::uint64_t interval_ns);
  int overrun(int number) const { return timers_[static_cast<std::size_t>(number)].overrun; }

  // The timer's signal was accepted. Returns how many expiries were missed since it was sent.
  int accepted(int number);

  // Whether the timer whose thread is `sleeper` may expire. idle: nothing else can happen.
  bool may_expire(const Thread& sleeper, bool idle) const;

  // Adds the addresses of the program that the timers hold.
  void add_held(std::vector<std::uint64_t>& addresses) const {
    for (const Timer& timer : timers_) {
      if (timer.exists)
        addresses.push_back(reinterpret_cast<std::uint64_t>(timer.event.sigev_value.sival_ptr));
    }
  }

  // Saves the state at the snapshot, and restores it.
  void save();
  void restore();
  // Whether a timer changed since the last save or restore.
  bool changed() const { return changed_; }

 private:
  struct Timer {
    bool exists = false;
    clockid_t clock = CLOCK_MONOTONIC;
    sigevent event{};
    Thread* target = nullptr;    // that gets its signal; nullptr: the process
    Thread* sleeper = nullptr;   // exists once the timer was set
    Thread* notified = nullptr;  // SIGEV_THREAD: the last thread that it created
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

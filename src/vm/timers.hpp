// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timers. One that was set has a thread of its own, which runs nothing of the program's: it sleeps, and then
// sends the timer's signal. Its expiry is offered only where it does something (docs/semantics.md, "Signals,
// timers, cancellation").
//
// Tested by tests/endtoend/vm_operations_test.cpp.
#pragma once

#include <cstdint>
#include <ctime>

#include "vm/thread.hpp"

namespace thrum::vm {

class Machine;

// All zero: there is none.
struct Timer {
  std::uint64_t exists;
  std::int32_t clock;
  std::int32_t notify;  // SIGEV_*
  std::int32_t signal;
  std::int32_t overrun;
  std::uint64_t value;
  std::uint64_t function;
  std::uint32_t target;    // the slot of the thread that gets the signal, plus 1; 0: the process
  std::uint32_t sleeper;   // of its own thread, plus 1
  std::uint32_t notified;  // of the last thread that it started, plus 1
  // The numbers of these two threads: others may have got their slots since.
  std::uint32_t target_number;
  std::uint32_t notified_number;
  std::uint64_t due_ns;  // 0: it is not set
  std::uint64_t interval_ns;
};

class Timers {
 public:
  // Those of the process (ITIMER_REAL and so on) have the first numbers, and always exist.
  static constexpr std::uint32_t kOfProcess = 3;
  static constexpr std::uint32_t kMax = 4096;

  struct Setting {
    std::uint64_t left_ns = 0;  // 0: it is not set
    std::uint64_t interval_ns = 0;
  };

  explicit Timers(Machine& machine) : machine_(machine) {}

  // The number of the new timer; kMax: there is no room.
  std::uint32_t create(const Timer& timer);
  static bool exists(std::uint64_t number);
  static const Timer& timer(std::uint32_t number);
  void set_value(std::uint32_t number, std::uint64_t value);
  void remove(std::uint32_t number);
  static Setting setting(std::uint32_t number);
  // due_ns: 0: never. False: the execution is over. REQUIRES: an execution runs.
  bool set(std::uint32_t number, std::uint64_t due_ns, std::uint64_t interval_ns);
  // Its signal was accepted; the number of expiries that were missed since it was sent.
  std::int32_t accept(std::int32_t number);

  // idle: nothing else can happen.
  bool may_expire(const Thread& sleeper, bool idle) const;
  // The running thread is a timer's, and expires. The thread that this starts, which runs next; nullptr: it
  // starts none, or the execution is over.
  Thread* expire(Thread& sleeper);

 private:
  Timer& change(std::uint32_t number);
  bool sleep(Thread& sleeper, std::uint64_t due_ns);
  std::int32_t skip_missed(Timer& timer);

  Machine& machine_;
};

}  // namespace thrum::vm

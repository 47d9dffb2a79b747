// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of the program's signals: what they do, which are pending, and which threads block them; none of
// it reaches the kernel. The rules are those of POSIX and signal(7). When signals are handled is decided
// elsewhere (signal_delivery.cpp).
//
// Tested by tests/endtoend/vm_operations_test.cpp.
#pragma once

#include <csignal>
#include <cstdint>

#include "vm/memory.hpp"
#include "vm/thread.hpp"

namespace thrum::vm {

// A set of signals: signal n is bit n - 1.
constexpr std::uint64_t bit_of(int signal) { return std::uint64_t{1} << (signal - 1); }
inline constexpr int kLastSignal = 64;
// By which libc cancels a thread that may be cancelled anywhere; here it is the same. A program has no use of
// it, nor of the one behind it.
inline constexpr int kCancellation = 32;
constexpr bool is_for_programs(int signal) {
  return signal >= 1 && signal <= kLastSignal && signal != kCancellation && signal != kCancellation + 1;
}

// What is told of a signal that was sent.
struct SentSignal {
  std::int32_t number = 0;
  std::int32_t code = 0;   // SI_*
  std::int32_t timer = 0;  // of SI_TIMER
  std::int32_t missed = 0;
  std::uint64_t value = 0;
  std::uint64_t address = 0;  // of a fault
};

struct SignalAction {
  std::uint64_t handler = 0;  // SIG_DFL, SIG_IGN or a function
  std::uint64_t mask = 0;
  std::int32_t flags = 0;  // SA_*

  bool is_default() const { return handler == 0; }
  bool has_handler() const { return handler > 1; }
};

struct AlternateStack {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;  // 0: there is none
};

// What a thread that handles a signal goes back to.
struct Handling {
  Standing before;            // the operation that it stood before
  std::uint64_t mask = 0;     // what it blocked
  std::uint64_t context = 0;  // where the handler is told of this
  std::uint64_t alternate_begin = 0;
  std::uint64_t code = 0;   // the address there
  std::uint64_t frame = 0;  // of the handler, counted from the bottom
  int signal = 0;
  int rounding = 0;
  bool on_alternate = false;  // it is the first on the alternate stack
  bool in_call = false;
  bool is_fault = false;    // the signal of a fault
  bool is_between = false;  // it stood before an operation
  bool ends_wait = false;   // whose wait it ends
};

class Signals {
 public:
  static constexpr std::uint32_t kPendingMax = 256;   // of a thread, and of the process
  static constexpr std::uint32_t kHandlersMax = 128;  // of a thread, one above the other

  explicit Signals(Memory& memory) : memory_(memory) {}

  static bool are_used();
  static const SignalAction& action(int signal);
  // What is pending and becomes ignored is dropped.
  void set_action(int signal, const SignalAction& action);
  static bool ignores(int signal);

  static std::uint64_t blocked(const Thread& thread);
  void block(const Thread& thread, std::uint64_t set);
  // For one that is no thread of the program's.
  void block_all(const Thread& thread);
  // The thread is new.
  void inherit(const Thread& thread, const Thread& from);
  static AlternateStack alternate(const Thread& thread);
  void set_alternate(const Thread& thread, const AlternateStack& stack);
  // Another thread is about to get its slot.
  void forget_alternate(const Thread& former) {
    if (alternate(former).size != 0) set_alternate(former, {});
  }

  static bool any_pending();
  static std::uint64_t pending_of(const Thread& thread);  // sent to it
  static std::uint64_t pending_of_process();
  static std::uint64_t pending(const Thread& thread) { return pending_of(thread) | pending_of_process(); }
  // Pending for the thread, which does not block it, and not ignored.
  static std::uint64_t deliverable(const Thread& thread);
  static bool has_own(const Thread& thread) { return (deliverable(thread) & pending_of(thread)) != 0; }
  // Whether the last expiry of that timer is.
  static bool is_timer_pending(int timer);
  // thread: nullptr: the process. False: there is no room.
  bool add(const Thread* thread, const SentSignal& signal);
  // The lowest of the set, one of the thread's own first. REQUIRES: one is pending.
  SentSignal take(const Thread& thread, std::uint64_t set);
  void drop_all(const Thread& thread);

  // The handlers that run in a thread; the record is about to be written.
  Handling& handling(const Thread& thread, std::uint32_t number) const;
  static const Handling& looked_at(const Thread& thread, std::uint32_t number);

 private:
  Memory& memory_;
};

}  // namespace thrum::vm

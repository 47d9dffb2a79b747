// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signals, virtual: what the program has installed, which signals are pending for whom, who blocks which.
// Nothing of it reaches the kernel, so the runtime's own handlers are never in the program's way.
//
// Here is only the state and its rules (POSIX.1-2017, 2.4; signal(7)); who is sent and handles signals when
// is in signal_delivery.hpp. Before an execution goes on, what the last one did is put back.
//
// Tested by signals_test.cpp.
#pragma once

#include <csignal>
#include <cstdint>
#include <vector>

#include "runtime/base/forever.hpp"

namespace thrum {

// Bit n - 1 stands for signal n, as in the kernel.
using SignalSet = std::uint64_t;
inline constexpr int kSignalMax = 64;
constexpr bool is_signal(int signal) { return signal >= 1 && signal <= kSignalMax; }
constexpr SignalSet signal_bit(int signal) { return SignalSet{1} << (signal - 1); }

// glibc keeps two signals to itself, and lets nobody send or block them. The first is its way of cancelling a
// thread that may be cancelled anywhere, and ours.
inline constexpr int kCancelSignal = 32;
inline constexpr SignalSet kReservedSignals = signal_bit(kCancelSignal) | signal_bit(33);

enum class DefaultAction : std::uint8_t { terminate, ignore, stop };
DefaultAction default_action(int signal);

struct SignalAction {
  void (*handler)(int, siginfo_t*, void*) = nullptr;  // SIG_DFL is nullptr
  int flags = 0;                                      // SA_*
  SignalSet mask = 0;

  bool is_default() const { return handler == nullptr; }
  bool is_ignore() const { return reinterpret_cast<std::uintptr_t>(handler) == 1; }  // SIG_IGN
  bool has_handler() const { return reinterpret_cast<std::uintptr_t>(handler) > 1; }
};

// Stands for all of this among the objects of events; no address of the program's.
inline constexpr std::uint64_t kSignalState = 3;

// Signals that wait to be handled, by a thread or by the process. A real-time signal is queued as often as it
// is sent, another is pending at most once.
class SignalQueue {
 public:
  // False where that signal is pending already, and stays as it is.
  bool add(const siginfo_t& info);
  // REQUIRES: it is pending.
  siginfo_t take(int signal);
  SignalSet set() const { return set_; }
  // Whether an expiry of that timer is among them.
  bool holds_timer(int timer) const;

 private:
  SignalSet set_ = 0;
  std::vector<siginfo_t> queue_;  // in the order in which they were sent
};

class Signals {
 public:
  constexpr Signals() = default;

  const SignalAction& action(int signal) const { return state_.actions[signal]; }
  // An ignored signal is no longer pending.
  void set_action(int signal, const SignalAction& action);

  // A new thread inherits what its maker blocks, and nothing pending.
  void add_thread(std::uint32_t slot, std::uint32_t maker);
  SignalSet blocked(std::uint32_t slot) const;
  // SIGKILL, SIGSTOP and the reserved signals are left out.
  void block(std::uint32_t slot, SignalSet set);
  // A thread that no signal is for.
  void block_all(std::uint32_t slot);
  stack_t alternate_stack(std::uint32_t slot) const;
  void set_alternate_stack(std::uint32_t slot, const stack_t& stack);

  void send_to_thread(std::uint32_t slot, const siginfo_t& info);
  void send_to_process(const siginfo_t& info);
  SignalSet pending(std::uint32_t slot) const { return pending_of(slot) | state_.process.set(); }
  SignalSet pending_of(std::uint32_t slot) const;  // sent to the thread itself
  SignalSet pending_of_process() const { return state_.process.set(); }
  bool timer_pending(int timer) const;

  // Pending for the thread, not blocked by it, and of some effect.
  SignalSet deliverable(std::uint32_t slot) const { return pending(slot) & ~blocked(slot) & ~state_.ignored; }
  // Takes the lowest of that set that is pending for the thread, its own before the process's. REQUIRES: one
  // is.
  siginfo_t take(std::uint32_t slot, SignalSet set);
  // What was sent to the thread itself and not handled goes with it.
  void end_thread(std::uint32_t slot);

  bool ignored(int signal) const { return (state_.ignored & signal_bit(signal)) != 0; }
  // Whether anything is pending anywhere.
  bool any_pending() const { return pending_count_ != 0; }
  // Whether the program has done anything with signals.
  bool used() const { return used_; }

  // As it is at the snapshot, and back to that.
  void save();
  void restore();

 private:
  struct PerThread {
    SignalSet blocked = 0;
    SignalQueue pending;
    stack_t alternate{nullptr, SS_DISABLE, 0};
  };
  struct State {
    SignalAction actions[kSignalMax + 1];
    SignalSet ignored = kIgnoredByDefault;  // by the program, or by default
    std::vector<PerThread> threads;         // by slot
    SignalQueue process;
  };
  static constexpr SignalSet kIgnoredByDefault =
      signal_bit(SIGCHLD) | signal_bit(SIGCONT) | signal_bit(SIGURG) | signal_bit(SIGWINCH);
  PerThread& change(std::uint32_t slot);
  void add(SignalQueue& queue, const siginfo_t& info);
  void drop(SignalQueue& queue, int signal);

  State state_;
  State saved_;
  std::uint32_t pending_count_ = 0;  // signals in all sets
  std::uint32_t saved_pending_count_ = 0;
  bool used_ = false;
  bool saved_used_ = false;
  bool changed_ = false;  // since the last save or restore
};

extern constinit Forever<Signals> the_signals;
inline Signals& signals() { return the_signals.value; }

}  // namespace thrum

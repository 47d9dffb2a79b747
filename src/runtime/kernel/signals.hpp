// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Virtual signals: the actions that the program has installed, the pending signals, and the signals that
// threads block. Nothing of this reaches the kernel, so the runtime's own handlers do not interfere with the
// program.
//
// This file holds only the state and its rules (POSIX.1-2017, 2.4; signal(7)). signal_delivery.hpp decides
// when signals are sent and handled. Before each execution the state is restored.
//
// Tested by signals_test.cpp.
#pragma once

#include <csignal>
#include <cstdint>
#include <vector>

#include "runtime/base/forever.hpp"

namespace thrum {

// Bit n - 1 is signal n, as in the kernel.
using SignalSet = std::uint64_t;
inline constexpr int kSignalMax = 64;
constexpr bool is_signal(int signal) { return signal >= 1 && signal <= kSignalMax; }
constexpr SignalSet signal_bit(int signal) { return SignalSet{1} << (signal - 1); }

// glibc reserves two signals, which no program can send or block. With the first one glibc cancels a thread
// that may be cancelled anywhere; the runtime does the same.
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

// The object that represents all signal state in events; it is no address of the program.
inline constexpr std::uint64_t kSignalState = 3;

// The pending signals of a thread or of the process. A real-time signal is queued as often as it is sent;
// another signal is pending at most once.
class SignalQueue {
 public:
  // False if the signal is pending already; then nothing changes.
  bool add(const siginfo_t& info);
  // REQUIRES: it is pending.
  siginfo_t take(int signal);
  SignalSet set() const { return set_; }
  // Whether the queue holds an expiry of that timer.
  bool holds_timer(int timer) const;

 private:
  SignalSet set_ = 0;
  std::vector<siginfo_t> queue_;  // in the order in which they were sent
};

class Signals {
 public:
  constexpr Signals() = default;

  const SignalAction& action(int signal) const { return state_.actions[signal]; }
  // A pending signal that becomes ignored is dropped.
  void set_action(int signal, const SignalAction& action);

  // A new thread inherits its creator's mask, and no pending signals.
  void add_thread(std::uint32_t slot, std::uint32_t maker);
  SignalSet blocked(std::uint32_t slot) const;
  // SIGKILL, SIGSTOP and the reserved signals are never blocked.
  void block(std::uint32_t slot, SignalSet set);
  // For a thread that handles no signals.
  void block_all(std::uint32_t slot);
  stack_t alternate_stack(std::uint32_t slot) const;
  void set_alternate_stack(std::uint32_t slot, const stack_t& stack);

  void send_to_thread(std::uint32_t slot, const siginfo_t& info);
  void send_to_process(const siginfo_t& info);
  SignalSet pending(std::uint32_t slot) const { return pending_of(slot) | state_.process.set(); }
  SignalSet pending_of(std::uint32_t slot) const;  // sent to the thread itself
  SignalSet pending_of_process() const { return state_.process.set(); }
  bool timer_pending(int timer) const;

  // Pending for the thread, not blocked by it, and not ignored.
  SignalSet deliverable(std::uint32_t slot) const { return pending(slot) & ~blocked(slot) & ~state_.ignored; }
  // Removes and returns the lowest signal of the set that is pending for the thread; its own signals come
  // before the process's. REQUIRES: one is pending.
  siginfo_t take(std::uint32_t slot, SignalSet set);
  // Drops the signals that were sent to the thread itself and not handled.
  void end_thread(std::uint32_t slot);

  bool ignored(int signal) const { return (state_.ignored & signal_bit(signal)) != 0; }
  // Whether any signal is pending for any thread.
  bool any_pending() const { return pending_count_ != 0; }
  // Whether the program has used signals at all.
  bool used() const { return used_; }

  // Saves the state at the snapshot, and restores it.
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

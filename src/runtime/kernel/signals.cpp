// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernel/signals.hpp"

#include <algorithm>
#include <bit>

namespace thrum {

constinit Forever<Signals> the_signals;

namespace {
constexpr int kRealTimeMin = kCancelSignal;
constexpr SignalSet kNeverBlocked = kReservedSignals | signal_bit(SIGKILL) | signal_bit(SIGSTOP);
}  // namespace

DefaultAction default_action(int signal) {
  switch (signal) {
    case SIGCHLD:
    case SIGCONT:
    case SIGURG:
    case SIGWINCH: return DefaultAction::ignore;
    case SIGSTOP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU: return DefaultAction::stop;
    default: return DefaultAction::terminate;
  }
}

bool SignalQueue::add(const siginfo_t& info) {
  SignalSet bit = signal_bit(info.si_signo);
  if ((set_ & bit) != 0 && info.si_signo < kRealTimeMin) return false;
  set_ |= bit;
  queue_.push_back(info);
  return true;
}

siginfo_t SignalQueue::take(int signal) {
  auto is_it = [&](const siginfo_t& info) { return info.si_signo == signal; };
  auto found = std::find_if(queue_.begin(), queue_.end(), is_it);
  siginfo_t info = *found;
  queue_.erase(found);
  if (std::none_of(queue_.begin(), queue_.end(), is_it)) set_ &= ~signal_bit(signal);
  return info;
}

bool SignalQueue::holds_timer(int timer) const {
  return std::any_of(queue_.begin(), queue_.end(), [&](const siginfo_t& info) {
    return info.si_code == SI_TIMER && info.si_timerid == timer;
  });
}

Signals::PerThread& Signals::change(std::uint32_t slot) {
  changed_ = used_ = true;
  if (state_.threads.size() <= slot) state_.threads.resize(slot + std::size_t{1});
  return state_.threads[slot];
}

void Signals::set_action(int signal, const SignalAction& action) {
  changed_ = used_ = true;
  state_.actions[signal] = action;
  SignalSet bit = signal_bit(signal);
  bool ignored =
      action.is_ignore() || (action.is_default() && default_action(signal) == DefaultAction::ignore);
  state_.ignored = ignored ? state_.ignored | bit : state_.ignored & ~bit;
  if (!ignored) return;
  drop(state_.process, signal);
  for (PerThread& thread : state_.threads) drop(thread.pending, signal);
}

void Signals::add_thread(std::uint32_t slot, std::uint32_t maker) {
  if (!used_) return;
  SignalSet inherited = blocked(maker);
  change(slot) = {};
  state_.threads[slot].blocked = inherited;
}

SignalSet Signals::blocked(std::uint32_t slot) const {
  return slot < state_.threads.size() ? state_.threads[slot].blocked : 0;
}

void Signals::block(std::uint32_t slot, SignalSet set) { change(slot).blocked = set & ~kNeverBlocked; }

void Signals::block_all(std::uint32_t slot) { change(slot).blocked = ~SignalSet{0}; }

stack_t Signals::alternate_stack(std::uint32_t slot) const {
  return slot < state_.threads.size() ? state_.threads[slot].alternate : stack_t{nullptr, SS_DISABLE, 0};
}

void Signals::set_alternate_stack(std::uint32_t slot, const stack_t& stack) {
  change(slot).alternate = stack;
}

void Signals::add(SignalQueue& queue, const siginfo_t& info) {
  if (queue.add(info)) ++pending_count_;
}

void Signals::drop(SignalQueue& queue, int signal) {
  while ((queue.set() & signal_bit(signal)) != 0) {
    queue.take(signal);
    --pending_count_;
  }
}

void Signals::send_to_thread(std::uint32_t slot, const siginfo_t& info) { add(change(slot).pending, info); }

void Signals::send_to_process(const siginfo_t& info) {
  changed_ = used_ = true;
  add(state_.process, info);
}

SignalSet Signals::pending_of(std::uint32_t slot) const {
  return slot < state_.threads.size() ? state_.threads[slot].pending.set() : 0;
}

bool Signals::timer_pending(int timer) const {
  return state_.process.holds_timer(timer) ||
         std::any_of(state_.threads.begin(), state_.threads.end(),
                     [&](const PerThread& thread) { return thread.pending.holds_timer(timer); });
}

siginfo_t Signals::take(std::uint32_t slot, SignalSet set) {
  SignalQueue& own = change(slot).pending;
  int lowest = std::countr_zero(pending(slot) & set) + 1;
  --pending_count_;
  return ((own.set() & signal_bit(lowest)) != 0 ? own : state_.process).take(lowest);
}

void Signals::end_thread(std::uint32_t slot) {
  if (!any_pending()) return;
  for (int signal = 1; signal <= kSignalMax; ++signal) drop(change(slot).pending, signal);
}

void Signals::save() {
  saved_ = state_;
  saved_pending_count_ = pending_count_;
  saved_used_ = used_;
  changed_ = false;
}

void Signals::restore() {
  if (!changed_) return;
  state_ = saved_;
  pending_count_ = saved_pending_count_;
  used_ = saved_used_;
  changed_ = false;
}

}  // namespace thrum

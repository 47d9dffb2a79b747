// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/signals.hpp"

#include <algorithm>
#include <bit>

#include "vm/library_state.hpp"

namespace thrum::vm {

namespace {

constexpr std::uint64_t kByDefaultIgnored =
    bit_of(SIGCHLD) | bit_of(SIGCONT) | bit_of(SIGURG) | bit_of(SIGWINCH);
constexpr std::uint64_t kNeverBlocked =
    bit_of(SIGKILL) | bit_of(SIGSTOP) | bit_of(kCancellation) | bit_of(kCancellation + 1);
constexpr int kFirstQueued = kCancellation;

// In the order in which they were sent.
struct SignalQueue {
  std::uint64_t set;
  std::uint64_t count;
  SentSignal signals[Signals::kPendingMax];
};

// All zero at first.
struct OfProcess {
  std::uint64_t is_used;
  std::uint64_t pending;          // signals in all queues
  std::uint64_t slots;            // threads below it may have been sent signals
  std::uint64_t ignored_changed;  // whether it is ignored differs from what is by default
  SignalAction actions[kLastSignal + 1];
  SignalQueue queue;
};
struct OfThread {
  std::uint64_t blocked;
  AlternateStack alternate;
  SignalQueue queue;
};
constexpr std::uint64_t kOfThreadSize = 1 << 14;
static_assert(sizeof(OfThread) <= kOfThreadSize);
constexpr std::uint64_t kHandlingsSize = 1 << 15;
static_assert(sizeof(Handling) * Signals::kHandlersMax <= kHandlingsSize);

OfProcess& process_signals() { return at<OfProcess>(state_place(LibraryState::signals)); }
OfThread& signals_of(std::uint64_t slot) {
  return at<OfThread>(state_place(LibraryState::thread_signals) + slot * kOfThreadSize);
}
OfThread& signals_of(const Thread& thread) { return signals_of(thread.slot); }
std::uint64_t handling_place(const Thread& thread, std::uint32_t number) {
  return state_place(LibraryState::handlers) + thread.slot * kHandlingsSize + number * sizeof(Handling);
}

std::uint64_t ignored_set() { return kByDefaultIgnored ^ process_signals().ignored_changed; }

template <typename T>
T& logged(Memory& memory, T& what) {
  memory.note(reinterpret_cast<std::uint64_t>(&what), sizeof what);
  return what;
}

void remove_from(Memory& memory, SignalQueue& queue, std::uint64_t number) {
  const int signal = queue.signals[number].number;
  SentSignal* const end = queue.signals + queue.count;
  SentSignal* const place = queue.signals + number;
  memory.note(reinterpret_cast<std::uint64_t>(place),
              static_cast<std::uint64_t>(end - place) * sizeof *place);
  std::copy(place + 1, end, place);
  memory.put(queue.count, queue.count - 1);
  const bool is_left = std::any_of(queue.signals, queue.signals + queue.count,
                                   [signal](const SentSignal& other) { return other.number == signal; });
  if (!is_left) memory.put(queue.set, queue.set & ~bit_of(signal));
  memory.put(process_signals().pending, process_signals().pending - 1);
}

void drop_from(Memory& memory, SignalQueue& queue, std::uint64_t set) {
  for (std::uint64_t i = queue.count; i-- > 0;) {
    if ((bit_of(queue.signals[i].number) & set) != 0) remove_from(memory, queue, i);
  }
}

bool holds_timer(const SignalQueue& queue, int timer) {
  return std::any_of(queue.signals, queue.signals + queue.count, [timer](const SentSignal& signal) {
    return signal.code == SI_TIMER && signal.timer == timer;
  });
}

}  // namespace

bool Signals::are_used() { return process_signals().is_used != 0; }
const SignalAction& Signals::action(int signal) { return process_signals().actions[signal]; }
bool Signals::ignores(int signal) { return (ignored_set() & bit_of(signal)) != 0; }

void Signals::set_action(int signal, const SignalAction& action) {
  OfProcess& all = process_signals();
  memory_.put(all.is_used, std::uint64_t{1});
  logged(memory_, all.actions[signal]) = action;
  const bool by_default = (kByDefaultIgnored & bit_of(signal)) != 0;
  const bool now = action.is_default() ? by_default : !action.has_handler();
  const std::uint64_t others = all.ignored_changed & ~bit_of(signal);
  memory_.put(all.ignored_changed, now == by_default ? others : others | bit_of(signal));
  if (!now) return;
  drop_from(memory_, all.queue, bit_of(signal));
  for (std::uint64_t slot = 0; slot < all.slots; ++slot)
    drop_from(memory_, signals_of(slot).queue, bit_of(signal));
}

std::uint64_t Signals::blocked(const Thread& thread) { return signals_of(thread).blocked; }

void Signals::block(const Thread& thread, std::uint64_t set) {
  memory_.put(process_signals().is_used, std::uint64_t{1});
  memory_.put(signals_of(thread).blocked, set & ~kNeverBlocked);
}

void Signals::block_all(const Thread& thread) {
  memory_.put(process_signals().is_used, std::uint64_t{1});
  memory_.put(signals_of(thread).blocked, ~std::uint64_t{0});
}

void Signals::inherit(const Thread& thread, const Thread& from) {
  if (!are_used()) return;
  memory_.put(signals_of(thread).blocked, signals_of(from).blocked);
}

AlternateStack Signals::alternate(const Thread& thread) { return signals_of(thread).alternate; }
void Signals::set_alternate(const Thread& thread, const AlternateStack& stack) {
  logged(memory_, signals_of(thread).alternate) = stack;
}

bool Signals::any_pending() { return process_signals().pending != 0; }
std::uint64_t Signals::pending_of(const Thread& thread) { return signals_of(thread).queue.set; }
std::uint64_t Signals::pending_of_process() { return process_signals().queue.set; }
std::uint64_t Signals::deliverable(const Thread& thread) {
  return pending(thread) & ~blocked(thread) & ~ignored_set();
}

bool Signals::is_timer_pending(int timer) {
  if (holds_timer(process_signals().queue, timer)) return true;
  for (std::uint64_t slot = 0; slot < process_signals().slots; ++slot) {
    if (holds_timer(signals_of(slot).queue, timer)) return true;
  }
  return false;
}

bool Signals::add(const Thread* thread, const SentSignal& signal) {
  SignalQueue& queue = thread != nullptr ? signals_of(*thread).queue : process_signals().queue;
  memory_.put(process_signals().is_used, std::uint64_t{1});
  if ((queue.set & bit_of(signal.number)) != 0 && signal.number < kFirstQueued) return true;
  if (queue.count == kPendingMax) return false;
  if (thread != nullptr && thread->slot >= process_signals().slots)
    memory_.put(process_signals().slots, thread->slot + std::uint64_t{1});
  logged(memory_, queue.signals[queue.count]) = signal;
  memory_.put(queue.count, queue.count + 1);
  memory_.put(queue.set, queue.set | bit_of(signal.number));
  memory_.put(process_signals().pending, process_signals().pending + 1);
  return true;
}

SentSignal Signals::take(const Thread& thread, std::uint64_t set) {
  const int lowest = std::countr_zero(pending(thread) & set) + 1;
  SignalQueue& own = signals_of(thread).queue;
  SignalQueue& queue = (own.set & bit_of(lowest)) != 0 ? own : process_signals().queue;
  const SentSignal* const first =
      std::find_if(queue.signals, queue.signals + queue.count,
                   [lowest](const SentSignal& signal) { return signal.number == lowest; });
  const SentSignal taken = *first;
  remove_from(memory_, queue, static_cast<std::uint64_t>(first - queue.signals));
  return taken;
}

void Signals::drop_all(const Thread& thread) {
  if (any_pending()) drop_from(memory_, signals_of(thread).queue, ~std::uint64_t{0});
}

Handling& Signals::handling(const Thread& thread, std::uint32_t number) const {
  return logged(memory_, at<Handling>(handling_place(thread, number)));
}
const Handling& Signals::looked_at(const Thread& thread, std::uint32_t number) {
  return at<Handling>(handling_place(thread, number));
}

}  // namespace thrum::vm

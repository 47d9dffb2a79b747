// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/timers.hpp"

#include <algorithm>
#include <csignal>
#include <limits>

#include "vm/library.hpp"

namespace thrum::vm {

namespace {

Timer& timer_at(std::uint32_t number) {
  return at<Timer>(state_place(LibraryState::timers) + number * sizeof(Timer));
}

Thread* thread_in(std::uint32_t place) { return place == 0 ? nullptr : &Machine::thread(place - 1); }

// Whether the thread of that number, which got that place, has ended.
bool has_ended(std::uint32_t place, std::uint32_t number) {
  const Thread& now = *thread_in(place);
  return now.number != number || now.life == Life::ended;
}

bool sends_a_signal(const Timer& timer) {
  return timer.notify == SIGEV_SIGNAL || timer.notify == SIGEV_THREAD_ID;
}

std::uint32_t number_of_timer(const Thread& sleeper) {
  std::uint32_t number = 0;
  while (timer_at(number).sleeper != sleeper.slot + 1U) ++number;
  return number;
}

}  // namespace

const Timer& Timers::timer(std::uint32_t number) { return timer_at(number); }

Timer& Timers::change(std::uint32_t number) {
  Timer& one = timer_at(number);
  machine_.memory.note(reinterpret_cast<std::uint64_t>(&one), sizeof one);
  if (number < kOfProcess && one.exists == 0) {
    constexpr int kSignals[kOfProcess] = {SIGALRM, SIGVTALRM, SIGPROF};
    one.exists = 1;
    one.notify = SIGEV_SIGNAL;
    one.signal = kSignals[number];
  }
  return one;
}

std::uint32_t Timers::create(const Timer& timer) {
  std::uint32_t number = kOfProcess;
  while (number < kMax && timer_at(number).exists != 0) ++number;
  if (number == kMax) return kMax;
  Timer& one = change(number);
  const std::uint32_t sleeper = one.sleeper;  // of a former timer of that number
  one = timer;
  one.sleeper = sleeper;
  return number;
}

bool Timers::exists(std::uint64_t number) {
  return number >= kOfProcess && number < kMax && timer_at(static_cast<std::uint32_t>(number)).exists != 0;
}

void Timers::set_value(std::uint32_t number, std::uint64_t value) { change(number).value = value; }

void Timers::remove(std::uint32_t number) {
  Timer& one = change(number);
  if (Thread* const sleeper = thread_in(one.sleeper)) machine_.change(*sleeper).timed = false;
  one.exists = 0;
  one.due_ns = 0;
}

Timers::Setting Timers::setting(std::uint32_t number) {
  const Timer& one = timer_at(number);
  if (one.due_ns == 0) return {0, one.interval_ns};
  const std::uint64_t now = Machine::course().now_ns;
  if (one.due_ns > now) return {one.due_ns - now, one.interval_ns};
  if (one.interval_ns != 0) return {one.interval_ns - (now - one.due_ns) % one.interval_ns, one.interval_ns};
  // It is about to expire, unless nobody is told of it.
  return {one.notify == SIGEV_NONE ? 0U : 1U, 0};
}

bool Timers::set(std::uint32_t number, std::uint64_t due_ns, std::uint64_t interval_ns) {
  Timer& one = change(number);
  one.due_ns = due_ns;
  one.interval_ns = interval_ns;
  one.overrun = 0;
  if (Thread* const sleeper = thread_in(one.sleeper)) {
    machine_.set_deadline(machine_.change(*sleeper), due_ns == 0 ? kNoDeadline : due_ns);
    return true;
  }
  if (due_ns == 0 || one.notify == SIGEV_NONE) return true;
  Thread* const sleeper = machine_.add_thread();
  if (sleeper == nullptr) return false;
  sleeper->is_timer = sleeper->detached = true;
  one.sleeper = sleeper->slot + 1U;
  machine_.signals.block_all(*sleeper);
  return sleep(*sleeper, due_ns);
}

bool Timers::sleep(Thread& sleeper, std::uint64_t due_ns) {
  if (--machine_.steps_left == 0) {
    machine_.end_of_steps();
    return false;
  }
  static_cast<Standing&>(sleeper) = {};
  sleeper.operation = Operation::timer_expire;
  sleeper.object = kSignalObject;
  sleeper.wait = Wait::deadline;
  sleeper.wait_order = ++machine_.change_course().wait_order;
  machine_.set_deadline(sleeper, due_ns == 0 ? kNoDeadline : due_ns);
  sleeper.has_deadline = sleeper.timed;
  sleeper.life = Life::standing;
  return true;
}

// Expiries up to now that nobody was told of are passed over.
std::int32_t Timers::skip_missed(Timer& one) {
  const std::uint64_t now = Machine::course().now_ns;
  if (one.due_ns == 0 || one.due_ns > now || one.interval_ns == 0) return 0;
  const std::uint64_t missed = (now - one.due_ns) / one.interval_ns + 1;
  one.due_ns += missed * one.interval_ns;
  if (Thread* const sleeper = thread_in(one.sleeper))
    machine_.set_deadline(machine_.change(*sleeper), one.due_ns);
  return static_cast<std::int32_t>(std::min<std::uint64_t>(missed, std::numeric_limits<std::int32_t>::max()));
}

std::int32_t Timers::accept(std::int32_t number) {
  Timer& one = change(static_cast<std::uint32_t>(number));
  return one.overrun = skip_missed(one);
}

bool Timers::may_expire(const Thread& sleeper, bool idle) const {
  const std::uint32_t number = number_of_timer(sleeper);
  const Timer& one = timer_at(number);
  if (one.exists == 0) return false;
  if (one.notify == SIGEV_THREAD) return one.notified == 0 || has_ended(one.notified, one.notified_number);
  const Thread* const target = thread_in(one.target);
  if (target != nullptr && has_ended(one.target, one.target_number)) return false;
  const std::uint64_t pending =
      target != nullptr ? Signals::pending_of(*target) : Signals::pending_of_process();
  constexpr int kFirstRealTime = 34;
  const bool is_pending = one.signal >= kFirstRealTime ? Signals::is_timer_pending(static_cast<int>(number))
                                                       : (pending & bit_of(one.signal)) != 0;
  if (is_pending) return false;
  const Thread& taker = target != nullptr ? *target : Machine::thread(0);
  if (Signals::ignores(one.signal) && (Signals::blocked(taker) & bit_of(one.signal)) == 0) return false;
  return idle || !machine_.is_fatal(one.signal, target);
}

Thread* Timers::expire(Thread& sleeper) {
  const std::uint32_t number = number_of_timer(sleeper);
  machine_.done(true, static_cast<std::uint64_t>(timer_at(number).signal), 0, Outcome::timed_out);
  if (machine_.over) return nullptr;
  Timer& one = change(number);
  one.due_ns = one.interval_ns == 0 ? 0 : one.due_ns + one.interval_ns;
  Thread* child = nullptr;
  if (sends_a_signal(one)) {
    SentSignal signal;
    signal.number = one.signal;
    signal.code = SI_TIMER;
    signal.timer = static_cast<std::int32_t>(number);
    signal.value = one.value;
    if (!machine_.send_signal(thread_in(one.target), signal, 0)) return nullptr;
  } else {
    one.overrun = skip_missed(one);
    child = machine_.create(one.function, one.value);
    if (child == nullptr) return nullptr;
    machine_.signals.block(*child, 0);
    child->detached = true;
    one.notified = child->slot + 1U;
    one.notified_number = child->number;
    machine_.note_in_trace(Operation::thread_create, *child);
  }
  return sleep(sleeper, one.due_ns) ? child : nullptr;
}

}  // namespace thrum::vm

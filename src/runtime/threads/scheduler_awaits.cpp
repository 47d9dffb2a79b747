// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scheduler in executions of reduced searches: threads whose rounds come to nothing, and reads that are
// not enabled (awaits.hpp).
#include <cstring>
#include <utility>

#include "runtime/base/engine.hpp"
#include "runtime/base/waits.hpp"
#include "runtime/kernel/signals.hpp"
#include "runtime/memory/hooks.hpp"
#include "runtime/threads/hooks.hpp"
#include "runtime/threads/record.hpp"
#include "runtime/threads/round_detector.hpp"
#include "runtime/threads/scheduler.hpp"

namespace thrum {

// How the running thread waits before an operation that may be part of a waiting loop. Wait::spin: as in
// other executions.
Wait Scheduler::wait_in_loop(Operation operation, std::uint64_t object, std::uint32_t size,
                             std::uint64_t code) {
  Thread& me = *course_.current;
  const CallerState& caller = thrum_caller;
  settle_changes();
  release_steps();
  if (proof_.thread != nullptr) continue_proof(me, code, caller);
  if (me.atomic_depth != 0) return Wait::nothing;
  if (signals().used() || awaits_.depends_on_time(me)) {
    spins_.note_all();
    return comes_to_spin(me, code) ? Wait::spin : Wait::nothing;
  }
  me.operation = operation;
  me.object = object;
  me.size = size;
  note_access(object, size);
  look_for_unseen_changes(me);
  // A call that blocks is no arrival in executions whose accesses are not logged, and so is none in the
  // others.
  const bool blocks = operation == Operation::lock || operation == Operation::shared_lock ||
                      operation == Operation::semaphore_wait;
  const Awaits::Arrival arrival = blocks
                                      ? Awaits::Arrival::ordinary
                                      : awaits_.arrive(me, code, caller, {spins_.switches(), steps_done()});
  if (arrival == Awaits::Arrival::runs_on) return run_on(me);
  const bool ends_search = arrival == Awaits::Arrival::watch || arrival == Awaits::Arrival::unsound;
  if (goes_on_ && !ends_search) start_anew();
  const Wait wait = wait_after(arrival, me, code);
  if (wait == Wait::nothing_more && is_in_trial() && round_detector().is_on())
    return knows_round(me, code) ? Wait::nothing_more : Wait::nothing;
  if (wait != Wait::nothing || !world.logs_accesses || operation == Operation::store) return wait;
  if (!comes_by_idle_round(me, code) || !round_detector().is_on()) return Wait::nothing;
  return round_detector().depends_on_time(me) ? Wait::spin : Wait::nothing_more;
}

void Scheduler::look_for_unseen_changes(const Thread& me) {
  if (const std::uint64_t before = awaits_.memory_before(me); before != 0 && before != memory_digest())
    awaits_.note_unseen_change(me);
}

// The end of a thread is an arrival as well.
void Scheduler::arrive_at_end(Thread& me) {
  settle_changes();
  release_steps();
  if (proof_.thread != nullptr || signals().used() || me.atomic_depth != 0) return;
  look_for_unseen_changes(me);
  const Awaits::Arrival arrival = awaits_.arrive_at_end(me, steps_done());
  if (arrival != Awaits::Arrival::ordinary) wait_after(arrival, me, me.code);
}

// The thread in trial has come back. Whether the round detector, too, knows the round, whose reads
// loops_interfere() needs. It may take more turns to see that.
bool Scheduler::knows_round(Thread& me, std::uint64_t code) {
  constexpr std::uint32_t kArrivalsMax = 64;
  if (comes_by_idle_round(me, code)) return true;
  if (++trial_.arrivals_back < kArrivalsMax) return false;
  trial_.is_unknown = true;
  return true;
}

// The running thread is probed: it reads the probe's value. No other thread runs before its next arrival, and
// then the plan begins again; so what the probe changes is undone.
Wait Scheduler::run_on(const Thread& me) {
  world.judges_races = world.watches_memory = false;
  const std::uint64_t value = awaits_.probe_value();
  std::memcpy(reinterpret_cast<void*>(me.object), &value, me.size);
  hold_steps();
  goes_on_ = world.attention = true;
  return Wait::nothing;
}

// The running thread goes on with its operation.
void Scheduler::note_stack_of_reader() {
  const Thread& me = *course_.current;
  if (awaits_.has_state(me) && reads_few_bytes(me))
    awaits_.note_stack(me, value_at(reinterpret_cast<const void*>(me.object), me.size));
}

void Scheduler::leave_aside() {
  if (is_in_trial()) pass_trial();
  if (!goes_on_) return;
  awaits_.give_up_probe(*course_.current);
  start_anew();
}

void Scheduler::note_step_in_round(const volatile void* accessed, std::size_t size) {
  awaits_.note_step(*course_.current);
  note_access_in_round(accessed, size);
}

void Scheduler::note_access_in_round(const volatile void* accessed, std::size_t size) {
  const Thread& me = *course_.current;
  const auto address = reinterpret_cast<std::uint64_t>(accessed);
  const bool is_own = accessed != nullptr && size != 0 && me.has_on_stack(accessed) &&
                      me.has_on_stack(reinterpret_cast<const void*>(address + size - 1));
  if (is_own && sees_accesses_of_others() && awaits_.note_own_access(me, address, size)) return;
  release_steps();
  awaits_.note_unseen_change(me);
  if (goes_on_) leave_aside();
}

void Scheduler::note_access(std::uint64_t address, std::uint64_t size) {
  if (awaits_.note_access(*course_.current, address, size)) begin_search_again();
}

Wait Scheduler::wait_after(Awaits::Arrival arrival, Thread& me, std::uint64_t code) {
  const bool is_nothing = arrival == Awaits::Arrival::nothing || arrival == Awaits::Arrival::learned;
  if (is_nothing && awaits_.unproved(me, code)) {
    begin_proof(me, code, thrum_caller);
    return Wait::nothing;
  }
  switch (arrival) {
    case Awaits::Arrival::ordinary:
      return awaits_.condition(me) != 0 && reads_few_bytes(me) ? Wait::await : Wait::nothing;
    case Awaits::Arrival::nothing: spins_.wait_for_all_reads(me); return Wait::nothing_more;
    case Awaits::Arrival::runs_on: break;
    case Awaits::Arrival::learned:
    case Awaits::Arrival::probe:
    case Awaits::Arrival::deeper: start_anew();
    case Awaits::Arrival::watch:
    case Awaits::Arrival::unsound: begin_search_again();
  }
  return Wait::nothing;
}

// Other events are awaits from now on. So the strategy begins again; where several workers share it, or
// another plan runs, the whole search does.
void Scheduler::begin_search_again() {
  awaits_.forget_facts();
  if (world.job->replay) start_anew();
  if (shares_search || !director_.is_for_events()) restart_search();
  current_trace().begins_again = true;
  cut_execution(End::stopped);
}

bool Scheduler::is_refused(const Thread& thread) const {
  return awaits_.refuses(thread, value_at(reinterpret_cast<const void*>(thread.object), thread.size));
}

// The running thread has done an operation of which something may be learned.
void Scheduler::note_for_learning(const Thread& me, Effect effect, std::uint64_t value) {
  if (world.recording && me.atomic_depth == 0 && !me.forced && !is_in_trial() && awaits_.condition(me) != 0 &&
      reads_few_bytes(me)) {
    current_trace().awaits.push_back(
        {static_cast<std::uint32_t>(current_trace().events.size()), awaits_.condition(me)});
  }
  if (effect == Effect::change) {
    if (is_in_trial() && !round_detector().is_on()) pass_trial();
    return awaits_.note_effect(me, value);
  }
  const auto memory = [&](std::uint64_t read) -> std::uint64_t {
    if (awaits_.sees_accesses(me, read)) hold_steps();
    return awaits_.learns(me, read) ? memory_digest() : 0;
  };
  if (me.operation == Operation::yield) return awaits_.note_read(me, 0, memory(0), steps_done());
  if (effect == Effect::none || is_attempt(me.operation)) return awaits_.note_other(me);
  if (reads_few_bytes(me)) return awaits_.note_read(me, value, memory(value), steps_done());
  note_time(me);
}

void Scheduler::note_time(const Thread& me) {
  spins_.note_all();
  awaits_.note_time(me);
}

// ---- When no thread is enabled

// Each thread in a loop runs a round alone, from the memory as it is. If all come back, the execution is
// stuck; if one goes on, it only waited in vain: another execution has the round in time.
Thread* Scheduler::next_trial() {
  if (!trial_.begun) {
    if (world.recording) {
      take_written_value();
      note_pending();
    }
    trial_.begun = true;
    world.recording = false;
    pay_attention();
  }
  while (trial_.next < course_.live.size()) {
    Thread* thread = course_.live[trial_.next++];
    if (thread->life != Life::standing) continue;
    if (thread->wait != Wait::nothing_more && thread->wait != Wait::await) continue;
    trial_.code = thread->wait == Wait::nothing_more ? thread->code : 0;
    awaits_.begin_trial(*thread);
    if (round_detector().is_on()) round_detector().begin_trial(*thread);
    trial_.thread = thread;
    trial_.operations = trial_.arrivals_back = 0;
    return thread;
  }
  trial_.thread = nullptr;
  awaits_.end_trial();
  return nullptr;
}

// The thread goes on. If nothing that it had read was written since, what made it go on was not seen (code
// that is not instrumented, a data race): then schedules may have been left out while it waited.
void Scheduler::pass_trial() {
  if (trial_.code != 0 && !round_detector().is_on() && !spins_.released(*trial_.thread)) {
    awaits_.never(trial_.code);
    begin_search_again();
  }
  cut_execution(End::waiting);
}

Thread& Scheduler::go_on_in_trial() {
  constexpr std::uint32_t kOperationsMax = 4096;
  Thread& thread = *trial_.thread;
  if (thread.life != Life::standing || ++trial_.operations > kOperationsMax) pass_trial();
  if (enabled(thread)) return thread;
  const bool is_back =
      thread.wait == Wait::nothing_more || thread.wait == Wait::await || thread.wait == Wait::spin;
  if (!is_back) cut_execution(End::waiting);  // it has left its loop, and waits for something else
  return end_stuck();
}

void note_heap_change() {
  if (round_detector().is_on()) return scheduler().note_logged_change();
  world.wrote = true;
}

}  // namespace thrum

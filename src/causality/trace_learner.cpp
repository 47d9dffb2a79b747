// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/trace_learner.hpp"

#include <algorithm>

namespace thrum {

namespace {

bool is_atomic_access(Operation operation) {
  return operation == Operation::load || operation == Operation::store ||
         operation == Operation::read_modify_write || operation == Operation::compare_exchange;
}

// Whether it ends in one of two ways, by what others have done (ThreadTrees::Operation::way).
bool has_two_ways(Operation operation) {
  switch (operation) {
    case Operation::try_lock:
    case Operation::try_shared_lock:
    case Operation::semaphore_try_wait:
    case Operation::lock_queue:
    case Operation::barrier_wait:
    case Operation::futex_wake:
    case Operation::once_enter: return true;
    default: return false;
  }
}

std::uint16_t way_of(const Event& event) {
  if (!has_two_ways(event.operation)) return 0;
  switch (event.operation) {
    case Operation::once_enter: return event.outcome == Outcome::unchanged ? 1 : 0;
    case Operation::lock_queue:
    case Operation::futex_wake: return event.value != 0 ? 1 : 0;
    case Operation::barrier_wait: return event.operand != 0 ? 1 : 0;
    default: return event.outcome == Outcome::failed ? 1 : 0;
  }
}

// The thread that ended the execution, as it does whenever it comes there. kNoThread: none did.
ThreadId failed_thread(const Trace& trace) {
  if (trace.end == End::assumption) return trace.last;
  if (trace.end != End::bug) return kNoThread;
  const BugKind kind = trace.failure.kind;
  const bool is_of_several =
      kind == BugKind::deadlock || kind == BugKind::livelock || kind == BugKind::data_race;
  return is_of_several ? kNoThread : trace.failure.thread;
}

// The thread that ended the process. Nothing comes behind that.
ThreadId exited_thread(const Trace& trace) {
  const bool exits = !trace.events.empty() && trace.events.back().operation == Operation::process_exit;
  return exits ? trace.events.back().thread : kNoThread;
}

// The thread in the middle of whose doing the execution ended.
ThreadId stopped_thread(const Trace& trace) {
  if (exited_thread(trace) != kNoThread) return exited_thread(trace);
  if (trace.end == End::bug && trace.failure.kind == BugKind::data_race) return trace.failure.thread;
  if (trace.end == End::bug && trace.failure.kind == BugKind::lock_misuse) return trace.failure.thread;
  return is_cut_by_limit(trace.end) ? trace.last : failed_thread(trace);
}

// How many events main has done before its first one that is recorded.
std::uint32_t events_of_main(const Trace& trace) {
  for (const Event& event : trace.events) {
    if (event.thread == kMainThread && is_visible(event.operation)) return event.index;
  }
  const bool has_choice = !trace.choices.empty() && trace.choices[0].key.thread == kMainThread;
  return has_choice ? trace.choices[0].key.index : 0;
}

// Waits are two events.
bool begins_with_an_event(Operation waits) {
  return waits == Operation::load || waits == Operation::wait_reacquire || waits == Operation::futex_return;
}

// Of a wait that does not begin with an event of its own, it is said what waits.
ThreadTrees::Operation timeout_of(Operation waits, std::uint64_t object) {
  ThreadTrees::Operation operation;
  operation.operation = Operation::timeout;
  if (begins_with_an_event(waits)) return operation;
  operation.object = object;
  operation.operand = static_cast<std::uint64_t>(waits);
  return operation;
}

}  // namespace

ThreadTrees::Operation tree_operation(const Event& event) {
  ThreadTrees::Operation operation;
  operation.operation = event.operation;
  switch (event.operation) {
    case Operation::thread_create:
    case Operation::thread_join: operation.other = static_cast<ThreadId>(event.argument); return operation;
    case Operation::others_ended: return operation;
    case Operation::choose: operation.way = static_cast<std::uint16_t>(event.value); return operation;
    default: break;
  }
  if (event.operation == Operation::timeout)
    return timeout_of(static_cast<Operation>(event.operand), event.object);
  operation.object = event.object;
  operation.size = event.size;
  operation.way = way_of(event);
  if (event.operation == Operation::wait_release || event.operation == Operation::wait_reacquire)
    operation.operand = event.operand;
  return operation;
}

ThreadTrees::Node& TraceLearner::at(ThreadId thread) {
  if (at_.size() <= thread) at_.resize(thread + std::size_t{1}, ThreadTrees::kNone);
  return at_[thread];
}

void TraceLearner::refuse(const std::string& what) {
  if (not_covered_.empty()) not_covered_ = what;
}

void TraceLearner::learn(const Trace& trace) {
  at_.clear();
  written_.clear();
  uses_.begin_execution();
  main_has_left_ = false;
  accesses_ = decisions_ = terms_ = 0;
  at(kMainThread) = trees_.start(kMainThread, ThreadTrees::kNone, events_of_main(trace));
  const auto events = static_cast<std::uint32_t>(trace.events.size());
  for (std::uint32_t i = 0; i <= events; ++i) {
    learn_between(trace, i);
    if (i < events) learn_event(trace, i);
  }
  learn_end(trace);
  if (trace.reveals_threads) refuse("calls that tell whether a thread was joined or detached");
  // Which of two blocks an address means would be said by the order of what others do with it.
  if (trace.reuses_blocks) refuse("blocks of the heap that are used again");
  if (!uses_.not_covered().empty()) refuse(uses_.not_covered());
}

// Accesses and decisions behind so many events.
void TraceLearner::learn_between(const Trace& trace, std::uint32_t events) {
  const auto has_access = [&] {
    return accesses_ < trace.accesses.size() && trace.accesses[accesses_].event <= events;
  };
  const auto has_decision = [&] {
    return decisions_ < trace.decisions.size() && trace.decisions[decisions_].event <= events;
  };
  while (has_access() || has_decision()) {
    if (has_decision() && (!has_access() || trace.decisions[decisions_].accesses <= accesses_)) {
      learn_decision(trace.decisions[decisions_++]);
    } else {
      learn_access(trace.accesses[accesses_++]);
    }
  }
}

void TraceLearner::learn_decision(const Decision& decision) {
  Node& node = at(decision.thread);
  if (node != ThreadTrees::kNone) node = trees_.decide(node, decision.term, decision.code);
  if (node != ThreadTrees::kNone) node = trees_.choose_outcome(node, decision.outcome);
}

void TraceLearner::learn_access(const RecordedAccess& access) {
  // Whoever would have to wait there fails.
  if (access.in_section && access.operation >= Operation::lock && access.operation != Operation::yield)
    return refuse("atomic sections that do more than to access memory");
  if (access.operation == Operation::fence || access.operation == Operation::yield) return;
  ThreadTrees::Access own;
  own.object = access.object;
  own.size = access.size;
  own.term = access.term;
  own.is_atomic = is_atomic_access(access.operation);
  own.in_section = access.in_section;
  own.is_free = access.operation == thrum::Operation::deallocate;
  if (access.writes) {
    add_write(access.thread, own, access.value);
  } else {
    add_read(access.thread, own, access.value, access.code);
  }
}

// What a read gives is what was written there last, or what was there at first. Else something has written it
// that is not seen: code that was not built for this.
void TraceLearner::look_at_memory(std::uint64_t object, std::uint32_t size, std::uint64_t value) {
  constexpr const char* kUnseen = "memory that is written by code which was not built with thrum's compiler";
  std::uint32_t written = 0;
  for (std::uint32_t i = 0; i < size; ++i) {
    const auto known = written_.find(object + i);
    if (known == written_.end()) continue;
    ++written;
    const bool is_so = known->second == static_cast<std::uint8_t>(value >> 8 * i);
    if (!is_so && deciding_ == Deciding::values) refuse(kUnseen);
  }
  if (written != 0) return;
  memory_.memory.learn(object, size, value);
  if (memory_.memory.at(object, size) != value) refuse(kUnseen);
}

void TraceLearner::add_read(ThreadId thread, const ThreadTrees::Access& access, std::uint64_t value,
                            std::uint64_t code) {
  look_at_memory(access.object, access.size, value);
  Node& node = at(thread);
  if (node == ThreadTrees::kNone) return;
  node = trees_.read(node, access);
  if (deciding_ == Deciding::terms || node == ThreadTrees::kNone) return;
  node = trees_.decide(node, Terms::kNone, 0);
  if (node == ThreadTrees::kNone) return;
  trees_.set_place(node, code);
  node = trees_.choose_outcome(node, value);
}

void TraceLearner::add_write(ThreadId thread, ThreadTrees::Access access, std::uint64_t value) {
  for (std::uint32_t i = 0; i < access.size; ++i)
    written_[access.object + i] = static_cast<std::uint8_t>(value >> 8 * i);
  access.value = value;
  Node& node = at(thread);
  if (node != ThreadTrees::kNone) node = trees_.write(node, access);
}

void TraceLearner::learn_event(const Trace& trace, std::uint32_t number) {
  const Event& event = trace.events[number];
  if (event.operation == Operation::thread_end && event.thread == kMainThread) main_has_left_ = true;
  if (event.operation == Operation::thread_start || event.operation == Operation::thread_end) return;
  // Plain accesses stand there only since a failure names them.
  if (!is_visible(event.operation) && event.operation < Operation::thread_create) return;
  if (event.operation == Operation::others_ended && event.thread != kMainThread)
    return refuse("what another thread than main does behind the ends of all others");
  Node& node = at(event.thread);
  if (node == ThreadTrees::kNone) return;
  uses_.learn(event);
  const ThreadTrees::Operation operation = tree_operation(event);
  const Node before = node;
  node = trees_.operate(before, operation);
  if (node == ThreadTrees::kNone) return;
  trees_.set_code(node, event.code);
  if (has_effect(event.operation)) trees_.set_effect(node, event.operand);
  if (event.operation == Operation::fence)
    trees_.set_effect(
        node, (event.acquires ? ThreadTrees::kAcquires : 0) + (event.releases ? ThreadTrees::kReleases : 0));
  if (is_visible(event.operation) && trees_[node].events != event.index + 1)
    refuse("events of unknown kinds");
  expect_other_ways(before, operation, trace, event);
  if (event.operation == Operation::thread_create) {
    const Node creation = node;
    at(operation.other) = trees_.start(operation.other, creation);
  } else if (is_atomic_access(event.operation)) {
    learn_memory(trace, number);
  } else if (event.operation == Operation::futex_wait) {
    learn_futex_wait(event);
  }
}

// It reads its word, and sleeps if that has the value that is expected.
void TraceLearner::learn_futex_wait(const Event& event) {
  if (deciding_ == Deciding::terms) return refuse("futex waits that read symbolic values");
  ThreadTrees::Access access;
  access.object = event.object;
  access.size = event.size;
  access.is_atomic = true;
  add_read(event.thread, access, event.value, event.code);
  Node& node = at(event.thread);
  if (node == ThreadTrees::kNone || event.outcome == Outcome::failed) return;
  trees_.expect(node, {.operation = Operation::futex_return, .object = event.object});
}

// A compare-exchange reads, decides, and writes if it succeeds.
void TraceLearner::learn_memory(const Trace& trace, std::uint32_t number) {
  const Event& event = trace.events[number];
  EventTerms terms;
  while (terms_ < trace.terms.size() && trace.terms[terms_].event <= number) {
    if (trace.terms[terms_].event == number) terms = trace.terms[terms_];
    ++terms_;
  }
  ThreadTrees::Access access;
  access.object = event.object;
  access.size = event.size;
  access.is_atomic = true;
  if (event.size > sizeof event.value) return refuse("atomic operations on more than 8 bytes");
  if (event.operation != Operation::store) {
    access.term = terms.read;
    // Of a compare-exchange that depends on the value.
    const bool is_by_outcome =
        event.operation == Operation::compare_exchange && deciding_ == Deciding::values;
    access.orders = event.acquires && !is_by_outcome;
    access.is_update = event.operation == Operation::read_modify_write;
    add_read(event.thread, access, event.value, event.code);
    const Node outcome = at(event.thread);
    if (is_by_outcome && event.acquires && outcome != ThreadTrees::kNone) trees_.set_acquires(outcome);
  }
  if (decisions_ < trace.decisions.size()) {
    const Decision& decision = trace.decisions[decisions_];
    if (decision.of_event && decision.event == number + 1 && decision.thread == event.thread) {
      learn_decision(decision);
      ++decisions_;
    }
  }
  const bool writes = event.operation != Operation::load && event.outcome != Outcome::failed;
  // Where values decide, to write the value that memory holds is to read it.
  const bool changes = event.outcome != Outcome::unchanged || deciding_ == Deciding::terms;
  if (writes && !changes && event.operation == Operation::compare_exchange) note_left(at(event.thread));
  if (!writes || !changes) return;
  access.term = terms.written;
  access.orders = event.releases;
  access.is_update = event.operation != Operation::store;
  add_write(event.thread, access, event.operand);
}

// A compare-exchange has written what it read, which was learned last.
void TraceLearner::note_left(Node outcome) {
  if (outcome != ThreadTrees::kNone) trees_.set_leaves_value(outcome);
}

// What the call may do instead.
void TraceLearner::expect_other_ways(Node at, const ThreadTrees::Operation& done, const Trace& trace,
                                     const Event& event) {
  ThreadTrees::Operation other = done;
  if (has_two_ways(done.operation)) {
    other.way = done.way == 0 ? 1 : 0;
    const Node node = trees_.expect(at, other);
    // It is the same call, which asks for as many threads.
    if (done.operation == Operation::futex_wake && node != ThreadTrees::kNone)
      trees_.set_effect(node, event.operand);
  } else if (done.operation == Operation::choose) {
    const ChoiceKey key{event.thread, ChoiceKind::value, event.index};
    const auto choice = std::ranges::find(trace.choices, key, &ChoicePoint::key);
    const std::uint16_t ways = choice == trace.choices.end() ? 1 : choice->options_count;
    for (other.way = 0; other.way < ways; ++other.way) trees_.expect(at, other);
  } else if (done.operation == Operation::timeout) {
    expect_instead(at, done);
  } else if (event.has_deadline) {
    expect_timeout(at, done, event.timed);
  }
}

// What the thread might have done if its time had not run out.
void TraceLearner::expect_instead(Node at, const ThreadTrees::Operation& timeout) {
  if (timeout.operand != 0) {
    ThreadTrees::Operation operation;
    operation.operation = static_cast<Operation>(timeout.operand);
    operation.object = timeout.object;
    trees_.expect(at, operation);
  } else if (trees_[at].kind == ThreadTrees::Kind::event) {
    ThreadTrees::Operation woken = trees_.operation(at);
    if (woken.operation != Operation::wait_release) return;
    woken.operation = Operation::wait_reacquire;
    trees_.expect(at, woken);
  }
}

// A thread that waits there may stop waiting. is_early: at any time, and not only where nobody else can go
// on.
void TraceLearner::expect_timeout(Node wait, const ThreadTrees::Operation& operation, bool is_early) {
  // Behind a timeout there is none.
  const bool is_over =
      trees_[wait].kind == ThreadTrees::Kind::event && trees_.operation(wait).operation == Operation::timeout;
  if (operation.operation == Operation::wait_reacquire && is_over) return;
  if (!is_early) return refuse("waits that end when nothing else can go on");
  trees_.expect(wait, timeout_of(operation.operation, operation.object));
}

// Whether the execution ended in the middle of what the thread was doing: of the one that was stopped, or of
// one that had just created it.
bool TraceLearner::is_interrupted(ThreadId thread, ThreadId stopped) const {
  if (thread == stopped) return true;
  const Node node = at_[thread];
  if (trees_[node].kind != ThreadTrees::Kind::event) return false;
  const ThreadTrees::Operation& last = trees_.operation(node);
  if (last.operation != Operation::thread_create || at_[last.other] == ThreadTrees::kNone) return false;
  return has_not_waited(at_[last.other], node) && is_interrupted(last.other, stopped);
}

// Whether all that the thread did was part of the step in which it was created: joins of threads that were
// over, too.
bool TraceLearner::has_not_waited(Node node, Node creation) const {
  for (; node != creation; node = trees_[node].parent) {
    if (!trees_.begins_step(node)) continue;
    const ThreadTrees::Operation& own = trees_.operation(node);
    if (own.operation != Operation::thread_join) return false;
    if (trees_[at_[own.other]].step != trees_[creation].step) return false;
  }
  return true;
}

// A thread that stands before nothing is over.
void TraceLearner::learn_end(const Trace& trace) {
  const ThreadId failed = failed_thread(trace);
  const ThreadId stopped = stopped_thread(trace);
  const bool is_whole = trace.end == End::finished || trace.end == End::bug || trace.end == End::assumption ||
                        trace.end == End::waiting;
  if (is_whole) {
    for (ThreadId thread = 0; thread < at_.size(); ++thread) {
      const bool stands =
          std::ranges::find(trace.pending, thread, &PendingOperation::thread) != trace.pending.end();
      if (at_[thread] == ThreadTrees::kNone || stands || is_interrupted(thread, stopped)) continue;
      if (thread == kMainThread && main_has_left_) {
        trees_.expect(at_[thread], {.operation = Operation::others_ended});
      } else {
        at_[thread] = trees_.end(at_[thread]);
      }
    }
  }
  for (const PendingOperation& pending : trace.pending) {
    if (pending.thread == failed || at(pending.thread) == ThreadTrees::kNone) continue;
    const bool waits_in_loop = !pending.enabled && pending.operation != Operation::thread_join &&
                               is_visible(pending.operation) && !may_have_to_wait(pending.operation);
    if (waits_in_loop) {
      at(pending.thread) = trees_.wait(at(pending.thread), pending.operand);
    } else {
      expect(pending);
    }
  }
  for (const ThreadId last : {failed, exited_thread(trace)}) {
    if (last == kNoThread || at(last) == ThreadTrees::kNone) continue;
    // What is misuse of a lock need not be so in another execution, and no event says what it was.
    const bool is_misuse = trace.end == End::bug && trace.failure.kind == BugKind::lock_misuse;
    const bool is_known = trees_.next_of(at(last)) != ThreadTrees::kNone;
    if (is_misuse && !is_known) refuse("what comes behind the misuse of a lock");
    if (!is_misuse) trees_.stop(at(last));
  }
  for (const Waiter& waiter : trace.failure.waiters) note_code(waiter);
}

void TraceLearner::note_code(const Waiter& waiter) {
  if (at(waiter.thread) == ThreadTrees::kNone) return;
  for (Node next = trees_[at(waiter.thread)].first_child; next != ThreadTrees::kNone;
       next = trees_[next].next_sibling) {
    if (trees_[next].kind == ThreadTrees::Kind::event) trees_.set_code(next, waiter.code);
  }
}

// Of a thread that has been woken the mutex is published only.
ThreadTrees::Operation TraceLearner::reacquisition_at(Node node) const {
  if (trees_.operation(node).operation == Operation::timeout) node = trees_[node].parent;
  ThreadTrees::Operation operation = trees_.operation(node);
  operation.operation = Operation::wait_reacquire;
  return operation;
}

void TraceLearner::expect(const PendingOperation& pending) {
  uses_.learn(pending);
  const Node node = at(pending.thread);
  if (node == ThreadTrees::kNone) return;
  ThreadTrees::Operation operation = tree_operation(event_of(pending));
  if (pending.operation == Operation::thread_join) operation.other = static_cast<ThreadId>(pending.operand);
  if (pending.operation == Operation::wait_reacquire) operation = reacquisition_at(node);
  operation.way = 0;
  trees_.expect(node, operation);
  if (pending.has_deadline) expect_timeout(node, operation, pending.timed);
  if (has_two_ways(operation.operation)) {
    operation.way = 1;
    trees_.expect(node, operation);
  }
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a search by unfolding learns from an execution.
#include <algorithm>

#include "unfolding/unfolding_search.hpp"

namespace thrum {

namespace {

// The thread that ended the execution, as it does in each execution in which it comes there: by a failure, or
// by a false assumption. kNoThread: none did.
ThreadId ended_by(const Trace& trace) {
  if (trace.end == End::assumption) return trace.last;
  if (trace.end != End::bug) return kNoThread;
  const BugKind kind = trace.failure.kind;
  const bool is_of_several =
      kind == BugKind::deadlock || kind == BugKind::livelock || kind == BugKind::data_race;
  return is_of_several ? kNoThread : trace.failure.thread;
}

// Whether the execution ended in the middle of what the thread was doing.
bool stops(const Trace& trace, ThreadId thread) {
  if (trace.end == End::bug && trace.failure.kind == BugKind::data_race)
    return thread == trace.failure.thread;
  if (is_cut_by_limit(trace.end)) return thread == trace.last;
  return thread == ended_by(trace);
}

constexpr const char* kBehindAllOthers = "what a thread does at the end behind all others";

// The bytes that the operation accesses, as races are judged (src/runtime/judge/race_judge.cpp); none: its
// object is only a name. To destroy a lock is a plain write, but those who lock it have an event on the same
// object; so it is like an atomic one.
FootprintSets::Bytes bytes_of(const Event& event) {
  constexpr std::uint32_t kOfLock = 4;
  const auto bytes = [&](bool writes, std::uint32_t size) {
    return FootprintSets::Bytes{event.object, event.object + size, writes, true};
  };
  switch (event.operation) {
    case Operation::load: return bytes(false, event.size);
    case Operation::store:
    case Operation::read_modify_write: return bytes(true, event.size);
    case Operation::compare_exchange: return bytes(event.outcome != Outcome::failed, event.size);
    case Operation::lock_destroy: return bytes(true, sizeof(void*));
    case Operation::lock:
    case Operation::try_lock:
    case Operation::unlock:
    case Operation::shared_lock:
    case Operation::try_shared_lock:
    case Operation::lock_queue:
    case Operation::wait_release:
    case Operation::signal:
    case Operation::broadcast:
    case Operation::semaphore_wait:
    case Operation::semaphore_try_wait:
    case Operation::semaphore_post:
    case Operation::barrier_wait: return bytes(true, kOfLock);
    default: return {};
  }
}

FootprintSets::Bytes bytes_of(const RecordedAccess& access) {
  const bool is_plain =
      access.operation == Operation::plain_load || access.operation == Operation::plain_store;
  FootprintSets::Bytes bytes{access.object, access.object + std::max(access.size, 1u), access.writes};
  if (!is_plain) {
    Event event;
    event.operation = access.operation;
    event.object = access.object;
    event.size = access.size;
    if (!access.writes) event.outcome = Outcome::failed;
    bytes = bytes_of(event);
  }
  bytes.in_section = access.in_section;
  return bytes;
}

}  // namespace

bool UnfoldingSearch::is_event(Operation operation) {
  return is_visible(operation) || operation == Operation::thread_create ||
         operation == Operation::thread_join;
}

struct UnfoldingSearch::Step {
  Slot object = kNone;
  bool consumes = false;
  bool is_last = false;  // of its thread, which then fails
  std::span<const ReadsFrom::Choice> choices;
  std::uint32_t events_after = 0;
};

// Where the events that are known end; nothing: the execution does not begin with them. Nobody chooses when a
// thread is created or joined.
std::optional<std::size_t> UnfoldingSearch::find_known_events(const Trace& trace) const {
  auto event = trace.events.begin();
  auto creation = trace.events.begin();
  for (const Prefix::Event known : known_.order) {
    const Event& expected = prefix_->step(known);
    if (prefix_->is_turn(known)) {
      const auto is_creation = [](const Event& one) { return one.operation == Operation::thread_create; };
      creation = std::find_if(creation, trace.events.end(), is_creation);
      if (creation == trace.events.end() || (creation++)->thread != expected.thread) return std::nullopt;
    }
    if (!is_visible(expected.operation)) continue;
    while (event != trace.events.end() && !is_visible(event->operation)) ++event;
    if (event == trace.events.end() || event->thread != expected.thread ||
        event->index + 1 != (*prefix_)[known].events_after || event->operation != expected.operation ||
        event->object != expected.object || event->value != expected.value)
      return std::nullopt;
    ++event;
  }
  return static_cast<std::size_t>(event - trace.events.begin());
}

// What the thread did before it has its footprint. number: of the thread's events, from 0.
void UnfoldingSearch::pass_known(const Event& event, std::uint32_t number) {
  if (known_.has(event.thread, number + 1)) return;
  if (accesses_.size() <= event.thread) accesses_.resize(event.thread + std::size_t{1});
  const FootprintSets::Bytes accessed = bytes_of(event);
  if (accessed.begin != accessed.end) accesses_[event.thread].push_back(accessed);
}

void UnfoldingSearch::learn_events(const Trace& trace) {
  begin_marking(marking_);
  counter_.clear();
  for (std::vector<FootprintSets::Bytes>& accesses : accesses_) accesses.clear();
  taken_accesses_ = 0;
  last_of_all_ = kNoThread;
  std::size_t last = trace.events.size();  // of the thread that ended it
  const ThreadId ending = ended_by(trace);
  const auto is_its = [&](const Event& event) { return event.thread == ending; };
  const auto found = std::find_if(trace.events.rbegin(), trace.events.rend(), is_its);
  if (found != trace.events.rend()) last = static_cast<std::size_t>(trace.events.rend() - found) - 1;
  ReadsFrom::Index index = 0;
  is_contradicted_ = false;
  for (std::size_t i = 0; i < trace.events.size() && !begins_again_ && !is_contradicted_; ++i) {
    const std::uint64_t done = prefix_->done();
    take_accesses(trace, static_cast<std::uint32_t>(i));
    const Event& event = trace.events[i];
    const std::uint32_t number = is_event(event.operation) ? counter_.next(event.thread) : kNone;
    if (known_.has(event.thread, number)) {
      pass_known(event, number);
      continue;
    }
    learn_event(event, index, i == last);
    if (prefix_->done() != done) note_shown(trace, i);
  }
  if (begins_again_ || is_contradicted_) return;
  take_accesses(trace, static_cast<std::uint32_t>(trace.events.size()));
  learn_pending(trace);
}

// index: of the next visible event.
void UnfoldingSearch::learn_event(const Event& event, ReadsFrom::Index& index, bool ends_execution) {
  if (event.thread == last_of_all_) {
    if (event.operation != Operation::process_exit) not_covered_ = kBehindAllOthers;
    if (is_visible(event.operation)) ++index;
    return;
  }
  if (!is_visible(event.operation)) return learn_hidden(event);
  const ReadsFrom::Step& run = run_[index++];
  const Slot object = slot_of(event);
  learn_step(event, {object, run.writes && object != kNone, ends_execution, run.choices, run.events_after});
}

// An event that was not shown before.
void UnfoldingSearch::note_shown(const Trace& trace, std::size_t at) {
  if (!shown_.takes_more()) return;
  const Condition after = marking_.at(slot_of_thread(trace.events[at].thread), *prefix_);
  shown_.add(*prefix_, prefix_->slots().event(after), trace, at);
}

// The plain accesses that came before that many events. Those before a known event have their footprint.
void UnfoldingSearch::take_accesses(const Trace& trace, std::uint32_t events) {
  for (; taken_accesses_ < trace.accesses.size() && trace.accesses[taken_accesses_].event <= events;
       ++taken_accesses_) {
    const RecordedAccess& access = trace.accesses[taken_accesses_];
    if (access.thread == last_of_all_) {
      if (!access.writes) not_covered_ = kBehindAllOthers;
      continue;
    }
    if (known_.has(access.thread, counter_.count(access.thread))) continue;
    if (accesses_.size() <= access.thread) accesses_.resize(access.thread + std::size_t{1});
    const FootprintSets::Bytes bytes = bytes_of(access);
    if (bytes.begin != bytes.end) accesses_[access.thread].push_back(bytes);
  }
}

// What the thread has done since its last event, and that event itself, belong to its condition.
void UnfoldingSearch::note_footprint(ThreadId thread) {
  if (accesses_.size() <= thread) accesses_.resize(thread + std::size_t{1});
  std::vector<FootprintSets::Bytes>& accesses = accesses_[thread];
  const Condition condition = marking_.at(slot_of_thread(thread), *prefix_);
  if (races_->has(condition)) return accesses.clear();
  std::vector<FootprintSets::Bytes> behind = accesses;
  std::erase_if(behind,
                [](const FootprintSets::Bytes& bytes) { return bytes.is_atomic || bytes.in_section; });
  const FootprintSets::Number all = footprints_->number_of(accesses);
  races_->add(condition, footprints_->number_of(behind), all);
  accesses.clear();
  look_behind_late_joins(thread, all, condition);
}

// Whether what a thread does behind joins of others, whatever those did, depends on what they did.
bool UnfoldingSearch::contradicts(ThreadId thread, FootprintSets::Number footprint,
                                  const BehindLateJoin& behind) {
  if (thread == behind.thread) return false;
  if (footprints_->reads_from(behind.footprint, footprint)) return true;
  const bool has_ended = std::ranges::find(behind.ended, slot_of_thread(thread)) != behind.ended.end();
  return !has_ended && footprints_->conflict(behind.footprint, footprint);
}

void UnfoldingSearch::look_behind_late_joins(ThreadId thread, FootprintSets::Number footprint,
                                             Condition condition) {
  if (footprint == FootprintSets::kEmpty) return;
  if (of_threads_.emplace(thread, footprint).second) {
    for (const BehindLateJoin& behind : behind_late_joins_) {
      if (contradicts(thread, footprint, behind)) need_all_of_joined(behind.thread, behind.ended);
    }
  }
  const std::vector<Slot>& ended = prefix_->ended_before(condition);
  const BehindLateJoin own{thread, footprint, ended};
  if (ended.empty() || !behind_late_joins_.insert(own).second) return;
  for (const auto& [other, others] : of_threads_) {
    if (contradicts(other, others, own)) need_all_of_joined(thread, ended);
  }
}

bool UnfoldingSearch::is_late(const Event& join) const {
  return !all_read_joined_ && !reads_joined_.contains(join.thread);
}

// Of the thread, and of those that it has joined.
void UnfoldingSearch::need_all_of_joined(ThreadId joiner, std::span<const Slot> joined) {
  reads_joined_.insert(joiner);
  for (const Slot thread : joined) reads_joined_.insert(prefix_->thread_of(thread));
  begins_again_ = true;
}

void UnfoldingSearch::learn_hidden(const Event& event) {
  const auto other = static_cast<ThreadId>(event.argument);
  switch (event.operation) {
    case Operation::thread_create:
      if (takes_turn(event.thread, marking_))
        learn_step(event, {prefix_->creations(), true, false, {}, event.index + 1});
      if (begins_again_ || is_contradicted_) return;
      return learn_step(event, {slot_of_thread(other), true, false, {}, event.index + 1});
    case Operation::thread_join: return learn_join(event);
    case Operation::others_ended: last_of_all_ = event.thread; return;
    default: return;
  }
}

void UnfoldingSearch::learn_join(const Event& event) {
  const Slot joined = slot_of_thread(static_cast<ThreadId>(event.argument));
  const Condition end = marking_.at(joined, *prefix_);
  const Slot thread = slot_of_thread(event.thread);
  std::vector<Slot> ended = prefix_->ended_before(marking_.at(thread, *prefix_));
  const std::vector<Slot>& of_joined = prefix_->ended_before(end);
  ended.insert(ended.end(), of_joined.begin(), of_joined.end());
  prefix_->end(end);
  const bool is_late = this->is_late(event);
  if (is_late) ended.push_back(joined);
  learn_step(event, {is_late ? kNone : joined, false, false, {}, event.index + 1});
  if (!begins_again_ && !is_contradicted_ && !ended.empty())
    prefix_->set_ended_before(marking_.at(thread, *prefix_), std::move(ended));
}

Event UnfoldingSearch::next_event_of(const PendingOperation& pending) {
  Event event = event_of(pending);
  event.timed = pending.timed;
  event.has_deadline = pending.has_deadline;
  return event;
}

// What is known of an operation before it is done.
Prefix::Next UnfoldingSearch::next_of(const Event& event) {
  Prefix::Next next;
  next.timed = event.timed && event.operation != Operation::sleep;
  next.may_wait = may_have_to_wait(event.operation) && !next.timed;
  if (event.operation == Operation::thread_join) {
    next.joins = slot_of_thread(static_cast<ThreadId>(event.argument));
    if (!is_late(event)) next.object = next.joins;
  } else if (event.operation == Operation::thread_create) {
    next.object = slot_of_thread(static_cast<ThreadId>(event.argument));
  } else {
    next.object = slot_of(event);
  }
  return next;
}

// The execution shows what cannot be, if what was shown before is true.
void UnfoldingSearch::note_contradiction() {
  is_contradicted_ = true;
  if (not_covered_.empty())
    not_covered_ = "threads whose next operation does not depend on what they have seen alone";
}

void UnfoldingSearch::learn_step(const Event& event, const Step& step) {
  const Slot thread = slot_of_thread(event.thread);
  const Condition before = marking_.at(thread, *prefix_);
  const Condition there = step.object == kNone ? kNone : marking_.at(step.object, *prefix_);
  const bool is_join = event.operation == Operation::thread_join;
  const std::vector<Slot>& ended = prefix_->ended_before(before);
  if (!ended.empty() && step.object != kNone && !is_join) return need_all_of_joined(event.thread, ended);
  if (!prefix_->has_next(before)) {
    Prefix::Next next = next_of(event);
    if (event.operation == Operation::thread_create) next.object = step.object;
    prefix_->set_next(before, event, next);
  } else {
    const Prefix::Next& known = prefix_->next(before);
    const bool runs_out = known.timed && event.operation == Operation::timeout;
    if (known.timed && prefix_->next_step(before).operation == Operation::timeout)
      prefix_->learn_operation(before, event);
    const bool is_known = prefix_->next_step(before).operation == event.operation || runs_out;
    if (known.object != step.object || !is_known) return note_contradiction();
  }
  const Prefix::Event known = prefix_->find(before, there);
  const bool is_possible =
      there == kNone || known != kNone || prefix_->joins(prefix_->cone_of(before), prefix_->cone_of(there));
  if (!is_possible) return note_contradiction();
  note_footprint(event.thread);
  if (begins_again_) return;
  const bool consumes = step.consumes && step.object != kNone;
  const std::uint32_t behind = settings_.mode == Mode::replicated && consumes
                                   ? prefix_->number_of_reads(marking_.reads(step.object), true)
                                   : 0;
  const bool is_simple = behind == 0 && step.choices.empty() && !prefix_->next(before).timed;
  const Prefix::Event number = known != kNone && is_simple ? known
                               : event.operation == Operation::timeout
                                   ? learn_timeout(before, there, behind)
                                   : learn_choices(before, there, behind, step.choices);
  if (!(*prefix_)[number].is_done) prefix_->insert(number, event, consumes, step.events_after, step.is_last);
  const Prefix::Entry& entry = (*prefix_)[number];
  marking_.set(thread, entry.after);
  const FootprintSets::Bytes accessed = bytes_of(event);
  if (accessed.begin != accessed.end) accesses_[event.thread].push_back(accessed);
  if (entry.consumes) {
    marking_.set(step.object, entry.object_after);
  } else if (settings_.mode == Mode::replicated && step.object != kNone) {
    marking_.add_read(step.object, number);
  }
  if (!ended.empty() && !is_join) prefix_->set_ended_before(entry.after, ended);
}

// The event with all the choices in its middle, and behind the reads. With fewer of them it is what was
// foreseen.
Prefix::Event UnfoldingSearch::learn_choices(Condition before, Condition there, std::uint32_t behind,
                                             std::span<const ReadsFrom::Choice> choices) {
  std::vector<Departure> taken;
  bool is_first = false;  // that the thread's step consumes the condition was not known
  const auto need = [&](std::uint32_t reads) {
    bool is_foreseen = true;
    const Prefix::Event event = prefix_->need(before, there, prefix_->number_of(taken), reads, is_foreseen);
    if (is_foreseen || is_first || !taken.empty()) return event;
    const Operation operation = prefix_->next_step(before).operation;
    if (operation == Operation::lock || operation == Operation::shared_lock)
      not_covered_ = "mutexes whose owner has ended";
    ++counts_.unforeseen;
    return event;
  };
  if (prefix_->next(before).timed) {
    for (const std::uint32_t reads : {std::uint32_t{0}, behind})
      prefix_->add_alternative(before, there, Prefix::kTimeout, reads);
  }
  if (behind != 0) {
    const Prefix::Event without = need(0);
    is_first = !(*prefix_)[without].is_change;
  }
  for (const ReadsFrom::Choice& choice : choices) {
    prefix_->cover(need(behind));
    taken.push_back(choice.taken);
    for (const Option& option : choice.options) {
      if (option == choice.taken.option) continue;
      taken.back().option = option;
      prefix_->add_alternative(before, there, prefix_->number_of(taken), behind);
    }
    taken.back() = choice.taken;
  }
  return need(behind);
}

// That the thread goes on instead is another event, which is known by now.
Prefix::Event UnfoldingSearch::learn_timeout(Condition before, Condition there, std::uint32_t behind) {
  for (const std::uint32_t reads : {std::uint32_t{0}, behind})
    prefix_->add_alternative(before, there, 0, reads);
  bool is_foreseen = true;
  const Prefix::Event event = prefix_->need(before, there, Prefix::kTimeout, behind, is_foreseen);
  counts_.unforeseen += is_foreseen || behind != 0 ? 0 : 1;
  return event;
}

// What the last round of the thread's loop read: it began at the same call.
void UnfoldingSearch::learn_spin(Condition condition, const Event& next) {
  std::vector<Prefix::Mark> reads;
  for (Condition each = condition; prefix_->slots().event(each) != kNone;) {
    const Prefix::Entry& entry = (*prefix_)[prefix_->slots().event(each)];
    const Event& step = prefix_->step(prefix_->slots().event(each));
    if (step.thread != next.thread) break;  // it created the thread
    if (entry.object != kNone) reads.push_back({prefix_->slots().slot(entry.object), entry.object});
    if (step.code == next.operand) break;
    each = entry.before;
  }
  prefix_->spin(condition, next, std::move(reads));
}

// Where each thread stands at the end.
void UnfoldingSearch::learn_pending(const Trace& trace) {
  for (const PendingOperation& pending : trace.pending) {
    Event event = next_event_of(pending);
    const bool is_join = event.operation == Operation::thread_join;
    if (!is_join && !is_visible(event.operation)) continue;
    if (is_join) event.argument = event.operand;
    const Condition condition = marking_.at(slot_of_thread(event.thread), *prefix_);
    const bool spins = !pending.enabled && !is_join && !may_have_to_wait(event.operation);
    if (spins) {
      learn_spin(condition, event);
    } else if (!prefix_->has_next(condition)) {
      prefix_->set_next(condition, event, next_of(event));
    }
  }
  for (ThreadId thread = 0; thread < thread_slots_.size() && !begins_again_; ++thread) {
    if (thread_slots_[thread] == kNone) continue;
    const Condition last = marking_.at(thread_slots_[thread], *prefix_);
    const bool is_there = thread == kMainThread || prefix_->slots().depth(last) != 0;
    if (!is_there) continue;
    // A thread that stands before nothing has ended, unless it has failed.
    if (stops(trace, thread)) {
      if (thread == ended_by(trace) && thread != last_of_all_) prefix_->fail(last);
    } else if (!prefix_->has_next(last) && prefix_->spin_at(last) == nullptr) {
      prefix_->end(last);
    }
    note_footprint(thread);
  }
}

}  // namespace thrum

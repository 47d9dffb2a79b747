// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/local_states.hpp"

#include <algorithm>

#include "support/hash.hpp"

namespace thrum {

namespace {

constexpr std::uint64_t kFirst = 0x6d61696e;
constexpr std::uint64_t kInitial = 0x696e6974;
constexpr std::uint64_t kJoined = 0x6a6f696e;

// Of operations that wake one of several threads the argument says which, from 1.
bool wakes_one(Operation operation) {
  return operation == Operation::signal || operation == Operation::futex_wake;
}

}  // namespace

// A thread that nobody creates is told apart by its number.
LocalStates::Thread& LocalStates::of(ThreadId thread) {
  while (threads_.size() <= thread) {
    const std::uint64_t name = mixed(kFirst, threads_.size());
    threads_.push_back({.name = name, .now = {name, name}});
  }
  return threads_[thread];
}

// What is learned of this execution makes former ones wrong. They are dropped if they are few.
void LocalStates::learn_locations(const Trace& trace) {
  constexpr std::uint64_t kFew = 1000;  // executions
  const std::uint64_t changes = locations_.changes();
  for (const Event& event : trace.events) {
    if (is_visible(event.operation)) locations_.learn(event);
  }
  for (const PendingOperation& pending : trace.pending) {
    Event event = event_of(pending);
    event.timed = pending.timed;
    if (is_visible(event.operation)) locations_.learn(event);
  }
  for (const RecordedAccess& access : trace.accesses) locations_.learn(access);
  if (locations_.changes() != changes && executions_ < kFew && !is_loaded_) begin_again();
}

void LocalStates::take(const Trace& trace) {
  learn_locations(trace);
  ++executions_;
  threads_.clear();
  written_.clear();
  accesses_.clear();
  taken_accesses_ = 0;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    if (!tells_) take_accesses(trace, i);
    if (of(event.thread).is_last) continue;
    if (is_visible(event.operation)) {
      take_step(event);
    } else {
      take_hidden(event);
    }
  }
  if (tells_) return;
  take_accesses(trace, trace.events.size());
  tells_ = reads_behind_joins();
}

void LocalStates::take_hidden(const Event& event) {
  const auto other = static_cast<ThreadId>(event.argument);
  of(std::max(event.thread, other));
  Thread& thread = threads_[event.thread];
  if (event.operation == Operation::thread_create) {
    tells_ = tells_ || !thread.joined.empty();
    Thread& created = threads_[other];
    created.name = mixed(thread.name, ++thread.created);
    created.now = {mixed(thread.now.late, created.name), mixed(thread.now.full, created.name)};
  } else if (event.operation == Operation::thread_join) {
    const Thread& joined = threads_[other];
    thread.now.full = mixed(thread.now.full, mixed(joined.now.full, kJoined));
    thread.joined.push_back(other);
    thread.joined.insert(thread.joined.end(), joined.joined.begin(), joined.joined.end());
  } else if (event.operation == Operation::others_ended) {
    thread.is_last = true;
  }
}

void LocalStates::take_step(const Event& event) {
  std::uint64_t what = static_cast<std::uint64_t>(event.operation) << 8 | std::uint64_t(event.outcome);
  if (event.operation == Operation::choose) what = mixed(what, event.value);
  if (wakes_one(event.operation) && event.argument != 0)
    what = mixed(what, of(static_cast<ThreadId>(event.argument - 1)).name);
  Thread& thread = threads_[event.thread];
  Prints& now = thread.now;
  now = {mixed(now.late, what), mixed(now.full, what)};
  const std::uint32_t location = locations_.find(event);
  if (location != Locations::kNone) {
    if (written_.size() <= location) written_.resize(location + std::size_t{1}, Prints{kInitial, kInitial});
    Prints& written = written_[location];
    now = {mixed(now.late, written.late), mixed(now.full, written.full)};
    if (locations_.writes(event, location)) written = now;
    tells_ = tells_ || !thread.joined.empty();
    if (!tells_) note(event, location);
  }
  if (late_.numbers.insert(now.late)) late_.last_new = executions_;
  if (full_.numbers.insert(now.full)) full_.last_new = executions_;
}

// The plain accesses that came before that many events.
void LocalStates::take_accesses(const Trace& trace, std::size_t events) {
  for (; taken_accesses_ < trace.accesses.size() && trace.accesses[taken_accesses_].event <= events;
       ++taken_accesses_) {
    const RecordedAccess& access = trace.accesses[taken_accesses_];
    const Thread& thread = of(access.thread);
    if (thread.is_last) continue;
    accesses_.push_back({access.object, access.object + std::max(access.size, 1u), access.thread,
                         access.writes, static_cast<std::uint32_t>(thread.joined.size())});
  }
}

// What the step accesses.
void LocalStates::note(const Event& event, std::uint32_t location) {
  if (event.object == 0) return;
  accesses_.push_back({event.object, event.object + std::max(event.size, 1u), event.thread,
                       locations_.writes(event, location), 0});
}

// Whether what a thread has accessed behind joins depends on what the joined threads have done.
bool LocalStates::tells(const Access& behind, const Access& other) const {
  if (other.thread == behind.thread) return false;
  if (!behind.writes && other.writes) return true;
  const auto begin = threads_[behind.thread].joined.begin();
  const auto end = begin + behind.joined;
  return (behind.writes || other.writes) && std::find(begin, end, other.thread) == end;
}

bool LocalStates::reads_behind_joins() {
  if (std::ranges::none_of(accesses_, [](const Access& access) { return access.joined != 0; })) return false;
  std::ranges::sort(accesses_, {}, &Access::begin);
  std::uint64_t longest = 0;
  for (const Access& access : accesses_) longest = std::max(longest, access.end - access.begin);
  for (const Access& behind : accesses_) {
    if (behind.joined == 0) continue;
    const std::uint64_t from = behind.begin > longest ? behind.begin - longest : 0;
    for (auto other = std::ranges::lower_bound(accesses_, from, {}, &Access::begin);
         other != accesses_.end() && other->begin < behind.end; ++other) {
      if (other->end > behind.begin && tells(behind, *other)) return true;
    }
  }
  return false;
}

CoverageCount LocalStates::result() const {
  const Counter& counter = tells_ ? full_ : late_;
  return {counter.numbers.count(), counter.numbers.is_exact(), counter.last_new};
}

void LocalStates::begin_again() {
  for (Counter* counter : {&late_, &full_}) {
    counter->numbers.clear();
    counter->last_new = 0;
  }
}

void LocalStates::merge(const LocalStates& other) {
  if (late_.numbers.merge(other.late_.numbers) > 0) late_.last_new = executions_ + other.late_.last_new;
  if (full_.numbers.merge(other.full_.numbers) > 0) full_.last_new = executions_ + other.full_.last_new;
  tells_ = tells_ || other.tells_;
  executions_ += other.executions_;
}

void LocalStates::save(ByteWriter& out) const {
  for (const Counter* counter : {&late_, &full_}) {
    counter->numbers.save(out);
    out.put(counter->last_new);
  }
  out.put(tells_);
  out.put(executions_);
}

void LocalStates::load(ByteReader& in) {
  for (Counter* counter : {&late_, &full_}) {
    counter->numbers.load(in);
    counter->last_new = in.get<std::uint64_t>();
  }
  tells_ = in.get<bool>();
  executions_ = in.get<std::uint64_t>();
  is_loaded_ = executions_ != 0;
}

}  // namespace thrum

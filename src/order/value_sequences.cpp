// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/value_sequences.hpp"

#include <algorithm>
#include <optional>

#include "support/hash.hpp"

namespace thrum {

namespace {

constexpr std::uint64_t kFirstThread = 0x76616c75;

// What the operation tells its thread of what others have done, or of the environment.
std::optional<std::uint64_t> told_by(const Event& event) {
  switch (event.operation) {
    case Operation::load:
    case Operation::read_modify_write:
    case Operation::compare_exchange:
    case Operation::futex_wait:
    case Operation::choose:
    case Operation::random_draw:
    case Operation::clock_read:
    case Operation::timer_read:
    case Operation::signal_handle:
    case Operation::signal_accept:
    case Operation::signal_pending: return event.value;
    case Operation::try_lock:
    case Operation::try_shared_lock:
    case Operation::try_join:
    case Operation::semaphore_try_wait: return event.outcome == Outcome::failed ? 1 : 0;
    case Operation::once_enter: return event.outcome == Outcome::unchanged ? 1 : 0;
    case Operation::barrier_wait: return event.operand != 0 ? 1 : 0;
    case Operation::futex_wake: return event.value != 0 ? 1 : 0;
    case Operation::timeout: return 1;
    default: return std::nullopt;
  }
}

}  // namespace

// A thread that nobody creates is told apart by its number.
ValueSequences::Thread& ValueSequences::of(ThreadId thread) {
  while (threads_.size() <= thread) {
    const std::uint64_t name = mixed(kFirstThread, threads_.size());
    threads_.push_back({.name = name, .now = name});
  }
  return threads_[thread];
}

void ValueSequences::take(const Trace& trace, std::uint64_t number) {
  is_on_ = true;
  ++executions_;
  is_blurred_ = is_blurred_ || lacks_reads(trace) || trace.shared < shared_;
  shared_ = std::max(shared_, trace.shared);
  execution_ = number;
  threads_.clear();
  taken_accesses_ = 0;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    take_accesses(trace, i);
    take_event(trace.events[i]);
  }
  take_accesses(trace, trace.events.size());
}

void ValueSequences::take_event(const Event& event) {
  if (event.operation == Operation::thread_create) {
    const auto other = static_cast<ThreadId>(event.argument);
    of(std::max(event.thread, other));
    Thread& thread = threads_[event.thread];
    Thread& created = threads_[other];
    created.now = created.name = mixed(thread.name, ++thread.created);
  } else if (const std::optional<std::uint64_t> told = told_by(event)) {
    // A call whose time has run out tells that in place of what it would have told.
    read(event.thread, mixed(*told, event.operation == Operation::timeout ? 1 : 0));
  }
}

// The plain accesses that came before that many events.
void ValueSequences::take_accesses(const Trace& trace, std::size_t events) {
  for (; taken_accesses_ < trace.accesses.size() && trace.accesses[taken_accesses_].event <= events;
       ++taken_accesses_) {
    const RecordedAccess& access = trace.accesses[taken_accesses_];
    const bool reads = access.operation == Operation::plain_load || access.operation == Operation::load;
    if (reads && !access.writes) read(access.thread, mixed(access.value, 0));
  }
}

void ValueSequences::read(ThreadId thread, std::uint64_t value) {
  std::uint64_t& now = of(thread).now;
  now = mixed(now, value);
  if (numbers_.insert(now)) last_new_ = execution_;
}

void ValueSequences::begin_again() {
  numbers_.clear();
  last_new_ = 0;
  is_blurred_ = false;
  shared_ = executions_ = 0;
}

void ValueSequences::merge(const ValueSequences& other, std::uint64_t before) {
  if (numbers_.merge(other.numbers_) > 0) last_new_ = before + other.last_new_;
  const bool both = is_on_ && other.is_on_;
  is_on_ = is_on_ || other.is_on_;
  is_blurred_ = is_blurred_ || other.is_blurred_ || (both && shared_ != other.shared_);
  shared_ = std::max(shared_, other.shared_);
  executions_ += other.executions_;
}

void ValueSequences::save(ByteWriter& out) const {
  numbers_.save(out);
  out.put(last_new_);
  out.put(is_on_);
  out.put(is_blurred_);
  out.put(shared_);
  out.put(executions_);
}

void ValueSequences::load(ByteReader& in) {
  numbers_.load(in);
  last_new_ = in.get<std::uint64_t>();
  is_on_ = in.get<bool>();
  is_blurred_ = in.get<bool>();
  shared_ = in.get<std::uint64_t>();
  executions_ = in.get<std::uint64_t>();
}

}  // namespace thrum

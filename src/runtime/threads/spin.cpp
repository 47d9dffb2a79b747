// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/threads/spin.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/base/thread.hpp"
#include "runtime/threads/loop_list.hpp"
#include "runtime/threads/record.hpp"

namespace thrum {

namespace {

constexpr std::size_t kVisitsMax = 64;  // a loop with more visits in an iteration is an ordinary one
constexpr std::size_t kReadsMax = 4096;
constexpr std::uint64_t kStackMax = 1 << 16;  // bytes of live stack; a loop on more is an ordinary one
constexpr std::size_t kRegisters = 6;

std::size_t stack_words(const Thread& thread, const CallerState& caller) {
  return (reinterpret_cast<std::uint64_t>(thread.stack_top) - caller.stack_pointer) / sizeof(std::uint64_t);
}

}  // namespace

void LoopState::take(const Thread& thread, const CallerState& caller) {
  std::size_t words = stack_words(thread, caller);
  count_ = kRegisters + words;
  if (words_.size() < count_) words_.resize(count_);
  std::copy(std::begin(caller.registers), std::end(caller.registers), words_.begin());
  std::memcpy(words_.data() + kRegisters, reinterpret_cast<const void*>(caller.stack_pointer),
              words * sizeof(std::uint64_t));
  if (!keys_.empty() || !thread.keys.empty()) keys_ = thread.keys;
}

bool LoopState::is_that_of(const Thread& thread, const CallerState& caller) const {
  std::size_t words = stack_words(thread, caller);
  return count_ == kRegisters + words && keys_ == thread.keys &&
         std::equal(std::begin(caller.registers), std::end(caller.registers), words_.begin()) &&
         std::memcmp(words_.data() + kRegisters, reinterpret_cast<const void*>(caller.stack_pointer),
                     words * sizeof(std::uint64_t)) == 0;
}

void SpinDetector::reset() {
  for (PerThread& thread : threads_) {
    thread.visit_count = 0;
    thread.reads.clear();
    thread.round_given_at = kNoRound;
  }
  writes_.clear();
}

void SpinDetector::copy(const PerThread& from, PerThread& to) {
  const auto assign = [](std::vector<Read>& reads, const std::vector<Read>& others) {
    if (!reads.empty() || !others.empty()) reads = others;
  };
  if (to.visits.size() < from.visit_count) to.visits.resize(from.visit_count);
  std::copy_n(from.visits.begin(), from.visit_count, to.visits.begin());
  to.visit_count = from.visit_count;
  assign(to.reads, from.reads);
  assign(to.waits_for, from.waits_for);
  to.waits = from.waits;
  to.round_given_at = from.round_given_at;
}

void SpinDetector::save(Moment& moment) const {
  moment.notes = notes_;
  moment.switches = switches_;
  if (!notes_) return;
  moment.writes = writes_;
  moment.threads.resize(threads_.size());
  for (std::size_t i = 0; i < threads_.size(); ++i) copy(threads_[i], moment.threads[i]);
}

void SpinDetector::restore(const Moment& moment) {
  notes_ = moment.notes;
  switches_ = moment.switches;
  if (!notes_) return;
  writes_ = moment.writes;
  for (std::size_t i = 0; i < moment.threads.size(); ++i) copy(moment.threads[i], threads_[i]);
}

bool SpinDetector::too_deep(const Thread& thread, const CallerState& caller) {
  return reinterpret_cast<std::uint64_t>(thread.stack_top) - caller.stack_pointer > kStackMax;
}

bool SpinDetector::is_deepest(const Thread& thread, const CallerState& caller) {
  const std::size_t depth = stack_words(thread, caller) * sizeof(std::uint64_t);
  if (depth <= depth_) return false;
  depth_ = depth;
  return true;
}

void SpinDetector::clear_stack(const Thread& thread, char* end, std::size_t depth) {
  char* begin = thread.stack_top - depth;
  if (begin < end) std::memset(begin, 0, static_cast<std::size_t>(end - begin));
}

SpinDetector::Arrival SpinDetector::arrive(const Thread& thread, std::uint64_t code,
                                           const CallerState& caller) {
  PerThread& mine = threads_[thread.slot];
  std::size_t i = 0;
  while (i < mine.visit_count &&
         !(mine.visits[i].code == code && mine.visits[i].stack_pointer == caller.stack_pointer)) {
    ++i;
  }
  if (i == mine.visit_count) {
    if (i == kVisitsMax || too_deep(thread, caller)) return Arrival::ordinary;
    if (mine.visits.size() == i) mine.visits.emplace_back();
    Visit& visit = mine.visits[i];
    ++mine.visit_count;
    visit.code = code;
    visit.stack_pointer = caller.stack_pointer;
    visit.count = 1;
    visit.first_read = static_cast<std::uint32_t>(mine.reads.size());
    visit.switches = visit.read_switches = switches_;
    visit.waits = visit.read_waits = mine.waits;
    if (!watched_.has(code)) return Arrival::ordinary;
    if (is_deepest(thread, caller)) return Arrival::start_anew;
    visit.state.take(thread, caller);
    return Arrival::ordinary;
  }
  Visit& visit = mine.visits[i];
  if (visit.count == 1 && !watched_.has(code)) {
    watched_.insert(code);
    is_deepest(thread, caller);
    return Arrival::start_anew;
  }
  ++visit.count;
  bool same = visit.state.is_that_of(thread, caller) && !never_.has(code);
  if (same) {
    mine.waits_for.assign(mine.reads.begin() + visit.first_read, mine.reads.end());
    if (visit.read_switches == switches_ && visit.read_waits == mine.waits) see_present_values(mine);
  }
  if (same || std::has_single_bit(visit.count)) {
    visit.first_read = static_cast<std::uint32_t>(mine.reads.size());
    visit.read_switches = switches_;
    visit.read_waits = mine.waits;
  }
  if (!same && std::has_single_bit(visit.count)) {
    visit.state.take(thread, caller);
    visit.switches = switches_;
    visit.waits = mine.waits;
  }
  if (same) found_.insert(code);
  return same ? Arrival::spins : Arrival::ordinary;
}

// No other thread has run since the first of these reads. If a value that was read has changed, the thread
// changed it unseen: the object lay in a frame that it has left, say, or code that is not instrumented wrote
// it for a moment.
void SpinDetector::see_present_values(PerThread& mine) {
  for (Read& read : mine.waits_for) {
    if (read.by_value) read.value = value_at(reinterpret_cast<const void*>(read.what.object), read.what.size);
  }
}

void SpinDetector::add_loops(LoopList& loops) const {
  never_.for_each([&](std::uint64_t code) { loops.add(code, WaitingLoop::Kind::uncontrolled); });
  found_.for_each([&](std::uint64_t code) { loops.add(code, WaitingLoop::Kind::spin); });
}

void SpinDetector::note_wait(const Thread& thread) { ++threads_[thread.slot].waits; }

bool SpinDetector::unproved(const Thread& thread, std::uint64_t code) const {
  if (proved_.has(code)) return false;
  const PerThread& mine = threads_[thread.slot];
  return std::any_of(mine.visits.begin(), mine.visits.begin() + static_cast<std::ptrdiff_t>(mine.visit_count),
                     [&](const Visit& visit) {
                       return visit.code == code && visit.switches == switches_ && visit.waits == mine.waits;
                     }) &&
         !released(thread);
}

SpinDetector::Read& SpinDetector::add_read(const Thread& thread, std::uint64_t object, std::uint32_t size) {
  PerThread& mine = threads_[thread.slot];
  if (mine.reads.size() == kReadsMax) note_change(thread);
  Read& read = mine.reads.emplace_back();
  read.what.object = object;
  read.what.size = size ? size : 1;
  read.by_value = false;
  read.writes_before = static_cast<std::uint32_t>(writes_.size());
  return read;
}

bool SpinDetector::released(const Thread& thread) const {
  const PerThread& mine = threads_[thread.slot];
  for (const Read& read : mine.waits_for) {
    if (read.by_value) {
      if (value_at(reinterpret_cast<const void*>(read.what.object), read.what.size) != read.value)
        return true;
      continue;
    }
    for (std::size_t i = read.writes_before; i < writes_.size(); ++i) {
      const Span& write = writes_[i];
      if (write.object < read.what.object + read.what.size && read.what.object < write.object + write.size)
        return true;
    }
  }
  return false;
}

void SpinDetector::add_watched(const Thread& thread, std::uint32_t event,
                               std::vector<Watched>& watches) const {
  for (const Read& read : threads_[thread.slot].waits_for)
    watches.push_back({event, read.what.size, read.what.object});
}

bool SpinDetector::reads_clock(const Thread& thread) const {
  const PerThread& mine = threads_[thread.slot];
  return std::any_of(mine.waits_for.begin(), mine.waits_for.end(),
                     [](const Read& read) { return read.what.object == kClock; });
}

bool SpinDetector::give_another_round(const Thread& thread) {
  PerThread& mine = threads_[thread.slot];
  auto now = static_cast<std::uint32_t>(writes_.size());
  if (mine.round_given_at == now) return false;
  mine.round_given_at = now;
  return true;
}

void SpinDetector::forget_round(const Thread& thread) { threads_[thread.slot].round_given_at = kNoRound; }

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/spins.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace thrum::vm {

namespace {

std::uint64_t value_there(std::uint64_t object, std::uint32_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, &at<char>(object), size);
  return value;
}

}  // namespace

void Spins::begin(bool is_on, bool by_value) {
  is_on_ = is_on;
  by_value_ = by_value;
  went_on_unseen_ = false;
  for (PerThread& one : threads_) {
    one.visit_count = 0;
    one.reads.clear();
    one.waits = 0;
    one.depends_on_time = false;
    one.round_given_at = kNever;
    one.has_round = false;
  }
  writes_.clear();
}

Spins::PerThread& Spins::of(const Thread& thread) {
  if (__builtin_expect(threads_.size() <= thread.slot, 0)) threads_.resize(thread.slot + std::size_t{1});
  return threads_[thread.slot];
}

void Spins::take(Visit& visit, const PerThread& mine, const Thread& thread) {
  visit.has_state = states_.take(thread, visit.registers);
  visit.begin = states_.now();
  begin_reads(visit, mine);
}

void Spins::begin_reads(Visit& visit, const PerThread& mine) const {
  visit.first_read = mine.reads.size();
  visit.switches = states_.switches();
  visit.waits = mine.waits;
}

// Arrivals.

Spins::Visit* Spins::find(PerThread& mine, const Thread& thread) const {
  const auto end = mine.visits.begin() + static_cast<std::ptrdiff_t>(mine.visit_count);
  const auto found = std::find_if(mine.visits.begin(), end, [&thread](const Visit& visit) {
    return visit.code == thread.code && visit.frame == thread.top;
  });
  return found == end ? nullptr : &*found;
}

Spins::Arrival Spins::visit_first(PerThread& mine, const Thread& thread) {
  if (mine.visit_count == kVisitsMax) return Arrival::ordinary;
  if (mine.visits.size() == mine.visit_count) mine.visits.emplace_back();
  Visit& visit = mine.visits[mine.visit_count++];
  visit.code = thread.code;
  visit.frame = thread.top;
  visit.count = 1;
  visit.has_state = false;
  if (watched_.contains(thread.code)) take(visit, mine, thread);
  return Arrival::ordinary;
}

Spins::Arrival Spins::arrive(const Thread& thread) {
  if (!is_on_) return Arrival::ordinary;
  PerThread& mine = of(thread);
  Visit* const visit = find(mine, thread);
  if (visit == nullptr) {
    if (mine.has_round && mine.visit_count < kVisitsMax) end_round(thread, mine);
    return visit_first(mine, thread);
  }
  if (visit->count == 1 && watched_.insert(thread.code).second) return Arrival::begin_again;
  ++visit->count;
  const bool repeats = visit->has_state && !never_.contains(thread.code) &&
                       states_.are_those_of(thread, visit->registers) &&
                       !states_.has_changed_memory(thread, visit->begin);
  if (repeats) {
    mine.waits_for.assign(mine.reads.begin() + static_cast<std::ptrdiff_t>(visit->first_read),
                          mine.reads.end());
    mine.looked_at = mine.waits_for.empty() ? writes_.size() : mine.waits_for.front().writes_before;
    mine.was_released = mine.has_round = false;
    if (visit->switches == states_.switches() && visit->waits == mine.waits) see_present_values(mine);
    begin_reads(*visit, mine);
    return Arrival::spins;
  }
  if (std::has_single_bit(visit->count)) take(*visit, mine, thread);
  return Arrival::ordinary;
}

// No other thread has run since the first of these reads. If a value that was read has changed, the thread
// itself changed it, for a moment: the object lay in a frame that it has left, say.
void Spins::see_present_values(PerThread& mine) {
  for (Read& read : mine.waits_for) {
    if (read.by_value) read.value = value_there(read.object, read.size);
  }
}

// What threads do.

void Spins::note_read(const Thread& thread, std::optional<std::uint64_t> value) {
  if (!is_on_) return;
  PerThread& mine = of(thread);
  if (mine.reads.size() == kReadsMax) note_change(thread);
  if (thread.object == kClockObject) mine.depends_on_time = true;
  const bool by_value = by_value_ && value.has_value();
  mine.reads.push_back(
      {thread.object, std::max<std::uint32_t>(thread.size, 1), by_value, value.value_or(0), writes_.size()});
}

void Spins::note_change(const Thread& thread) {
  if (!is_on_) return;
  PerThread& mine = of(thread);
  if (mine.has_round) end_round(thread, mine);
  mine.visit_count = 0;
  mine.reads.clear();
  mine.depends_on_time = false;
}

void Spins::note_write(std::uint64_t object, std::uint32_t size) {
  if (!is_on_) return;
  writes_.push_back({object, std::max<std::uint32_t>(size, 1)});
}

// Waiting threads.

bool Spins::released(const Thread& thread) const {
  const PerThread& mine = of(thread);
  if (mine.was_released) return true;
  const auto overlaps = [](const Span& write, const Read& read) {
    return write.object < read.object + read.size && read.object < write.object + write.size;
  };
  for (const Read& read : mine.waits_for) {
    if (read.by_value && value_there(read.object, read.size) != read.value) return true;
  }
  for (; mine.looked_at < writes_.size(); ++mine.looked_at) {
    for (const Read& read : mine.waits_for) {
      if (read.by_value || mine.looked_at < read.writes_before) continue;
      if (overlaps(writes_[mine.looked_at], read)) return mine.was_released = true;
    }
  }
  return false;
}

bool Spins::reads_clock(const Thread& thread) const {
  const std::vector<Read>& reads = of(thread).waits_for;
  return std::any_of(reads.begin(), reads.end(),
                     [](const Read& read) { return read.object == kClockObject; });
}

void Spins::add_watched(const Thread& thread, std::uint32_t event, std::vector<Watched>& watches) const {
  for (const Read& read : of(thread).waits_for) watches.push_back({event, read.size, read.object});
}

bool Spins::give_another_round(const Thread& thread) {
  PerThread& mine = of(thread);
  if (mine.round_given_at == writes_.size()) return false;
  mine.round_given_at = writes_.size();
  mine.has_round = !released(thread);
  return true;
}

// The thread had a round, and does what it did in none of the loop's rounds.
void Spins::end_round(const Thread& thread, PerThread& mine) {
  mine.has_round = false;
  if (released(thread)) return;
  went_on_unseen_ = true;
  for (std::size_t i = 0; i < mine.visit_count; ++i) never_.insert(mine.visits[i].code);
}

void Spins::write_learned(ByteWriter& out) const {
  for (const auto* codes : {&watched_, &never_}) {
    out.put(static_cast<std::uint32_t>(codes->size()));
    for (const std::uint64_t code : *codes) out.put(code);
  }
}

void Spins::add_learned(ByteReader& in) {
  for (auto* codes : {&watched_, &never_}) {
    for (std::uint32_t left = in.get_count(); left > 0 && in.ok(); --left)
      codes->insert(in.get<std::uint64_t>());
  }
}

}  // namespace thrum::vm

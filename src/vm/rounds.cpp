// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/rounds.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace thrum::vm {

namespace {

// Whether the word belongs to the machine's own books, which change whatever a thread does.
bool is_bookkeeping(std::uint64_t address) {
  if (address >= kFrames) return true;  // frames; the shadow
  if (address < kMachine) return false;
  // The heap's books, the course, lists and records of threads; memory taken and counts of yields; the rest
  // is the program's.
  constexpr std::uint64_t kPart = std::uint64_t{1} << 32;
  const std::uint64_t part = (address - kMachine) / kPart;
  return part <= 4 || part == 9 || part == 10;
}

// Whether what the program has there still counts: not on a stack where its frame is gone.
bool is_live(std::uint64_t address) {
  const bool is_stack =
      address - kThreads < kThreadSlots * kThreadSize && (address - kThreads) % kThreadSize < kStackEnd;
  return !is_stack || (shadow_at<std::uint64_t>(address) & repeated<std::uint64_t>(kAddressable)) != 0;
}

std::uint64_t value_there(std::uint64_t object, std::uint32_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, &at<char>(object), size);
  return value;
}

}  // namespace

void Rounds::begin(bool by_value) {
  by_value_ = by_value;
  went_on_unseen_ = false;
  switches_ = 0;
  for (PerThread& one : threads_) {
    one.visit_count = 0;
    one.reads.clear();
    one.waits = 0;
    one.depends_on_time = false;
    one.round_given_at = kNever;
    one.has_round = false;
  }
  runs_.clear();
  writes_.clear();
}

Rounds::PerThread& Rounds::of(const Thread& thread) {
  if (__builtin_expect(threads_.size() <= thread.slot, 0)) threads_.resize(thread.slot + std::size_t{1});
  return threads_[thread.slot];
}

void Rounds::note_run(const Thread& thread) {
  ++switches_;
  if (!watched_.empty()) runs_.push_back({thread.slot, memory_.mark()});
}

// States.

void Rounds::add_live(const Thread& thread, const Frame& frame, State& state) {
  const Function& function = *frame.function;
  std::unique_ptr<Liveness>& liveness = liveness_[&function];
  if (!liveness) liveness = std::make_unique<Liveness>(function);
  const auto add = [&](const Instruction* where) {
    const auto number = static_cast<std::uint32_t>(where - function.code.data());
    if (number >= function.code.size()) return;
    for (const Slot slot : liveness->before(number)) state.push_back(frame.registers[slot]);
  };
  if (&frame == thread.top) return add(thread.where());
  // It stands behind a call or, if a handler of a signal runs above it, before any instruction.
  if (frame.next != function.code.data()) add(frame.next - 1);
  add(frame.next);
}

// False: it is too large.
bool Rounds::state_of(const Thread& thread, State& state) {
  state.clear();
  state.push_back(thread.phase);
  state.push_back(thread.left_out);
  state.push_back(static_cast<std::uint64_t>(thread.rounding));
  const auto add_kept = [&state](const std::uint64_t(&kept)[6]) {
    state.insert(state.end(), std::begin(kept), std::end(kept));
  };
  if (thread.phase > 1) add_kept(thread.kept);
  for (const Frame* frame = thread.bottom; frame <= thread.top; ++frame) {
    state.push_back(reinterpret_cast<std::uint64_t>(frame->next));
    state.push_back(frame->stack_pointer);
    if (frame->then == Then::call) {
      state.push_back(frame->phase);
      add_kept(frame->kept);
    }
    add_live(thread, *frame, state);
    if (state.size() > kStateMax) return false;
  }
  return true;
}

// Whether a word that the thread has written since the visit has another value than then.
bool Rounds::has_written(const Visit& visit, const Thread& thread) {
  overwritten_.clear();
  for (std::size_t i = visit.first_run; i < runs_.size(); ++i) {
    if (runs_[i].slot != thread.slot) continue;
    const Mark begin = i == visit.first_run ? visit.begin : runs_[i].begin;
    const Mark end = i + 1 < runs_.size() ? runs_[i + 1].begin : memory_.mark();
    memory_.each_overwritten(begin, end, [this](std::uint64_t address, std::uint64_t old) {
      if (!is_bookkeeping(address)) overwritten_.emplace_back(address, old);
    });
  }
  // Of each word, the value at first.
  std::stable_sort(overwritten_.begin(), overwritten_.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  const auto end = std::unique(overwritten_.begin(), overwritten_.end(),
                               [](const auto& one, const auto& other) { return one.first == other.first; });
  return std::any_of(overwritten_.begin(), end, [](const auto& word) {
    return at<std::uint64_t>(word.first) != word.second && is_live(word.first);
  });
}

void Rounds::take(Visit& visit, const PerThread& mine, const Thread& thread) {
  visit.has_state = state_of(thread, visit.state);
  visit.begin = memory_.mark();
  visit.first_run = runs_.empty() ? 0 : runs_.size() - 1;
  visit.first_read = mine.reads.size();
}

bool Rounds::repeats(const Visit& visit, const Thread& thread) {
  return visit.has_state && state_of(thread, taken_) && taken_ == visit.state && !has_written(visit, thread);
}

// Arrivals.

Rounds::Visit* Rounds::find(PerThread& mine, const Thread& thread) const {
  const auto end = mine.visits.begin() + static_cast<std::ptrdiff_t>(mine.visit_count);
  const auto found = std::find_if(mine.visits.begin(), end, [&thread](const Visit& visit) {
    return visit.code == thread.code && visit.frame == thread.top;
  });
  return found == end ? nullptr : &*found;
}

Rounds::Arrival Rounds::visit_first(PerThread& mine, const Thread& thread) {
  if (mine.visit_count == kVisitsMax) return Arrival::ordinary;
  if (mine.visits.size() == mine.visit_count) mine.visits.emplace_back();
  Visit& visit = mine.visits[mine.visit_count++];
  visit.code = thread.code;
  visit.frame = thread.top;
  visit.count = 1;
  visit.switches = switches_;
  visit.waits = mine.waits;
  visit.has_state = false;
  if (watched_.contains(thread.code)) take(visit, mine, thread);
  return Arrival::ordinary;
}

Rounds::Arrival Rounds::arrive(const Thread& thread) {
  PerThread& mine = of(thread);
  Visit* const visit = find(mine, thread);
  if (visit == nullptr) {
    if (mine.has_round && mine.visit_count < kVisitsMax) end_round(thread, mine);
    return visit_first(mine, thread);
  }
  if (visit->count == 1 && watched_.insert(thread.code).second) return Arrival::begin_again;
  ++visit->count;
  const bool was_alone = visit->switches == switches_ && visit->waits == mine.waits;
  visit->switches = switches_;
  visit->waits = mine.waits;
  if (!never_.contains(thread.code) && repeats(*visit, thread)) {
    mine.waits_for.assign(mine.reads.begin() + static_cast<std::ptrdiff_t>(visit->first_read),
                          mine.reads.end());
    mine.looked_at = mine.waits_for.empty() ? writes_.size() : mine.waits_for.front().writes_before;
    mine.was_released = mine.has_round = false;
    if (was_alone) see_present_values(mine);
    visit->first_read = mine.reads.size();
    return Arrival::spins;
  }
  if (std::has_single_bit(visit->count)) take(*visit, mine, thread);
  return Arrival::ordinary;
}

// No other thread ran in the round. If a value that was read has changed, the thread itself changed it, for a
// moment: the object lay in a frame that it has left, say.
void Rounds::see_present_values(PerThread& mine) {
  for (Read& read : mine.waits_for) {
    if (read.by_value) read.value = value_there(read.object, read.size);
  }
}

// What threads do.

void Rounds::note_read(const Thread& thread, std::optional<std::uint64_t> value) {
  PerThread& mine = of(thread);
  if (mine.reads.size() == kReadsMax) note_change(thread);
  if (thread.object == kClockObject) mine.depends_on_time = true;
  const bool by_value = by_value_ && value.has_value();
  mine.reads.push_back(
      {thread.object, std::max<std::uint32_t>(thread.size, 1), by_value, value.value_or(0), writes_.size()});
}

void Rounds::note_change(const Thread& thread) {
  PerThread& mine = of(thread);
  if (mine.has_round) end_round(thread, mine);
  mine.visit_count = 0;
  mine.reads.clear();
  mine.depends_on_time = false;
}

void Rounds::note_write(std::uint64_t object, std::uint32_t size) {
  writes_.push_back({object, std::max<std::uint32_t>(size, 1)});
}

// Waiting threads.

bool Rounds::released(const Thread& thread) const {
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

bool Rounds::reads_clock(const Thread& thread) const {
  const std::vector<Read>& reads = of(thread).waits_for;
  return std::any_of(reads.begin(), reads.end(),
                     [](const Read& read) { return read.object == kClockObject; });
}

void Rounds::add_watched(const Thread& thread, std::uint32_t event, std::vector<Watched>& watches) const {
  for (const Read& read : of(thread).waits_for) watches.push_back({event, read.size, read.object});
}

bool Rounds::give_another_round(const Thread& thread) {
  PerThread& mine = of(thread);
  if (mine.round_given_at == writes_.size()) return false;
  mine.round_given_at = writes_.size();
  mine.has_round = !released(thread);
  return true;
}

// The thread had a round, and does what it did in none of the loop's rounds.
void Rounds::end_round(const Thread& thread, PerThread& mine) {
  mine.has_round = false;
  if (released(thread)) return;
  went_on_unseen_ = true;
  for (std::size_t i = 0; i < mine.visit_count; ++i) never_.insert(mine.visits[i].code);
}

void Rounds::write_learned(ByteWriter& out) const {
  for (const auto* codes : {&watched_, &never_}) {
    out.put(static_cast<std::uint32_t>(codes->size()));
    for (const std::uint64_t code : *codes) out.put(code);
  }
}

void Rounds::add_learned(ByteReader& in) {
  for (auto* codes : {&watched_, &never_}) {
    for (std::uint32_t left = in.get_count(); left > 0 && in.ok(); --left)
      codes->insert(in.get<std::uint64_t>());
  }
}

}  // namespace thrum::vm

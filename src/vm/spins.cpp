// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting loops. A round of a loop is a spin if it came back to the same place with the same registers, has
// changed nothing, and has made no choice. Then the thread waits until something that it read is written,
// perhaps already (docs/semantics.md, "Loops, fairness, livelock"). The machine decides this by the state
// itself.
//
// A round begins where a thread comes back to the same visible operation; the registers of all its frames are
// compared when it comes there once more. What it has changed is seen in the undo log: a word that has its
// old value again was not changed. Dead registers count: a loop that is taken for an ordinary one for their
// sake only costs executions.
#include <algorithm>

#include "vm/machine.hpp"

namespace thrum::vm {

namespace {

// Operations that a waiting loop may consist of.
bool may_repeat(Operation operation) {
  switch (operation) {
    case Operation::load:
    case Operation::racy_load:
    case Operation::read_modify_write:
    case Operation::compare_exchange:
    case Operation::try_lock:
    case Operation::try_shared_lock:
    case Operation::semaphore_try_wait:
    case Operation::try_join:
    case Operation::clock_read:
    case Operation::futex_wait:
    case Operation::yield: return true;
    default: return false;
  }
}

constexpr std::uint32_t kArrivalsAtFirst = 8;

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  const auto product = static_cast<unsigned __int128>(hash ^ word ^ kOdd) * 0xd6e8feb86659fd93;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t registers_of(const Thread& thread) {
  std::uint64_t hash = 0;
  for (const Frame* frame = thread.bottom; frame <= thread.top; ++frame) {
    hash = mix(hash, reinterpret_cast<std::uint64_t>(frame->next));
    hash = mix(hash, frame->stack_pointer);
    for (std::uint32_t slot = 0; slot < frame->function->slots; ++slot)
      hash = mix(hash, frame->registers[slot]);
  }
  return hash;
}

}  // namespace

Machine::Round& Machine::change_round(const Thread& thread) {
  Round& round = round_of(thread);
  if (rounds_touched_[thread.slot] != marks_) {
    rounds_touched_[thread.slot] = marks_;
    memory.note(reinterpret_cast<std::uint64_t>(&round), sizeof round);
  }
  return round;
}

// Whether the word belongs to the machine's own bookkeeping, which changes whatever a thread does.
static bool is_bookkeeping(std::uint64_t address) {
  if (address >= kFrames) return true;  // frames; the shadow
  constexpr std::uint64_t kPart = std::uint64_t{1} << 32;
  if (address < kMachine) return false;
  // The heap's books, the course, lists and records of threads, and rounds; the rest is the program's.
  const std::uint64_t part = (address - kMachine) / kPart;
  return part <= 4 || part == 7;
}

// Whether the thread, which has run since resumed_, has changed memory in that time.
bool Machine::has_written() const {
  return memory.any_since(resumed_, [](std::uint64_t address, std::uint64_t old) {
    if (is_bookkeeping(address) || at<std::uint64_t>(address) == old) return false;
    const bool is_stack =
        address - kThreads < kThreadSlots * kThreadSize && (address - kThreads) % kThreadSize < kStackEnd;
    // On a stack, what belongs to frames that are gone does not count.
    return !is_stack || (shadow_at<std::uint64_t>(address) & repeated<std::uint64_t>(kAddressable)) != 0;
  });
}

// The thread stops here, whatever for: what it has written since it began to run belongs to its round.
void Machine::note_own_writes(const Thread& me) {
  const Round& round = round_of(me);
  if (round.has_registers && !round.changed && has_written()) change_round(me).changed = true;
}

// Whether the thread comes back to its pending operation by a round that was a spin.
bool Machine::comes_to_spin(Thread& me) {
  if (!may_repeat(me.operation)) return false;
  Round& round = change_round(me);
  const auto begin = [&round, &me](bool knows_registers) {
    round.code = me.code;
    round.arrivals = 0;
    round.has_registers = knows_registers;
    round.changed = round.released = false;
    round.watches = 0;
  };
  if (round.code != me.code) {
    if (round.code == 0 || ++round.arrivals > round.limit) {
      round.limit = round.code == 0 ? kArrivalsAtFirst : round.limit * 2;
      begin(false);
    }
    return false;
  }
  const bool was_known = round.has_registers;
  const std::uint64_t registers = registers_of(me);
  if (was_known && !round.changed && round.registers == registers) return true;
  begin(true);
  round.registers = registers;
  return false;
}

// The thread stands before its next round, or has begun one: what the last one read does not matter any more.
void Machine::begin_round(Thread& me) {
  Round& round = change_round(me);
  round.changed = round.released = false;
  round.watches = 0;
}

void Machine::note_round_read(const Thread& me) {
  if (round_of(me).code == 0) return;
  Round& round = change_round(me);
  if (!round.has_registers || round.changed) return;
  const Watch watch{me.object, std::max<std::uint32_t>(me.size, 1)};
  Watch* const end = round.watched + round.watches;
  const bool known = std::any_of(round.watched, end, [&watch](const Watch& other) {
    return other.object == watch.object && other.size == watch.size;
  });
  if (known) return;
  if (round.watches == Round::kWatches) {
    round.changed = true;  // an ordinary loop
  } else {
    round.watched[round.watches++] = watch;
  }
}

void Machine::note_round_change(const Thread& me) {
  if (round_of(me).code != 0) change_round(me).changed = true;
}

// Somebody has written these bytes: who has read them in a round need not wait for them.
void Machine::note_written(std::uint64_t object, std::uint32_t size) {
  const std::uint64_t end = object + std::max<std::uint32_t>(size, 1);
  for (std::uint16_t slot : live()) {
    const Round& round = round_of(thread(slot));
    if (round.watches == 0 || round.released) continue;
    const Watch* const last = round.watched + round.watches;
    const bool hit = std::any_of(round.watched, last, [object, end](const Watch& watch) {
      return watch.object < end && object < watch.object + watch.size;
    });
    if (hit) change_round(thread(slot)).released = true;
  }
}

void Machine::note_watches(const Thread& me) {
  const Round& round = round_of(me);
  const auto event = static_cast<std::uint32_t>(trace->events.size());
  for (std::uint32_t i = 0; i < round.watches; ++i)
    trace->watches.push_back({event, round.watched[i].size, round.watched[i].object});
}

// No thread is enabled and no wait has a deadline. If a loop reads the clock, time passes, more of it each
// time.
bool Machine::advance_for_spinners() {
  constexpr std::uint64_t kShortest = 1'000;
  constexpr std::uint64_t kLongest = std::uint64_t{100} * 365 * 86'400 * 1'000'000'000;
  const bool reads_clock = std::any_of(live().begin(), live().end(), [](std::uint16_t slot) {
    const Round& round = round_of(thread(slot));
    return thread(slot).wait == Wait::spin &&
           std::any_of(round.watched, round.watched + round.watches,
                       [](const Watch& watch) { return watch.object == kClockObject; });
  });
  Course& all = change_course();
  if (!reads_clock || all.clock_jump_ns > kLongest) return false;
  all.clock_jump_ns = std::max(kShortest, all.clock_jump_ns * 2);
  advance_clock(all.now_ns + all.clock_jump_ns);
  return true;
}

void Machine::advance_clock(std::uint64_t to_ns) {
  Course& all = change_course();
  if (all.now_ns >= to_ns) return;
  all.now_ns = to_ns;
  note_written(kClockObject, 1);
}

}  // namespace thrum::vm

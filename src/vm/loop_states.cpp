// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/loop_states.hpp"

#include <algorithm>
#include <utility>

namespace thrum::vm {

void LoopStates::begin(bool is_needed) {
  is_needed_ = is_needed;
  runs_.clear();
}

// Registers.

void LoopStates::add_live(const Thread& thread, const Frame& frame, Registers& registers) {
  const Function& function = *frame.function;
  std::unique_ptr<Liveness>& liveness = liveness_[&function];
  if (!liveness) liveness = std::make_unique<Liveness>(function);
  const auto add = [&](const Instruction* where) {
    const auto number = static_cast<std::uint32_t>(where - function.code.data());
    if (number >= function.code.size()) return;
    for (const Slot slot : liveness->before(number)) registers.push_back(frame.registers[slot]);
  };
  if (&frame == thread.top) return add(thread.where());
  // It stands behind a call or, if a handler of a signal runs above it, before any instruction.
  if (frame.next != function.code.data()) add(frame.next - 1);
  add(frame.next);
}

bool LoopStates::take(const Thread& thread, Registers& registers, std::size_t most) {
  registers.clear();
  registers.push_back(thread.phase);
  registers.push_back(thread.left_out);
  registers.push_back(static_cast<std::uint64_t>(thread.rounding));
  const auto add_kept = [&registers](const std::uint64_t(&kept)[6]) {
    registers.insert(registers.end(), std::begin(kept), std::end(kept));
  };
  if (thread.phase > 1) add_kept(thread.kept);
  for (const Frame* frame = thread.bottom; frame <= thread.top; ++frame) {
    registers.push_back(reinterpret_cast<std::uint64_t>(frame->next));
    registers.push_back(frame->stack_pointer);
    if (frame->then == Then::call) {
      registers.push_back(frame->phase);
      add_kept(frame->kept);
    }
    add_live(thread, *frame, registers);
    if (registers.size() > most) return false;
  }
  return true;
}

bool LoopStates::are_those_of(const Thread& thread, const Registers& registers) {
  return take(thread, taken_) && taken_ == registers;
}

// Memory.

// Whether the word is a part of the program's state that is in use.
bool LoopStates::counts(std::uint64_t address) const {
  if (address >= kFrames) return is_mapping(address);  // else frames, or the shadow
  if (address >= kMachine) {
    // The heap's books come first; then the course, lists and records of threads, which change whatever a
    // thread does.
    constexpr std::uint64_t kPart = std::uint64_t{1} << 32;
    const std::uint64_t part = (address - kMachine) / kPart;
    const bool is_counted = part <= 4 || part == 9 || part == 10;
    return part == 0 ? !heap_.is_counter(address) : !is_counted;
  }
  const bool is_heap = address - kHeap < std::uint64_t{kHeapRegions} * kHeapRegion;
  const bool is_stack =
      address - kThreads < kThreadSlots * kThreadSize && (address - kThreads) % kThreadSize < kStackEnd;
  return !(is_heap || is_stack) || (is_heap && heap_.is_link(address)) ||
         (shadow_at<std::uint64_t>(address) & repeated<std::uint64_t>(kAddressable)) != 0;
}

bool LoopStates::has_any_changed_memory(Mark since) {
  overwritten_.clear();
  memory_.each_overwritten(since, memory_.mark(), [this](std::uint64_t address, std::uint64_t old) {
    if (counts(address)) overwritten_.push_back({address, old, true});
  });
  std::stable_sort(
      overwritten_.begin(), overwritten_.end(),
      [](const Overwritten& one, const Overwritten& other) { return one.address < other.address; });
  std::uint64_t last = 0;
  return std::any_of(overwritten_.begin(), overwritten_.end(), [&last](const Overwritten& word) {
    return std::exchange(last, word.address) != word.address && at<std::uint64_t>(word.address) != word.old;
  });
}

bool LoopStates::has_changed_memory(const Thread& thread, const Moment& since) {
  overwritten_.clear();
  for (std::size_t i = since.run; i < runs_.size(); ++i) {
    const Mark begin = i == since.run ? since.mark : runs_[i].begin;
    const Mark end = i + 1 < runs_.size() ? runs_[i + 1].begin : memory_.mark();
    const bool by_thread = runs_[i].slot == thread.slot;
    memory_.each_overwritten(begin, end, [this, by_thread](std::uint64_t address, std::uint64_t old) {
      if (counts(address)) overwritten_.push_back({address, old, by_thread});
    });
  }
  std::stable_sort(
      overwritten_.begin(), overwritten_.end(),
      [](const Overwritten& one, const Overwritten& other) { return one.address < other.address; });
  // Of each word: what it held before the thread's first write and behind its last one.
  for (auto word = overwritten_.begin(); word != overwritten_.end();) {
    const std::uint64_t address = word->address;
    const Overwritten* first = nullptr;
    std::uint64_t after = 0;
    for (; word != overwritten_.end() && word->address == address; ++word) {
      if (!word->by_thread) continue;
      if (first == nullptr) first = &*word;
      const auto next = word + 1;
      after = next != overwritten_.end() && next->address == address ? next->old : at<std::uint64_t>(address);
    }
    if (first != nullptr && first->old != after) return true;
  }
  return false;
}

}  // namespace thrum::vm

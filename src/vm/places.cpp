// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of addresses that mean the same in each execution, and what a trace tells of them.
//
// Code and variables are places of one module, whose offsets count from the arena's begin.
#include <algorithm>

#include "vm/machine.hpp"

namespace thrum::vm {

namespace {

constexpr std::uint64_t kFirstAddress = 4096;  // below, it is a null pointer with an offset
constexpr std::size_t kDepthMax = 64;

Place module_place(std::uint64_t address) { return {Place::Space::module, 0, 0, address - kArena}; }

bool is_global(std::uint64_t address) { return address - kGlobals < kGlobalsSize; }

std::optional<Place> place_in_stack(const Thread& owner, std::uint64_t address) {
  if (address >= owner.stack_end() || address < owner.stack_limit()) return std::nullopt;
  return Place{Place::Space::stack, owner.id, 0, owner.stack_end() - address};
}

// Behind the instruction at which the frame is.
std::uint64_t return_address(const Frame& frame, const Instruction* behind) {
  return code_address(frame.function->number,
                      static_cast<std::uint64_t>(behind - frame.function->code.data()));
}

}  // namespace

Place Machine::place_of(std::uint64_t address) {
  if (address < kFirstAddress || !in_arena(address)) return {};
  if (const std::optional<Heap::Block> block = heap.find(address); block && address >= block->begin)
    return {Place::Space::heap, block->thread, block->number, address - block->begin};
  if (address - kThreads < kThreadSlots * kThreadSize) {
    const auto slot = static_cast<std::uint32_t>((address - kThreads) / kThreadSize);
    if (slot >= course().slots_used) return {};
    const Thread& owner = thread(slot);
    if (const std::optional<Place> place = place_in_stack(owner, address)) return *place;
    if (address < owner.local_storage()) return {};
    named_data_.insert(address);
    return module_place(address);
  }
  if (is_code(address)) {
    if (function_at(address) >= code.functions.size()) return {};
    named_code_.insert(address);
    return module_place(address);
  }
  if (!is_global(address)) return {};
  for (const std::uint16_t slot : live()) {
    const Thread& owner = thread(slot);  // its stack may be a variable of the program's
    if (owner.own_stack_end == 0) continue;
    if (const std::optional<Place> place = place_in_stack(owner, address)) return *place;
  }
  named_data_.insert(address);
  return module_place(address);
}

// Behind the instruction at which the frame is: a call, or one at which a signal has interrupted it.
const Instruction* Machine::behind(const Thread& of, const Frame* frame) const {
  if (frame == of.top) return of.where() + 1;
  return is_calling(of, frame) ? frame->next : frame->next + 1;
}

void Machine::note_exit(const Thread& thread) {
  if (records_places()) exit_stacks_[thread.slot] = stack_of(thread);
}

std::vector<Place> Machine::stack_of(const Thread& thread) {
  std::vector<Place> places;
  if (const auto exited = exit_stacks_.find(thread.slot);
      thread.top < thread.bottom && exited != exit_stacks_.end())
    return exited->second;
  for (const Frame* frame = thread.top; frame >= thread.bottom && places.size() < kDepthMax; --frame) {
    places.push_back(place_of(return_address(*frame, behind(thread, frame))));
  }
  return places;
}

// Before the first choice there may be millions, at few places: each stack is kept once.
std::uint32_t Machine::early_stack() {
  const Thread& me = current();
  std::uint64_t hash = 0;
  std::vector<std::uint64_t> stack;
  stack.reserve(kDepthMax);
  for (const Frame* frame = me.top; frame >= me.bottom && stack.size() < kDepthMax; --frame) {
    stack.push_back(return_address(*frame, behind(me, frame)));
    hash = (hash ^ stack.back()) * 0x9e37'79b9'7f4a'7c15;
  }
  const auto [known, is_new] = early_stack_numbers_.emplace(hash, early_stacks_.size());
  if (is_new) early_stacks_.push_back(std::move(stack));
  return static_cast<std::uint32_t>(known->second);
}

void Machine::note_allocation(std::uint64_t block, std::uint64_t size) {
  if (block == 0 || (!records_places() && !leaks.notes_allocations())) return;
  const Heap::Block made = heap.block_at(block);
  if (in_execution) {
    allocations_[{made.thread, made.number}] = {size, running_stack()};
  } else {
    early_allocations_.resize(std::max<std::size_t>(early_allocations_.size(), made.number));
    early_allocations_[made.number - 1] = {size, early_stack()};
  }
}

std::vector<Place> Machine::allocation_stack(ThreadId thread, std::uint32_t number) {
  const auto found = allocations_.find({thread, number});
  if (found != allocations_.end()) return found->second.stack;
  std::vector<Place> stack;
  if (thread == kMainThread && number - 1 < early_allocations_.size()) {
    const EarlyAllocation& early = early_allocations_[number - 1];
    for (std::uint64_t address : early_stacks_[early.stack]) stack.push_back(place_of(address));
  }
  return stack;
}

void Machine::note_block(const Heap::Block& block) {
  std::vector<HeapBlock>& blocks = trace->details.blocks;
  const bool is_known = std::any_of(blocks.begin(), blocks.end(), [&](const HeapBlock& known) {
    return known.thread == block.thread && known.number == block.number;
  });
  if (is_known) return;
  HeapBlock noted{block.thread, block.number, 0, {}};
  const auto found = allocations_.find({block.thread, block.number});
  if (found != allocations_.end()) {
    noted.size = found->second.size;
    noted.allocated = found->second.stack;
  } else if (block.thread == kMainThread && block.number - 1 < early_allocations_.size()) {
    const EarlyAllocation& early = early_allocations_[block.number - 1];
    noted.size = early.size;
    for (std::uint64_t address : early_stacks_[early.stack]) noted.allocated.push_back(place_of(address));
  }
  blocks.push_back(std::move(noted));
}

// The number, counted from 1 in the trace, of the frame that holds an address of the thread's stack; 0: none
// does.
std::uint32_t Machine::frame_number(const Thread& of, std::uint64_t address) {
  for (const Frame* frame = of.top; frame >= of.bottom; --frame) {
    if (address < frame->stack_pointer || address >= frame->stack_begin) continue;
    const std::uint64_t end = of.stack_end();
    const StackFrame own{place_of(return_address(*frame, behind(of, frame))), end - frame->stack_pointer,
                         end - frame->stack_begin, end - frame->stack_begin};
    for (const Function::Local& local : frame->function->locals) {
      const std::uint64_t begin = frame->registers[local.address];
      if (address < begin || address - begin >= local.size) continue;
      const std::uint64_t function = code_address(frame->function->number) - kArena;
      const std::uint64_t distance = frame->stack_begin - begin;
      named_locals_[{function, distance}] = {function, distance, local.size, local.of, local.name};
    }
    std::vector<StackFrame>& frames = trace->details.frames;
    auto known = std::find(frames.begin(), frames.end(), own);
    if (known == frames.end()) known = frames.insert(frames.end(), own);
    return static_cast<std::uint32_t>(known - frames.begin()) + 1;
  }
  return 0;
}

Place Machine::described_place(std::uint64_t address) {
  Place place = place_of(address);
  if (place.space == Place::Space::heap) note_block(*heap.find(address));
  if (place.space != Place::Space::stack) return place;
  for (std::uint32_t slot = 0; slot < course().slots_used; ++slot) {
    if (thread(slot).id == place.owner) place.number = frame_number(thread(slot), address);
  }
  return place;
}

// Failures.

void Machine::note_failure_places() {
  Details& details = trace->details;
  const Failure& failure = trace->failure;
  details.output = output;
  for (const MemoryAccess& access : failure.accesses) {
    const bool is_earlier = &access != &failure.accesses.back() && recognised_;
    details.access_places.push_back(
        is_earlier ? recognised_places_
                   : EventPlaces{described_place(access.address), {}, {}, running_stack()});
  }
  if (failure.waiters.empty() && failure.kind != BugKind::leak) details.failure_stack = running_stack();
  for (const Waiter& waiter : failure.waiters) {
    for (const std::uint16_t slot : live()) {
      if (thread(slot).id == waiter.thread)
        details.waiter_places.push_back({described_place(waiter.object), {}, {}, stack_of(thread(slot))});
    }
  }
  note_others();
}

void Machine::note_others() {
  const Failure& failure = trace->failure;
  for (const std::uint16_t slot : live()) {
    const Thread& one = thread(slot);
    const bool is_told_of = one.id == failure.thread ||
                            std::any_of(failure.waiters.begin(), failure.waiters.end(),
                                        [&](const Waiter& waiter) { return waiter.thread == one.id; });
    const bool stands = one.life == Life::standing || one.wait == Wait::join;
    if (is_told_of || one.is_timer || !stands) continue;
    trace->details.others.push_back(waiter(one));
    trace->details.other_places.push_back({described_place(one.object), {}, {}, stack_of(one)});
  }
}

// Names.

std::vector<CodeLine> Machine::lines_of(std::uint64_t address) const {
  const Function& function = *code.functions[function_at(address)];
  const std::uint64_t number = address - code_address(function.number);
  std::vector<CodeLine> lines;
  if (!function.is_quiet && number != 0 && number <= function.locations.size()) {
    for (std::uint32_t at = function.locations[number - 1]; at != SourceLocation::kNone && at != 0;
         at = code.locations[at].inlined_at) {
      const SourceLocation& location = code.locations[at];
      lines.push_back({code.texts[location.function], code.texts[location.file], location.line});
    }
  }
  if (lines.empty()) lines.push_back({function.name, "", 0});
  return lines;
}

ProgramNames Machine::program_names() {
  ProgramNames all;
  for (const std::uint64_t address : named_code_) {
    Function& function = *code.functions[function_at(address)];
    if (function.is_defined && !function.is_decoded) decode(function);  // another process has run it
    all.code.push_back({address - kArena, lines_of(address)});
  }
  for (const std::uint64_t address : named_data_) {
    const bool is_local = !is_global(address);
    const std::uint64_t part = is_local ? (address - kLocalStorage) % kThreadSize : address;
    const std::uint64_t base = address - part;
    for (const Variable& variable : code.variables) {
      if (variable.is_thread_local != is_local || part < variable.address ||
          part - variable.address >= std::max<std::uint64_t>(variable.size, 1))
        continue;
      const std::uint64_t offset = base + variable.address - kArena;
      if (all.data.empty() || all.data.back().offset != offset)
        all.data.push_back({offset, variable.size, variable.name});
    }
  }
  for (const auto& [key, local] : named_locals_) all.locals.push_back(local);
  return all;
}

}  // namespace thrum::vm

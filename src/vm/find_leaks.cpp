// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/leaks.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "support/hash.hpp"
#include "vm/library.hpp"
#include "vm/machine.hpp"

namespace thrum::vm {

namespace {

constexpr std::uint64_t kLastNumber = ~std::uint64_t{0};
constexpr std::size_t kLeakDepth = 16;  // of the stacks by which leaks are told apart
constexpr std::uint64_t kLeakWord = sizeof(std::uint64_t);

}  // namespace

struct LeakSearch::Row {
  Request what;
  ThreadId thread;
  std::uint64_t begin;  // disable and enable: how many blocks the thread has allocated
  std::uint64_t size;
};

LeakSearch::Row& LeakSearch::row(std::uint32_t number) {
  return at<Row>(kMachine + (std::uint64_t{8} << 32) + number * sizeof(Row));
}

void LeakSearch::begin_program() {
  before_ = machine_.heap.allocated(0);
  live_before_ = machine_.heap.live_blocks(1);
}

void LeakSearch::begin_plan(const Plan* plan) {
  plan_ = plan;
  notes_ = wants_again_ = false;
}

void LeakSearch::begin_again() {
  notes_ = true;
  wants_again_ = false;
}

std::optional<Plan> LeakSearch::take_suspect() {
  return clean_ ? std::exchange(suspect_, std::nullopt) : std::nullopt;
}

// Requests of the program.

void LeakSearch::request(Request what, std::uint64_t begin, std::uint64_t size) {
  const Thread& me = machine_.current();
  Row& next = row(machine_.change_course().leak_requests++);
  machine_.memory.note(reinterpret_cast<std::uint64_t>(&next), sizeof next);
  const bool is_of_thread = what == Request::disable || what == Request::enable;
  next = {what, me.id, is_of_thread ? machine_.heap.allocated(me.slot) : begin, size};
}

void LeakSearch::ignore_so_far() {
  Course& all = machine_.change_course();
  all.live_before_part = machine_.heap.live_blocks(all.slots_used);
  for (std::uint32_t slot = 0; slot < all.slots_used; ++slot) {
    Row& next = row(all.leak_requests++);
    machine_.memory.note(reinterpret_cast<std::uint64_t>(&next), sizeof next);
    next = {Request::so_far, Machine::thread(slot).id, machine_.heap.allocated(slot), 0};
  }
}

void LeakSearch::take_requests() {
  ignored_.clear();
  roots_.clear();
  struct Disabled {
    std::uint32_t depth = 0;
    std::size_t range = 0;  // in ignored_
  };
  std::map<ThreadId, Disabled> disabled;
  for (std::uint32_t number = 0; number < Machine::course().leak_requests; ++number) {
    const Row& one = row(number);
    const Range range{one.begin, one.begin + one.size};
    Disabled& mine = disabled[one.thread];
    switch (one.what) {
      case Request::disable:
        if (mine.depth++ != 0) break;
        mine.range = ignored_.size();
        ignored_.push_back({one.thread, one.begin + 1, kLastNumber});
        break;
      case Request::enable:
        if (mine.depth != 0 && --mine.depth == 0) ignored_[mine.range].last = one.begin;
        break;
      case Request::ignore:
        if (const std::optional<Heap::Block> block = machine_.heap.find(one.begin); block && block->is_live)
          ignored_.push_back({block->thread, block->number, block->number});
        break;
      case Request::so_far: ignored_.push_back({one.thread, 1, one.begin}); break;
      case Request::add_root: roots_.push_back(range); break;
      case Request::remove_root: {
        const auto known = std::find_if(roots_.begin(), roots_.end(), [&](const Range& root) {
          return root.begin == range.begin && root.end == range.end;
        });
        if (known != roots_.end()) roots_.erase(known);
        break;
      }
    }
  }
}

// Marking.

void LeakSearch::collect() {
  std::vector<LiveBlock> blocks;
  for (std::uint32_t region = 0; region < Machine::course().slots_used; ++region) {
    machine_.heap.for_each_live(region, [&](const Heap::Block& block) {
      if (block.thread != kMainThread || block.number > before_)
        blocks.push_back({block.begin, block.size, block.thread, block.number});
    });
  }
  marks_.begin(std::move(blocks));
}

void LeakSearch::mark(std::uint64_t begin, std::uint64_t end) {
  marks_.mark({reinterpret_cast<const char*>(begin), end - begin});
}

void LeakSearch::mark_roots() {
  marks_.mark(ignored_);
  for (const Variable& variable : machine_.code.variables) {
    if (!variable.is_thread_local && !variable.is_constant)
      mark(variable.address, variable.address + variable.size);
  }
  machine_.heap.for_each_live(0, [&](const Heap::Block& block) {
    if (block.thread == kMainThread && block.number <= before_) mark(block.begin, block.begin + block.size);
  });
  for (const Range& root : roots_) {
    if (in_arena(root.begin, root.end - root.begin)) mark(root.begin, root.end);
  }
  mark_threads();
  mark_mappings();
  std::vector<std::uint64_t> held;
  Machine::add_held(held);
  Machine::add_held_semaphores(held);
  for (const std::uint64_t value : held) marks_.mark_value(value);
}

void LeakSearch::mark_threads() {
  for (std::uint32_t slot = 0; slot < Machine::course().slots_used; ++slot) {
    const Thread& thread = Machine::thread(slot);
    if (thread.life == Life::ended) {
      if (!thread.released) marks_.mark_value(thread.result);
      continue;
    }
    if (thread.own_stack_end != 0) marks_.mark_value(thread.own_stack_end - 1);
    if (thread.top >= thread.bottom) mark(thread.top->stack_pointer, thread.stack_end());
    for (const Frame* frame = thread.bottom; frame <= thread.top; ++frame) {
      for (std::uint32_t number = 0; number < frame->function->slots; ++number)
        marks_.mark_value(frame->registers[number]);
      for (const std::uint64_t value : frame->kept) marks_.mark_value(value);
    }
    for (const std::uint64_t value : thread.kept) marks_.mark_value(value);
    const std::uint64_t storage = thread.local_storage();
    mark(storage, storage + machine_.code.thread_local_content.size());
    std::vector<std::uint64_t> held;
    Machine::add_held_for(thread, held);
    for (const std::uint64_t value : held) marks_.mark_value(value);
  }
}

void LeakSearch::mark_mappings() {
  for (std::uint32_t slot = 0; slot < Machine::course().slots_used; ++slot) {
    const std::uint64_t window = kMappings + slot * kMappingWindow;
    const std::uint64_t used = at<std::uint64_t>(state_place(LibraryState::mappings) + slot * kLeakWord);
    if (used > window) mark(window, used);
  }
}

// Results.

// The return addresses of the call that allocated it, as offsets of places.
std::vector<std::uint64_t> LeakSearch::codes_of(const LiveBlock& block) {
  std::vector<std::uint64_t> codes;
  for (const Place& place : machine_.allocation_stack(block.thread, block.number)) {
    if (codes.size() < kLeakDepth) codes.push_back(place.offset);
  }
  return codes;
}

bool LeakSearch::freed_all() const {
  const Course& all = Machine::course();
  return machine_.heap.live_blocks(all.slots_used) <= std::max(live_before_, all.live_before_part);
}

// Whether lost blocks have to be searched for.
bool LeakSearch::is_wanted() {
  if (machine_.settings.leaks) return !freed_all();
  std::optional<Plan>& known = freed_all() ? clean_ : suspect_;
  if (plan_ != nullptr && !known) known = *plan_;
  return !freed_all() && clean_;
}

LeakMarks::Lost LeakSearch::look() {
  collect();
  take_requests();
  mark_roots();
  marks_.follow();
  return marks_.lost();
}

// Where blocks were allocated is not known: leaks are told apart by how much is lost.
void LeakSearch::look_in_states() {
  end_of_states = {};
  end_of_states.freed_all = freed_all();
  if (end_of_states.freed_all) return;
  const LeakMarks::Lost lost = look();
  if (lost.blocks == 0) return;
  end_of_states.lost = {
      BugKind::leak, lost_text(lost), machine_.current().id, mixed(lost.blocks, lost.bytes), {}};
}

bool LeakSearch::find() {
  if (Machine::course().passes_over) return false;
  if (machine_.settings.visits_states) {
    look_in_states();
    return false;
  }
  if (!is_wanted()) return false;
  const LeakMarks::Lost lost = look();
  if (lost.blocks == 0) return false;
  if (!notes_ && !machine_.director.records_places()) {
    wants_again_ = true;
    machine_.finish(End::finished);
    return true;
  }
  const std::vector<LeakMarks::Group> groups =
      marks_.groups([this](const LiveBlock& block) { return codes_of(block); });
  if (machine_.director.records_places()) {
    for (const LeakMarks::Group& group : groups) {
      LostBlocks& told = machine_.trace->details.lost.emplace_back(group.blocks);
      for (const std::uint64_t offset : group.codes)
        told.stack.push_back({Place::Space::module, 0, 0, offset});
    }
  }
  machine_.fail({BugKind::leak, lost_text(lost), machine_.current().id, LeakMarks::identity(groups), {}});
  return true;
}

}  // namespace thrum::vm

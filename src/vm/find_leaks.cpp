// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/leaks.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "support/digest.hpp"
#include "vm/library.hpp"
#include "vm/machine.hpp"

namespace thrum::vm {

namespace {

constexpr std::size_t kNoBlock = ~std::size_t{0};
constexpr std::uint64_t kLastNumber = ~std::uint64_t{0};
constexpr std::size_t kLeakDepth = 16;  // of the stacks by which leaks are told apart
constexpr std::uint64_t kLeakWord = sizeof(std::uint64_t);

std::string lost_text(std::uint64_t blocks, std::uint64_t bytes) {
  return std::to_string(blocks) + (blocks == 1 ? " block" : " blocks") + " of the heap (" +
         std::to_string(bytes) + (bytes == 1 ? " byte)" : " bytes)") + (blocks == 1 ? " is" : " are") +
         " lost: nothing points to " + (blocks == 1 ? "it" : "them") + " when the execution ends";
}

bool holds(const Heap::Block& block, std::uint64_t address) {
  return address - block.begin < std::max<std::uint64_t>(block.size, 1);
}

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
        if (const std::optional<Block> block = machine_.heap.find(one.begin); block && block->is_live)
          ignored_.push_back({block->thread, block->number, block->number});
        break;
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

bool LeakSearch::is_ignored(const Block& block) const {
  return std::any_of(ignored_.begin(), ignored_.end(), [&](const Ignored& range) {
    return range.thread == block.thread && range.first <= block.number && block.number <= range.last;
  });
}

// Marking.

void LeakSearch::collect() {
  blocks_.clear();
  for (std::uint32_t region = 0; region < Machine::course().slots_used; ++region) {
    machine_.heap.for_each_live(region, [&](const Block& block) {
      if (block.thread != kMainThread || block.number > before_) blocks_.push_back(block);
    });
  }
  marks_.assign(blocks_.size(), Mark::none);
}

std::size_t LeakSearch::index_of(std::uint64_t value) const {
  constexpr std::uint64_t kAddressBits = (std::uint64_t{1} << 48) - 1;
  value &= kAddressBits;
  if (value - kHeap >= std::uint64_t{kHeapRegions} * kHeapRegion) return kNoBlock;
  const auto after =
      std::upper_bound(blocks_.begin(), blocks_.end(), value,
                       [](std::uint64_t place, const Block& block) { return place < block.begin; });
  if (after == blocks_.begin() || !holds(*(after - 1), value)) return kNoBlock;
  return static_cast<std::size_t>(after - 1 - blocks_.begin());
}

// Calls found(index) for each pointer to a block. Pages that were never touched hold none.
template <typename Found>
void LeakSearch::scan(Range range, Found found) {
  constexpr std::uint64_t kPage = 4096;
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 20;
  const bool is_large = range.end - range.begin >= kLarge;
  std::uint64_t place = (range.begin + kLeakWord - 1) / kLeakWord * kLeakWord;
  while (place + kLeakWord <= range.end) {
    const std::uint64_t page_end = (place / kPage + 1) * kPage;
    if (is_large) {
      unsigned char is_resident = 1;
      const bool is_known = mincore(reinterpret_cast<void*>(page_end - kPage), kPage, &is_resident) == 0;
      if (is_known && (is_resident & 1) == 0) {
        place = page_end;
        continue;
      }
    }
    for (; place < page_end && place + kLeakWord <= range.end; place += kLeakWord) {
      if (const std::size_t index = index_of(at<std::uint64_t>(place)); index != kNoBlock) found(index);
    }
  }
}

void LeakSearch::mark(Range range) {
  scan(range, [&](std::size_t index) {
    if (marks_[index] != Mark::none) return;
    marks_[index] = Mark::reached;
    to_scan_.push_back(index);
  });
}

void LeakSearch::mark_value(std::uint64_t value) {
  const std::size_t index = index_of(value);
  if (index == kNoBlock || marks_[index] != Mark::none) return;
  marks_[index] = Mark::reached;
  to_scan_.push_back(index);
}

void LeakSearch::mark_roots() {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (!is_ignored(blocks_[i])) continue;
    marks_[i] = Mark::reached;
    to_scan_.push_back(i);
  }
  for (const Variable& variable : machine_.code.variables) {
    if (!variable.is_thread_local && !variable.is_constant)
      mark({variable.address, variable.address + variable.size});
  }
  machine_.heap.for_each_live(0, [&](const Block& block) {
    if (block.thread == kMainThread && block.number <= before_) mark({block.begin, block.begin + block.size});
  });
  for (const Range& root : roots_) {
    if (in_arena(root.begin, root.end - root.begin)) mark(root);
  }
  mark_threads();
  mark_mappings();
  std::vector<std::uint64_t> held;
  Machine::add_held(held);
  Machine::add_held_semaphores(held);
  for (const std::uint64_t value : held) mark_value(value);
}

void LeakSearch::mark_threads() {
  for (std::uint32_t slot = 0; slot < Machine::course().slots_used; ++slot) {
    const Thread& thread = Machine::thread(slot);
    if (thread.life == Life::ended) {
      if (!thread.released) mark_value(thread.result);
      continue;
    }
    if (thread.own_stack_end != 0) mark_value(thread.own_stack_end - 1);
    if (thread.top >= thread.bottom) mark({thread.top->stack_pointer, thread.stack_end()});
    for (const Frame* frame = thread.bottom; frame <= thread.top; ++frame) {
      for (std::uint32_t number = 0; number < frame->function->slots; ++number)
        mark_value(frame->registers[number]);
      for (const std::uint64_t value : frame->kept) mark_value(value);
    }
    for (const std::uint64_t value : thread.kept) mark_value(value);
    const std::uint64_t storage = thread.local_storage();
    mark({storage, storage + machine_.code.thread_local_content.size()});
    std::vector<std::uint64_t> held;
    Machine::add_held_for(thread, held);
    for (const std::uint64_t value : held) mark_value(value);
  }
}

void LeakSearch::mark_mappings() {
  for (std::uint32_t slot = 0; slot < Machine::course().slots_used; ++slot) {
    const std::uint64_t window = kMappings + slot * kMappingWindow;
    const std::uint64_t used = at<std::uint64_t>(state_place(LibraryState::mappings) + slot * kLeakWord);
    if (used > window) mark({window, used});
  }
}

void LeakSearch::flood(Mark as) {
  while (!to_scan_.empty()) {
    const Block& block = blocks_[to_scan_.back()];
    to_scan_.pop_back();
    scan({block.begin, block.begin + block.size}, [&](std::size_t index) {
      if (marks_[index] == Mark::reached || marks_[index] == as) return;
      marks_[index] = as;
      to_scan_.push_back(index);
    });
  }
}

// Finds the lost blocks that other lost blocks point to. In a cycle these are all but the first block.
void LeakSearch::find_owners() {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (marks_[i] == Mark::reached) continue;
    scan({blocks_[i].begin, blocks_[i].begin + blocks_[i].size}, [&](std::size_t index) {
      if (index != i && marks_[index] == Mark::none) marks_[index] = Mark::pointed_to;
    });
  }
  for (const Mark owner : {Mark::none, Mark::pointed_to}) {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (marks_[i] != owner) continue;
      to_scan_.push_back(i);
      flood(Mark::lost_with_another);
      marks_[i] = Mark::none;
    }
  }
}

// Results.

// identity: a digest of the places where those blocks were allocated that no other block points to.
std::vector<LostBlocks> LeakSearch::groups(std::uint64_t& identity) {
  std::vector<LostBlocks> lost;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (marks_[i] == Mark::reached) continue;
    const Block& block = blocks_[i];
    std::vector<Place> stack = machine_.allocation_stack(block);
    stack.resize(std::min(stack.size(), kLeakDepth));
    const bool with_another = marks_[i] == Mark::lost_with_another;
    auto group = std::find_if(lost.begin(), lost.end(), [&](const LostBlocks& other) {
      return other.thread == block.thread && other.with_another == with_another && other.stack == stack;
    });
    if (group == lost.end()) group = lost.insert(group, {block.thread, 0, 0, with_another, std::move(stack)});
    ++group->blocks;
    group->bytes += block.size;
  }
  std::stable_partition(lost.begin(), lost.end(),
                        [](const LostBlocks& group) { return !group.with_another; });
  std::vector<std::uint64_t> places;
  for (const LostBlocks& group : lost) {
    if (group.with_another) continue;
    Digest place;
    for (const Place& call : group.stack)
      place.add(reinterpret_cast<const char*>(&call.offset), sizeof call.offset);
    places.push_back(place.value());
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  Digest all;
  all.add(reinterpret_cast<const char*>(places.data()), places.size() * sizeof(std::uint64_t));
  identity = all.value();
  return lost;
}

// Whether lost blocks have to be searched for.
bool LeakSearch::is_wanted() {
  const bool freed_all = machine_.heap.live_blocks(Machine::course().slots_used) <= live_before_;
  if (machine_.settings.leaks) return !freed_all;
  std::optional<Plan>& known = freed_all ? clean_ : suspect_;
  if (plan_ != nullptr && !known) known = *plan_;
  return !freed_all && clean_;
}

bool LeakSearch::find() {
  if (!is_wanted()) return false;
  collect();
  take_requests();
  mark_roots();
  flood(Mark::reached);
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (marks_[i] == Mark::reached) continue;
    ++count;
    bytes += blocks_[i].size;
  }
  if (count == 0) return false;
  if (!notes_ && !machine_.director.records_places()) {
    wants_again_ = true;
    machine_.finish(End::finished);
    return true;
  }
  find_owners();
  Failure failure{BugKind::leak, lost_text(count, bytes), machine_.current().id, 0, {}};
  std::vector<LostBlocks> lost = groups(failure.code);
  if (machine_.director.records_places()) machine_.trace->details.lost = std::move(lost);
  machine_.fail(std::move(failure));
  return true;
}

}  // namespace thrum::vm

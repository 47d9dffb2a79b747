// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/threads/places.hpp"

#include <algorithm>
#include <utility>

#include "runtime/base/modules.hpp"
#include "runtime/base/page.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/threads/allocations.hpp"
#include "runtime/threads/stacks.hpp"

namespace thrum {

namespace {

// The number, counted from 1 in the current trace, of the frame that holds an address of a thread's stack; 0
// if no frame is known to.
std::uint32_t frame_number(const Thread& thread, std::uint64_t address) {
  auto top = reinterpret_cast<std::uint64_t>(thread.stack_top);
  for (const RawFrame& raw : thread.frames) {
    if (address < raw.stack_pointer || address >= raw.end) continue;
    std::vector<StackFrame>& frames = current_trace().details.frames;
    StackFrame frame{place_of(raw.code), top - raw.stack_pointer, top - raw.base_pointer, top - raw.end};
    auto known = std::find(frames.begin(), frames.end(), frame);
    if (known == frames.end()) known = frames.insert(frames.end(), frame);
    return static_cast<std::uint32_t>(known - frames.begin()) + 1;
  }
  return 0;
}

void note_block(const Place& place) {
  std::vector<HeapBlock>& blocks = current_trace().details.blocks;
  bool known = std::any_of(blocks.begin(), blocks.end(), [&](const HeapBlock& block) {
    return block.thread == place.owner && block.number == place.number;
  });
  if (known) return;
  HeapBlock block{place.owner, place.number, 0, {}};
  if (const Allocation* made = allocations().find(place.owner, place.number)) {
    block.size = made->size;
    for (std::uint64_t code : made->code) {
      if (code != 0) block.allocated.push_back(place_of(code));
    }
  }
  blocks.push_back(std::move(block));
}

}  // namespace

std::vector<Place> places_of(const std::vector<RawFrame>& frames) {
  std::vector<Place> places;
  places.reserve(frames.size());
  for (const RawFrame& frame : frames) places.push_back(place_of(frame.code));
  return places;
}

std::vector<Place> running_stack() { return places_of(running_frames()); }

Place place_of(std::uint64_t address) {
  Place place;
  if (is_null_page(address)) return place;
  BlockName block;
  if (the_heap.find(address, block)) return {Place::Space::heap, block.thread, block.number, block.offset};
  for (std::uint32_t slot = 0; const Thread* thread = thread_in_slot(slot); ++slot) {
    auto top = reinterpret_cast<std::uint64_t>(thread->stack_top);
    if (address >= reinterpret_cast<std::uint64_t>(thread->stack_bottom) && address < top) {
      return {Place::Space::stack, thread->id, 0, top - address};
    }
  }
  find_in_modules(address, place);
  return place;
}

Place described_place(std::uint64_t address) {
  Place place = place_of(address);
  if (place.space == Place::Space::heap) note_block(place);
  if (place.space != Place::Space::stack) return place;
  for (const Thread* thread : live_threads()) {
    if (thread->id == place.owner) place.number = frame_number(*thread, address);
  }
  return place;
}

}  // namespace thrum

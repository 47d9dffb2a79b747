// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/heap_symmetry.hpp"

#include <algorithm>

#include "support/hash.hpp"

namespace thrum::vm {

namespace {

void add_to(WideDigest& sum, const WideDigest& now, const WideDigest& before) {
  sum.low += now.low - before.low;
  sum.high += now.high - before.high;
}

}  // namespace

void HeapSymmetry::begin(bool is_on) {
  is_on_ = is_on;
  regions_.clear();
  regions_in_use_ = 0;
  roots_.clear();
  if (!is_on) return;
  regions_.resize(kHeapRegions);
  for (std::uint32_t region = 0; region < kHeapRegions; ++region)
    regions_[region].base = regions_[region].end = heap_.extent(region);
}

// Blocks lie one behind the other.
void HeapSymmetry::find_blocks(std::uint32_t number) {
  Region& region = regions_[number];
  const std::uint64_t end = heap_.extent(number);
  if (region.end < end) regions_in_use_ = std::max(regions_in_use_, number + 1);
  while (region.end < end) {
    Block& block = region.blocks.emplace_back();
    block.begin = region.end;
    region.end = Heap::end_of_block(kHeap + number * kHeapRegion + region.end) - kHeap - number * kHeapRegion;
  }
}

void HeapSymmetry::forget_blocks() {
  if (!is_on_) return;
  for (std::uint32_t number = 0; number < regions_in_use_; ++number) {
    Region& region = regions_[number];
    if (region.end == region.base) continue;
    const std::uint64_t end = heap_.extent(number);
    while (!region.blocks.empty() && region.blocks.back().begin >= end) region.blocks.pop_back();
    region.end = std::min(region.end, std::max(end, region.base));
  }
}

// The block in whose memory or header the word lies.
HeapSymmetry::Block* HeapSymmetry::block_at(std::uint64_t address) {
  const std::uint64_t place = (address & kAddressBits) - kHeap;
  const auto number = static_cast<std::uint32_t>(place / kHeapRegion);
  find_blocks(number);
  std::vector<Block>& blocks = regions_[number].blocks;
  const auto behind = std::ranges::upper_bound(blocks, place % kHeapRegion, {}, &Block::begin);
  return behind == blocks.begin() ? nullptr : &*std::prev(behind);
}

// A pointer behind a block's last byte, where the next one's header lies, is the former block's.
HeapSymmetry::Block* HeapSymmetry::block_of(std::uint64_t pointer) {
  constexpr std::uint64_t kHeaderSize = 16;
  const std::uint64_t place = (pointer & kAddressBits) - kHeap;
  Block* const found = block_at(pointer);
  if (found == nullptr) return nullptr;
  const bool is_first = found == regions_[place / kHeapRegion].blocks.data();
  return !is_first && place % kHeapRegion < found->begin + kHeaderSize ? found - 1 : found;
}

std::uint64_t HeapSymmetry::in_block(std::uint64_t pointer) {
  const Block* const block = block_of(pointer);
  const std::uint64_t place = ((pointer & kAddressBits) - kHeap) % kHeapRegion;
  return (pointer & ~kAddressBits) | (block == nullptr ? place : place - block->begin);
}

std::uint64_t HeapSymmetry::place_of_word(std::uint64_t address) {
  const Block* const block = block_at(address);
  return block == nullptr ? address : (address - kHeap) % kHeapRegion - block->begin;
}

std::uint64_t HeapSymmetry::kind_of_word(std::uint64_t address) {
  const std::uint64_t place = place_of_word(address);
  return std::uint64_t{Heap::size_class_of(address - place)} << 48 | place | std::uint64_t{1} << 63;
}

void HeapSymmetry::note_part(std::uint64_t address) {
  const std::uint64_t word = address & ~std::uint64_t{7};
  if (is_on_ && in_arena(word, sizeof(std::uint64_t)) && word < kMachine && moves(at<std::uint64_t>(word)))
    on_escape();
}

WideDigest HeapSymmetry::replace(std::uint64_t address, const Part& before, const Part& now) {
  if (!moves(address)) {
    if (now.pointer != 0)
      roots_[address] = now.pointer;
    else if (before.pointer != 0)
      roots_.erase(address);
    return {now.share.low - before.share.low, now.share.high - before.share.high};
  }
  Block* const block = block_at(address);
  if (block == nullptr) return {};
  add_to(block->sum, now.share, before.share);
  if (now.pointer == before.pointer) return {};
  const auto known =
      std::ranges::lower_bound(block->pointers, address, {}, [](const auto& one) { return one.first; });
  const bool is_there = known != block->pointers.end() && known->first == address;
  if (now.pointer == 0) {
    if (is_there) block->pointers.erase(known);
  } else if (is_there) {
    known->second = now.pointer;
  } else {
    block->pointers.insert(known, {address, now.pointer});
  }
  return {};
}

void HeapSymmetry::visit(std::uint64_t pointer, std::vector<std::uint64_t>& numbers) {
  Block* const block = block_of(pointer);
  if (block == nullptr) return numbers.push_back(pointer);
  if (block->visit != visit_) {
    block->visit = visit_;
    block->number = met_.size();
    met_.push_back(block);
  }
  numbers.push_back(block->number);
}

void HeapSymmetry::begin_key() {
  ++visit_;
  met_.clear();
  // Blocks that are found later would move those that are known, to which met_ points.
  for (std::uint32_t number = 0; number < regions_in_use_; ++number) find_blocks(number);
}

void HeapSymmetry::add_blocks(std::vector<std::uint64_t>& numbers) {
  for (const auto& [address, pointer] : roots_) visit(pointer, numbers);
  for (std::size_t i = 0; i < met_.size(); ++i) {
    const Block& block = *met_[i];
    numbers.push_back(block.sum.low);
    numbers.push_back(block.sum.high);
    for (const auto& [address, pointer] : block.pointers) visit(pointer, numbers);
  }
  add_free_lists(numbers);
  add_lost(numbers);
}

// Blocks that nobody points to come as if from memory that was never used. Those behind the last one that
// somebody points to do not count: there are always more.
void HeapSymmetry::add_free_lists(std::vector<std::uint64_t>& numbers) {
  constexpr std::uint64_t kNobody = ~std::uint64_t{0};
  for (const std::uint64_t list : free_lists_) {
    const std::size_t begin = numbers.size();
    std::size_t end = begin;
    for (auto block = at<std::uint64_t>(list); block != 0; block = Heap::next_free(block)) {
      const Block* const known = moves(block) ? block_of(block) : nullptr;
      if (known == nullptr)
        numbers.push_back(block);  // it lies where it lies
      else
        numbers.push_back(known->visit == visit_ ? known->number : kNobody);
      if (numbers.back() != kNobody) end = numbers.size();
    }
    numbers.resize(end);
    if (end == begin) continue;
    numbers.push_back(list);
    numbers.push_back(end - begin);
  }
}

void HeapSymmetry::add_lost(std::vector<std::uint64_t>& numbers) {
  WideDigest lost;
  for (std::uint32_t number = 0; number < regions_in_use_; ++number) {
    for (const Block& block : regions_[number].blocks) {
      if (block.visit == visit_) continue;
      const std::uint64_t begin = kHeap + number * kHeapRegion + block.begin;
      if (const std::uint64_t header = Heap::header_in_use(begin); header != 0)
        add_to(lost, {mixed(header, 1), mixed(header, 2)}, {});
    }
  }
  numbers.push_back(lost.low);
  numbers.push_back(lost.high);
}

}  // namespace thrum::vm

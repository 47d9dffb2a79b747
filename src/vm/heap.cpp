// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/heap.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace thrum::vm {

namespace {

constexpr std::uint64_t kGrain = 16;
constexpr std::uint64_t kExactMax =
    1024;  // a class for each multiple of 16; beyond, four for each power of two
constexpr std::uint64_t kExactClasses = kExactMax / kGrain;
constexpr std::uint64_t kClasses = kExactClasses + std::uint64_t{4} * 24;

std::uint64_t class_of(std::uint64_t size) {
  if (size <= kExactMax) return size == 0 ? 0 : (size - 1) / kGrain;
  const auto log = static_cast<std::uint64_t>(std::bit_width(size - 1)) - 1;
  const std::uint64_t quarter = (size - 1 - (std::uint64_t{1} << log)) >> (log - 2);
  return kExactClasses + (log - 10) * 4 + quarter;
}

std::uint64_t class_size(std::uint64_t size_class) {
  if (size_class < kExactClasses) return (size_class + 1) * kGrain;
  const std::uint64_t log = (size_class - kExactClasses) / 4 + 10;
  const std::uint64_t quarter = (size_class - kExactClasses) % 4;
  return (std::uint64_t{1} << log) + ((quarter + 1) << (log - 2));
}

constexpr std::uint64_t kBooks = kMachine;
constexpr std::uint64_t kBooksSize = 4096;

}  // namespace

struct Heap::Header {
  std::uint64_t size;  // as requested; aligned: the distance from the block that holds it
  std::uint32_t number;
  ThreadId thread;
  std::uint8_t size_class;
  State state;
};

struct Heap::Books {
  std::uint64_t used;            // bytes from the region's begin that were ever in use
  std::uint64_t number;          // allocations so far
  std::uint64_t released;        // frees by the thread so far, of blocks of any thread
  std::uint64_t free[kClasses];  // the address of the first free block; each holds the next one's
};

Heap::Books& Heap::books(std::uint32_t region) {
  static_assert(sizeof(Books) <= kBooksSize && sizeof(Header) == kGrain);
  return at<Books>(kBooks + region * kBooksSize);
}

bool Heap::is_counter(std::uint64_t address) const {
  const std::uint64_t place = (address - kBooks) % kBooksSize;
  return place == offsetof(Books, number) || place == offsetof(Books, released) ||
         (!reuses_ && place == offsetof(Books, used));
}

std::uint64_t Heap::without_names(std::uint64_t address, std::uint64_t data) {
  static_assert(offsetof(Header, number) == 8 && offsetof(Header, thread) == 12 && sizeof(ThreadId) == 2);
  constexpr unsigned kNameBits = 48;
  return address % sizeof(Header) == 0 ? data : data >> kNameBits;
}

bool Heap::is_link(std::uint64_t address) const {
  return reuses_ && (shadow_at<std::uint8_t>(address) & kFreed) != 0 &&
         (shadow_at<std::uint8_t>(address - 1) & kHeader) != 0;
}

bool Heap::is_free_list(std::uint64_t address) {
  return (address - kBooks) % kBooksSize >= offsetof(Books, free);
}

std::uint64_t Heap::end_of_block(std::uint64_t header) {
  return header + sizeof(Header) + class_size(at<Header>(header).size_class);
}

std::uint64_t Heap::header_in_use(std::uint64_t header) {
  const Header& own = at<Header>(header);
  return own.state == State::freed ? 0 : own.size << 8 | own.size_class | std::uint64_t{1} << 63;
}

std::uint32_t Heap::size_class_of(std::uint64_t header) { return at<Header>(header).size_class; }

Heap::Header& Heap::header(std::uint64_t block) { return at<Header>(block - sizeof(Header)); }

std::uint64_t Heap::extent(std::uint32_t region) const { return books(region).used; }
std::uint64_t Heap::allocated(std::uint32_t region) const { return books(region).number; }

std::uint64_t Heap::live_blocks(std::uint32_t regions) const {
  std::uint64_t live = 0;
  for (std::uint32_t region = 0; region < regions; ++region)
    live += books(region).number - books(region).released;
  return live;
}

bool Heap::take_memory(std::uint64_t bytes) {
  memory_.put(taken(), taken() + bytes);
  return !exceeds_limit();
}

void Heap::give_back_memory(std::uint64_t bytes) { memory_.put(taken(), taken() - std::min(bytes, taken())); }

std::uint64_t Heap::allocate(std::uint32_t region, ThreadId thread, std::uint64_t size, bool zeroed) {
  if (size >= kHeapRegion / 2) return 0;
  Books& mine = books(region);
  const std::uint64_t size_class = class_of(size);
  std::uint64_t block = mine.free[size_class];
  gave_used_block_ = block != 0;
  if (block != 0) {
    memory_.put(mine.free[size_class], at<std::uint64_t>(block));
  } else {
    const std::uint64_t whole = sizeof(Header) + class_size(size_class);
    if (mine.used + whole > kHeapRegion || !take_memory(whole)) return 0;
    block = kHeap + region * kHeapRegion + mine.used + sizeof(Header);
    memory_.put(mine.used, mine.used + whole);
    memory_.set_shadow(block - sizeof(Header), sizeof(Header), kHeader);
  }
  memory_.put(mine.number, mine.number + 1);
  Header& own = header(block);
  memory_.note(block - sizeof(Header), sizeof(Header));
  own = {size, static_cast<std::uint32_t>(mine.number), thread, static_cast<std::uint8_t>(size_class),
         State::live};
  const std::uint64_t whole_size = class_size(size_class);
  if (zeroed)
    memory_.set_shadow(block, size, kAddressable | kDefined);
  else
    memory_.begin_use(block, size);
  if (gave_used_block_ && whole_size > size) memory_.set_shadow(block + size, whole_size - size, 0);
  if (zeroed && gave_used_block_) memory_.fill(block, 0, size);
  return block;
}

std::uint64_t Heap::allocate_aligned(std::uint32_t region, ThreadId thread, std::uint64_t alignment,
                                     std::uint64_t size) {
  if (alignment <= kGrain) return allocate(region, thread, size);
  if (size >= kHeapRegion / 4 || alignment >= kHeapRegion / 4) return 0;
  const std::uint64_t outer = allocate(region, thread, size + alignment + sizeof(Header));
  if (outer == 0) return 0;
  const std::uint64_t block = (outer + sizeof(Header) + alignment - 1) & ~(alignment - 1);
  memory_.set_shadow(outer, header(outer).size, 0);
  memory_.begin_use(block, size);
  memory_.note(block - sizeof(Header), sizeof(Header));
  memory_.set_shadow(block - sizeof(Header), sizeof(Header), kHeader);
  Header& own = header(block);
  own = header(outer);
  own.size = block - outer;
  own.state = State::aligned;
  memory_.put(header(outer).size, own.size + size);  // so that its end is exact
  return block;
}

// Whether a block begins there, live or freed.
bool Heap::is_block(std::uint64_t address) {
  return address % kGrain == 0 && address - kHeap < std::uint64_t{kHeapRegions} * kHeapRegion &&
         address != kHeap && shadow_at<std::uint8_t>(address - sizeof(Header)) == kHeader;
}

bool Heap::is_live_block(std::uint64_t address) const {
  return is_block(address) && header(address).state != State::freed;
}

Heap::Misuse Heap::release(std::uint32_t region, std::uint64_t address) {
  if (!is_block(address)) return Misuse::not_a_block;
  if (header(address).state == State::freed) return Misuse::freed_twice;
  std::uint64_t block = address;
  if (header(block).state == State::aligned) {
    memory_.put(header(block).state, State::freed);
    block -= header(block).size;
  }
  Header& own = header(block);
  const std::uint64_t whole = class_size(own.size_class);
  memory_.put(own.state, State::freed);
  if (block != address) {
    // The inner header stays, so that a second free is seen as one.
    memory_.set_shadow(block, address - sizeof(Header) - block, kFreed);
    memory_.set_shadow(address, block + whole - address, kFreed);
  } else {
    memory_.set_shadow(block, whole, kFreed);
  }
  Books& mine = books(region);
  memory_.put(mine.released, mine.released + 1);
  if (!reuses_) return Misuse::none;
  memory_.note(block);
  at<std::uint64_t>(block) = mine.free[own.size_class];
  memory_.put(mine.free[own.size_class], block);
  return Misuse::none;
}

std::uint64_t Heap::size_of(std::uint64_t address) const {
  const Header& own = header(address);
  if (own.state != State::aligned) return own.size;
  return header(address - own.size).size - own.size;
}

Heap::Block Heap::block_at(std::uint64_t address) const {
  const Header& own = header(address);
  return {address, size_of(address), own.thread, own.number, own.state != State::freed};
}

// The block whose header is at place, which moves on to the next one.
std::optional<Heap::Block> Heap::next_block(std::uint64_t& place) const {
  const std::uint64_t begin = place + sizeof(Header);
  const Header& own = header(begin);
  place = begin + class_size(own.size_class);
  return Block{begin, own.size, own.thread, own.number, own.state == State::live};
}

std::optional<Heap::Block> Heap::inner_block(const Block& outer, std::uint64_t last) {
  for (std::uint64_t inner = outer.begin + 2 * kGrain; inner <= last; inner += kGrain) {
    const Header& own = header(inner);
    const bool is_inner = own.size == inner - outer.begin && own.number == outer.number &&
                          (own.state == State::aligned || own.state == State::freed);
    if (!is_inner) continue;
    Block block = outer;
    block.size -= inner - outer.begin;
    block.begin = inner;
    return block;
  }
  return std::nullopt;
}

std::optional<Heap::Block> Heap::find(std::uint64_t address) const {
  if (address - kHeap >= std::uint64_t{kHeapRegions} * kHeapRegion) return std::nullopt;
  const auto region = static_cast<std::uint32_t>((address - kHeap) / kHeapRegion);
  std::uint64_t place = kHeap + region * kHeapRegion;
  const std::uint64_t end = place + extent(region);
  if (address >= end) return std::nullopt;
  while (place < end) {
    std::optional<Block> block = next_block(place);
    if (address >= place) continue;
    const std::optional<Block> inner = inner_block(*block, address);
    return inner ? inner : block;
  }
  return std::nullopt;
}

}  // namespace thrum::vm

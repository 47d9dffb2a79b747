// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program's heap: malloc and its family. Blocks lie where the native engine places them (ProgramHeap in
// runtime/): each thread allocates from its own region, and a freed block goes to the thread that freed it,
// which uses it next (lifo), or is never used again (fresh).
//
// In front of each block lies a header of 16 bytes, which the program cannot access: it catches accesses that
// miss the block by a little.
#pragma once

#include <cstdint>
#include <optional>

#include "model/thread_names.hpp"
#include "vm/memory.hpp"

namespace thrum::vm {

class Heap {
 public:
  Heap(Memory& memory, bool reuses) : memory_(memory), reuses_(reuses) {}

  struct Block {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;         // as requested
    ThreadId thread = kMainThread;  // these two are its name
    std::uint32_t number = 0;
    bool is_live = false;
  };

  // 0: no memory. The new block has no values; zeroed: it holds zeros. region: the slot of the thread, thread
  // its name.
  std::uint64_t allocate(std::uint32_t region, ThreadId thread, std::uint64_t size, bool zeroed = false);
  std::uint64_t allocate_aligned(std::uint32_t region, ThreadId thread, std::uint64_t alignment,
                                 std::uint64_t size);
  enum class Misuse : std::uint8_t { none, freed_twice, not_a_block };
  Misuse release(std::uint32_t region, std::uint64_t address);
  // REQUIRES: a live block begins there.
  std::uint64_t size_of(std::uint64_t address) const;
  bool is_live_block(std::uint64_t address) const;
  // REQUIRES: a block begins there.
  Block block_at(std::uint64_t address) const;
  // The block in whose memory, or in whose header, the address lies.
  std::optional<Block> find(std::uint64_t address) const;

  // Whether the word of the heap's books only counts: no later block depends on it, but for its name and,
  // where blocks are not used again, its address.
  bool is_counter(std::uint64_t address) const;
  // What a word of a header holds, without the block's name.
  static std::uint64_t without_names(std::uint64_t address, std::uint64_t data);
  // Whether the word lies in a block that was freed, and names the next one that is to be used again.
  bool is_link(std::uint64_t address) const;

  // Of the block whose header is at that address: where the next one's begins, and its size, class and state
  // in a number; 0: it is not in use.
  static std::uint64_t end_of_block(std::uint64_t header);
  static std::uint64_t header_in_use(std::uint64_t header);
  static std::uint32_t size_class_of(std::uint64_t header);
  // Whether the word of the heap's books is the address of a list's first freed block, which is used again
  // first.
  static bool is_free_list(std::uint64_t address);
  static std::uint64_t next_free(std::uint64_t block) { return at<std::uint64_t>(block); }

  bool gave_used_block() const { return gave_used_block_; }
  // The memory of the program: the size of its heap, plus what it has mapped. Accesses do not matter, so an
  // execution always meets the limit at the same place. limit_memory() is called before anything is taken.
  void limit_memory(std::uint64_t bytes) { limit_ = bytes; }
  // False: that exceeds the limit.
  bool take_memory(std::uint64_t bytes);
  void give_back_memory(std::uint64_t bytes);
  bool exceeds_limit() const { return taken() > limit_; }

  // How many blocks the thread has allocated, and how many are live in the regions of so many threads.
  std::uint64_t allocated(std::uint32_t region) const;
  std::uint64_t live_blocks(std::uint32_t regions) const;
  // Bytes of the regions in use or freed, headers included.
  std::uint64_t extent(std::uint32_t region) const;
  template <typename Visit>
  void for_each_live(std::uint32_t region, Visit visit) const;

 private:
  enum class State : std::uint8_t { live = 0x5a, freed = 0xa5, aligned = 0x69 };
  struct Header;
  struct Books;
  static Books& books(std::uint32_t region);
  static Header& header(std::uint64_t block);
  static bool is_block(std::uint64_t address);
  std::optional<Block> next_block(std::uint64_t& place) const;
  // The block with a larger alignment that lies in one, at most up to that address.
  static std::optional<Block> inner_block(const Block& outer, std::uint64_t last);

  Memory& memory_;
  bool reuses_;
  bool gave_used_block_ = false;
  std::uint64_t limit_ = ~std::uint64_t{0};
  static std::uint64_t& taken() { return at<std::uint64_t>(kMachine + (std::uint64_t{9} << 32)); }
};

template <typename Visit>
void Heap::for_each_live(std::uint32_t region, Visit visit) const {
  std::uint64_t place = kHeap + region * kHeapRegion;
  const std::uint64_t end = place + extent(region);
  while (place < end) {
    const std::optional<Block> block = next_block(place);
    if (!block || !block->is_live) continue;
    const bool is_plain = block->size == 0 || (shadow_at<std::uint8_t>(block->begin) & kAddressable) != 0;
    visit(is_plain ? *block : inner_block(*block, block->begin + block->size).value_or(*block));
  }
}

}  // namespace thrum::vm

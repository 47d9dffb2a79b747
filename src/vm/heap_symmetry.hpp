// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heap symmetry: states that differ only in where blocks of the heap lie have equal keys (Musuvathi and
// Qadeer, PLDI 2007, section 4; Iosif, "Exploiting heap symmetries in explicit-state model checking of
// software", ASE 2001).
//
// Blocks that were allocated behind the first choice may move. Such a block has no address in a key, but a
// number: when it is first met by going through the pointers to blocks, in a fixed order: from memory
// outside of such blocks, by address; from the threads' registers; and so on, in the order in which blocks
// were met, from what they hold. A word is a pointer if its lower 48 bits lie in a block; what is above is a
// tag.
//
// Where a freed block lies is of no importance unless somebody still points to it. So of the free lists
// counts where such blocks stand in them. Blocks that are in use though nobody points to them count by number
// and size: they may be leaks.
//
// This holds as long as the program does nothing that depends on addresses otherwise
// (bitcode/decode_escapes.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "support/digest.hpp"
#include "vm/address_space.hpp"
#include "vm/heap.hpp"

namespace thrum::vm {

class HeapSymmetry {
 public:
  explicit HeapSymmetry(const Heap& heap) : heap_(heap) {}

  // An execution begins. is_on: blocks from here on may move.
  void begin(bool is_on);
  bool is_on() const { return is_on_; }

  // Whether the word is the address of a byte in a block that may move, or behind it.
  bool moves(std::uint64_t word) const {
    const std::uint64_t place = (word & kAddressBits) - kHeap;
    if (!is_on_ || place >= std::uint64_t{kHeapRegions} * kHeapRegion) return false;
    const auto region = static_cast<std::uint32_t>(place / kHeapRegion);
    const std::uint64_t base = regions_[region].base, end = heap_.extent(region);
    return place % kHeapRegion >= base && place % kHeapRegion <= end && end != base;
  }

  // What stands for a pointer apart from its block: the place in it, and the tag. REQUIRES: moves(pointer)
  std::uint64_t in_block(std::uint64_t pointer);
  // Where the word is in its block, header included. REQUIRES: moves(address)
  std::uint64_t place_of_word(std::uint64_t address);

  // What a word adds to the key. share: for all but the block that it points to; pointer: what it holds, if
  // that points to a block that may move, else 0. replace(): the word has another part now. Returns by how
  // much the sum for the memory outside of such blocks changes.
  struct Part {
    WideDigest share;
    std::uint64_t pointer = 0;
    friend bool operator==(const Part&, const Part&) = default;
  };
  WideDigest replace(std::uint64_t address, const Part& before, const Part& now);
  // The word of the heap's books was overwritten.
  void note_book(std::uint64_t address) {
    if (Heap::is_free_list(address)) free_lists_.insert(address);
  }
  // The memory has returned to an earlier moment, and all parts with it.
  void forget_blocks();

  // A key is to be made: the pointers of threads come next, one by one; then all that is met. What stands for
  // them comes behind the other numbers.
  void begin_key();
  void add_pointer(std::uint64_t pointer, std::vector<std::uint64_t>& numbers) { visit(pointer, numbers); }
  void add_blocks(std::vector<std::uint64_t>& numbers);

  // Which word of what kind of blocks the word is: the same for all blocks of a size class.
  // REQUIRES: moves(address)
  std::uint64_t kind_of_word(std::uint64_t address);

  // What the program does with numbers, each of which may be an address of a block that moves. Where what it
  // does then depends on the address, `on_escape` is called: states are not symmetric.
  std::function<void()> on_escape = [] {};
  void note_number(std::uint64_t number) {
    if (moves(number)) on_escape();
  }
  // The second number was computed from the first one.
  void note_computed(std::uint64_t from, std::uint64_t number) {
    if (moves(from) && !are_in_one_block(from, number)) on_escape();
  }
  void note_compared(std::uint64_t one, std::uint64_t other) {
    if ((moves(one) || moves(other)) && !are_in_one_block(one, other)) on_escape();
  }
  void note_difference(std::uint64_t one, std::uint64_t other, std::uint64_t difference) {
    if (moves(other)) return note_compared(one, other);
    note_computed(one, difference);
  }
  // A part of a word is read.
  void note_part(std::uint64_t address);

 private:
  static constexpr std::uint64_t kAddressBits = (std::uint64_t{1} << 48) - 1;

  struct Block {
    std::uint64_t begin = 0;  // of its header, from the region's begin
    WideDigest sum;           // for what it holds, but for what it points to
    std::vector<std::pair<std::uint64_t, std::uint64_t>> pointers;  // by address; and where they point to
    std::uint64_t visit = 0;  // the number of the key for which it was met last
    std::uint64_t number = 0;
  };
  struct Region {
    std::uint64_t base = 0;  // blocks from there on may move
    std::uint64_t end = 0;   // of those that are known
    std::vector<Block> blocks;
  };

  void find_blocks(std::uint32_t region);
  Block* block_at(std::uint64_t address);
  Block* block_of(std::uint64_t pointer);
  bool are_in_one_block(std::uint64_t one, std::uint64_t other) {
    return moves(one) && moves(other) && block_of(one) == block_of(other);
  }
  void visit(std::uint64_t pointer, std::vector<std::uint64_t>& numbers);
  void add_free_lists(std::vector<std::uint64_t>& numbers);
  void add_lost(std::vector<std::uint64_t>& numbers);

  const Heap& heap_;
  bool is_on_ = false;
  std::vector<Region> regions_;
  std::uint32_t regions_in_use_ = 0;              // the first so many have blocks that may move
  std::map<std::uint64_t, std::uint64_t> roots_;  // pointers outside of blocks that may move, by address
  std::set<std::uint64_t> free_lists_;            // words of the heap's books that were ever overwritten
  std::uint64_t visit_ = 0;
  std::vector<Block*> met_;
};

}  // namespace thrum::vm

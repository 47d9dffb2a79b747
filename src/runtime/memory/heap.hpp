// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The heap of the program under test, while a search is on: malloc and its family.
//
// Each thread allocates from its own region. So addresses depend on the thread's own history and on the order
// in which threads are created, and on nothing else. A freed block goes to the thread that freed it, which
// reuses it next, as real allocators do (Heap lifo), or it is never used again (fresh).
//
// Each block has a small header; both lie in the region and are rolled back with the program's memory. The
// free lists and the ends of the regions lie in the runtime's memory and are restored by restore(): one page
// less to copy for each execution. Thread safety: one thread runs at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "leaks/live_block.hpp"
#include "model/thread_names.hpp"

namespace thrum {

class Digest;

// The name of a block: the allocating thread, and the number of the allocation.
struct BlockName {
  ThreadId thread;
  std::uint32_t number;
  std::uint64_t offset;  // of the address, from the begin of the block
};

class ProgramHeap {
 public:
  using Region = std::uint32_t;                // a thread's slot
  static constexpr Region kPoolRegion = 1024;  // for libc's allocations when the runtime creates a thread
  static constexpr Region kRegionCount = 1025;
  // The begin of the regions, the same in every run.
  static constexpr std::uint64_t kHeap = 0x1000'0000'0000;
  static constexpr std::uint64_t kRegionSize = std::uint64_t{1} << 33;

  void initialize();

  void* allocate(std::size_t size);
  void* allocate_aligned(std::size_t alignment, std::size_t size);
  void release(void* block);
  // Whether the last block that was allocated had been used before.
  bool gave_used_block() const { return gave_used_block_; }
  // The requested size.
  std::size_t size_of(void* block) const;

  // Sets the region from which the running code allocates, in the name of its thread. Returns the former one.
  Region use_region(Region region);
  void name_thread(Region region, ThreadId thread);

  // The present extent of a region, and whether some region contains the address.
  char* region_begin(Region region) const;
  char* region_end(Region region) const;
  bool contains(std::uint64_t address) const;
  // Whether the address lies in the address range of the regions.
  static bool is_heap(std::uint64_t address);

  // The state of some bytes.
  enum class State : std::uint8_t {
    live,     // in a block in use
    freed,    // in a freed block
    beside,   // not all in one block
    outside,  // in memory that was never used
  };
  struct Use {
    State state;
    std::uint64_t begin = 0;  // of the block
    std::uint64_t size = 0;   // as requested
  };
  Use use_of(std::uint64_t address, std::uint64_t size) const;
  // The requested size of the live block that begins at the address; 0 if none does.
  std::uint64_t live_size(std::uint64_t address) const;
  // False if the address lies in no block.
  bool find(std::uint64_t address, BlockName& name) const;

  // Saves the state of main's region. REQUIRES: no other thread's region has been used.
  void save();
  // Restores the state, and empties the regions of the threads in slots 1 to slots - 1. The snapshot restores
  // the blocks that main's region held at save(); the memory of later blocks is zeroed here.
  void restore(Region slots);

  // The live block that contains the address; false if there is none.
  bool find_live(std::uint64_t address, LiveBlock& block) const;
  // The number of live blocks.
  std::uint64_t live_blocks(Region slots) const;
  // Adds the live blocks in order of address, except the first `before` that main allocated.
  void add_live(Region slots, std::uint32_t before, std::vector<LiveBlock>& blocks) const;
  // Adds the memory of the blocks that add_live() leaves out.
  void add_first(std::uint32_t before, std::vector<std::span<const char>>& parts) const;
  // The number of blocks that the region's thread has allocated so far.
  std::uint32_t allocated(Region region) const;

  // Adds the content of a region, without free blocks and names of blocks, which the program cannot see.
  void add_to(Digest& digest, Region region) const;

  // Adds the ranges that restore() would undo, except those of the snapshot; including the heap's own books.
  void add_changes(Region slots, std::vector<std::span<const char>>& changes) const;

  // The same for the bits that say where blocks begin.
  void add_starts(Region slots, std::vector<std::span<const char>>& changes) const;

  struct Books;  // of one region; known to heap.cpp

 private:
  Books& open(Region region);
  void empty(Books& books);

  static LiveBlock describe(const void* block);
  template <typename Visit>
  void visit_live(const Books& books, char* from, char* to, Visit visit) const;
  template <typename Visit>
  void visit_all_live(Region slots, Visit visit) const;

  Region region_ = 0;
  bool gave_used_block_ = false;
};

extern constinit ProgramHeap the_heap;

}  // namespace thrum

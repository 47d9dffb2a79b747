// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The heap of the program under test, while a search is on: malloc and its family.
//
// Each thread allocates from its own region, so that an address depends on the thread's own history and not
// on the interleaving. A freed block goes to the thread that freed it, which reuses it next, as real
// allocators do (Heap lifo), or is never used again (fresh).
//
// Blocks stand behind small headers in the regions, which are rolled back with the program's memory. The free
// lists and ends of the regions are kept apart, with the runtime, and put back by restore(): one page less to
// copy for each execution. Thread safety: one thread runs at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/thread_names.hpp"

namespace thrum {

class Digest;

// What a block is called: the allocating thread, and which of that thread's allocations it is.
struct BlockName {
  ThreadId thread;
  std::uint32_t number;
  std::uint64_t offset;  // of the address asked for, from the block's beginning
};

class ProgramHeap {
 public:
  using Region = std::uint32_t;                // a thread's slot
  static constexpr Region kPoolRegion = 1024;  // for what libc allocates when the runtime makes a thread
  static constexpr Region kRegionCount = 1025;
  // Where they lie, the same in every run.
  static constexpr std::uint64_t kHeap = 0x1000'0000'0000;
  static constexpr std::uint64_t kRegionSize = std::uint64_t{1} << 33;

  void initialize();

  void* allocate(std::size_t size);
  void* allocate_aligned(std::size_t alignment, std::size_t size);
  void release(void* block);
  // Whether the last block that was given had been used before.
  bool gave_used_block() const { return gave_used_block_; }
  // The bytes that the caller asked for.
  std::size_t size_of(void* block) const;

  // From which region the running code allocates, and in whose name. Returns the former.
  Region use_region(Region region);
  void name_thread(Region region, ThreadId thread);

  // What a region holds at present, and whether the address lies in any.
  char* region_begin(Region region) const;
  char* region_end(Region region) const;
  bool contains(std::uint64_t address) const;
  // Whether the address lies where regions are.
  static bool is_heap(std::uint64_t address);

  // What bytes belong to.
  enum class State : std::uint8_t {
    live,     // a block that is in use
    freed,    // one that is not
    beside,   // what lies between two blocks, or a block and what lies beside it
    outside,  // what was never used
  };
  struct Use {
    State state;
    std::uint64_t begin = 0;  // of the block
    std::uint64_t size = 0;   // that was asked for
  };
  Use use_of(std::uint64_t address, std::uint64_t size) const;
  // The bytes that were asked for at that address; 0 where no live block begins there.
  std::uint64_t live_size(std::uint64_t address) const;
  // False where the address lies in no block.
  bool find(std::uint64_t address, BlockName& name) const;

  // Notes the state of main's region. REQUIRES: no other thread's has been used.
  void save();
  // Puts the state back, and empties the regions of the threads in slots 1 to slots - 1. The blocks that
  // main's region held at save() are the snapshot's to put back; what came later is zeroed here.
  void restore(Region slots);

  // A block in use.
  struct LiveBlock {
    std::uint64_t begin;
    std::uint64_t size;  // that was asked for
    ThreadId thread;     // these two are its name
    std::uint32_t number;
    bool holds(std::uint64_t address) const {
      return begin <= address && address - begin < size + (size == 0);
    }
  };
  // The one that holds the address; false where none does.
  bool find_live(std::uint64_t address, LiveBlock& block) const;
  // How many there are.
  std::uint64_t live_blocks(Region slots) const;
  // Adds all but those among the first `before` that main allocated, in the order of their addresses.
  void add_live(Region slots, std::uint32_t before, std::vector<LiveBlock>& blocks) const;
  // Adds what those hold that add_live() leaves out.
  void add_first(std::uint32_t before, std::vector<std::span<const char>>& parts) const;
  // How many blocks a region's thread has allocated so far.
  std::uint32_t allocated(Region region) const;

  // Adds what a region holds, but for blocks that are free: what lies in those, and how they are called, is
  // nothing to the program.
  void add_to(Digest& digest, Region region) const;

  // Adds where what restore() would undo lies, but for what is the snapshot's; the heap's own books too.
  void add_changes(Region slots, std::vector<std::span<const char>>& changes) const;

  // Likewise where it says which blocks begin there.
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

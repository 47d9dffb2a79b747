// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The heap of the program under test, while a search is on: malloc and its family.
//
// Each thread allocates from its own region, so that an address depends on the thread's own history and not
// on the interleaving. A freed block goes to the thread that freed it, which reuses it next, as real
// allocators do (Heap lifo), or is never used again (fresh).
//
// All of the heap's own state lies in the regions, each block behind a header, each region behind its free
// lists: so it is rolled back with the rest. Thread safety: one system thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/thread_names.hpp"

namespace thrum {

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

  void initialize();

  void* allocate(std::size_t size);
  void* allocate_aligned(std::size_t alignment, std::size_t size);
  void release(void* block);
  // The bytes that the caller asked for.
  std::size_t size_of(void* block) const;

  // From which region the running code allocates, and in whose name. Returns the former.
  Region use_region(Region region);
  void name_thread(Region region, ThreadId thread);

  // What a region holds at present, and whether the address lies in any.
  char* region_begin(Region region) const;
  char* region_end(Region region) const;
  bool contains(std::uint64_t address) const;
  // False where the address lies in no block.
  bool find(std::uint64_t address, BlockName& name) const;

  // Regions in use are those below this.
  Region regions_end() const { return regions_end_; }

  // Empties a region, as if nothing had ever been allocated in it.
  void clear(Region region);

 private:
  struct RegionHeader;
  RegionHeader& header(Region region) const;
  RegionHeader& open(Region region);

  Region region_ = 0;
  Region regions_end_ = 0;
  bool mapped_[kRegionCount] = {};
};

extern constinit ProgramHeap the_heap;

}  // namespace thrum

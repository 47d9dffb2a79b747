// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The snapshot: the program's memory as it was at its first choice, from which each execution begins.
//
// It holds the writable segments of the program and its libraries (libc's and libstdc++'s too), the heap,
// what the program has mapped, and the main stack from the stack pointer up. All of these are
// write-protected; the first write to a page faults, and then the page is copied, made writable and put on
// the list of pages that restore() copies back. In the steady state nothing faults.
//
// An execution may change the protection of mapped memory, or unmap it, which is the same as taking all
// protection away: so is it done, and undone by restore().
//
// Left out: the dynamic loader, the runtime itself, what the loader made read-only after relocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/forever.hpp"
#include "support/digest.hpp"

namespace thrum {

class Snapshot {
 public:
  constexpr Snapshot() = default;

  bool taken() const { return !regions_.empty(); }

  // Memory that the program has mapped itself. begin and end at page boundaries.
  struct Mapping {
    std::uint64_t begin;
    std::uint64_t end;
    int protection;    // PROT_*
    bool shared_file;  // what is written there goes to a file
  };

  // stack_pointer: of main, which does not run now.
  void take(std::uint64_t stack_pointer, const std::vector<Mapping>& mappings);

  // Puts every page that was written since take() back, and its protection.
  void restore();

  // Whether all bytes belong to the snapshot.
  bool covers(std::uint64_t begin, std::uint64_t end) const;

  // The program changes the protection of pages until the next restore(). REQUIRES: covers(begin, end), which
  // are at page boundaries.
  void change_protection(std::uint64_t begin, std::uint64_t end, int protection);

  // Adds the memory that it holds, but for heap and main's stack.
  void add_data(std::vector<std::span<const char>>& data) const;

  // Adds the pages that are not as they were, as they are now.
  void add_to(Digest& digest) const;

  // Likewise adds where they are; of main's stack what lies above the pointer, be it in the snapshot or
  // below.
  void add_changes(std::uint64_t stack_pointer, std::vector<std::span<const char>>& changes) const;

  // Adds the pages that were written since take(), in this execution or an earlier one, without those of the
  // main stack. hidden: likewise those that cannot be read as they are.
  void add_written(std::vector<std::span<const char>>& pages,
                   std::vector<std::span<const char>>& hidden) const;
  // Where the main stack ends upwards.
  std::uint64_t stack_end() const { return regions_.back().end; }

  // Pages that were written in earlier executions, and now are as they were, are protected again where they
  // are at least so many. Whether they are.
  bool forget_unchanged(std::size_t least);

  // Makes everything writable again and forgets the snapshot.
  void drop();

  // Called for a fault at the address: true where a page of the snapshot was protected there, and no longer
  // is.
  bool unprotect(std::uint64_t address);

  // Makes the bytes writable, since the kernel will write them: it takes no fault, but fails.
  void prepare_write(std::uint64_t address, std::uint64_t size);

 private:
  static constexpr std::uint64_t kPage = 4096;
  struct Region {
    std::uint64_t begin;
    std::uint64_t end;            // both at page boundaries
    std::uint64_t restored_from;  // restore() copies from here on; what lies below is free stack
    std::uint64_t restored_to;    // what lies above is free memory of the heap, which clears it
    int protection;               // the program's own, at take()
    bool shared_file;
    char* copy;                  // of those pages of begin to end that are writable
    std::vector<bool> writable;  // by page: it is copied, and no longer protected by us
  };
  struct Change {
    std::uint64_t begin;
    std::uint64_t end;
    int protection;
  };
  struct DirtyRun {
    char* memory;
    const char* copy;
    std::size_t size;
  };
  Region& add(std::uint64_t begin, std::uint64_t end);
  void mark_writable(Region& region, std::size_t page);
  int protection_at(const Region& region, std::uint64_t address) const;
  void protect_pages(const Region& region, std::uint64_t begin, std::uint64_t end, int protection) const;
  void copy_back() const;
  void undo_changes();
  void forget_page(Region& region, std::size_t page);
  friend struct ModuleWalk;

  std::vector<Region> regions_;
  std::vector<DirtyRun> dirty_;
  std::vector<Change> changes_;  // of protection, in this execution
};

extern constinit Forever<Snapshot> the_snapshot;
inline Snapshot& snapshot() { return the_snapshot.value; }

}  // namespace thrum

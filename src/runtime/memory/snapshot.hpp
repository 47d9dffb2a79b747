// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The snapshot: the program's memory as it was at its first choice, from which each execution begins.
//
// It holds the writable segments of the program and its libraries (including libc and libstdc++), the heap,
// the program's mappings, and the main stack from the stack pointer up. All of it is write-protected. The
// first write to a page faults: the page is copied, made writable and added to the list of pages that
// restore() copies back. After a while no page faults any more.
//
// An execution may change the protection of mapped memory. To unmap memory is to remove all protection
// rights. restore() undoes both.
//
// Not included: the dynamic loader, the runtime itself, and data that the loader made read-only after
// relocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/forever.hpp"
#include "runtime/base/page.hpp"
#include "support/digest.hpp"

namespace thrum {

class Snapshot {
 public:
  constexpr Snapshot() = default;

  bool taken() const { return !regions_.empty(); }

  // Memory that the program has mapped itself. begin and end are at page boundaries.
  struct Mapping {
    std::uint64_t begin;
    std::uint64_t end;
    int protection;    // PROT_*
    bool shared_file;  // writes go to a file
  };

  // stack_pointer: of main, which does not run now.
  void take(std::uint64_t stack_pointer, const std::vector<Mapping>& mappings);

  // Restores every page that was written since take(), and its protection.
  void restore();

  // Whether all bytes belong to the snapshot.
  bool covers(std::uint64_t begin, std::uint64_t end) const;

  // The program changes the protection of pages until the next restore(). REQUIRES: covers(begin, end), which
  // are at page boundaries.
  void change_protection(std::uint64_t begin, std::uint64_t end, int protection);

  // Adds the memory of the snapshot, without heap and main's stack.
  void add_data(std::vector<std::span<const char>>& data) const;

  // Adds the present content of all changed pages.
  void add_to(Digest& digest) const;

  // The same for their addresses. Of main's stack, adds everything above the pointer, even below the
  // snapshot's part.
  void add_changes(std::uint64_t stack_pointer, std::vector<std::span<const char>>& changes) const;

  // Adds the pages that were written since take(), in this execution or an earlier one, without those of the
  // main stack. hidden: the same for pages that cannot be read at present.
  void add_written(std::vector<std::span<const char>>& pages,
                   std::vector<std::span<const char>>& hidden) const;
  // The upper end of the main stack.
  std::uint64_t stack_end() const { return regions_.back().end; }

  // Pages that earlier executions wrote, and that are unchanged now, are protected again if there are at
  // least `least` of them. Returns whether this was done.
  bool forget_unchanged(std::size_t least);

  // Makes all pages writable and forgets the snapshot.
  void drop();

  // Called for a fault at the address: true if a page of the snapshot was protected there; it is writable
  // now.
  bool unprotect(std::uint64_t address);

  // Makes the bytes writable, since the kernel will write them: the kernel fails at a protected page.
  void prepare_write(std::uint64_t address, std::uint64_t size);

 private:
  struct Region {
    std::uint64_t begin;
    std::uint64_t end;            // both at page boundaries
    std::uint64_t restored_from;  // restore() copies from here; below is free stack
    std::uint64_t restored_to;    // restore() copies up to here; above is free heap, cleared by the heap
    int protection;               // set by the program, at take()
    bool shared_file;
    char* copy;                  // of the writable pages of begin to end
    std::vector<bool> writable;  // by page: it is copied and not protected by us
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The snapshot: the program's memory as it was at its first choice, from which each execution begins.
//
// It holds the writable segments of the program and its libraries (libc's and libstdc++'s too), the heap and
// the main stack from the stack pointer up. All of these are write-protected; the first write to a page
// faults, and from then on the page is writable and on the list of pages that restore() copies back. In the
// steady state nothing faults.
//
// Left out: the dynamic loader, the runtime itself, what the loader made read-only after relocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/forever.hpp"
#include "support/digest.hpp"

namespace thrum {

class Snapshot {
 public:
  constexpr Snapshot() = default;

  bool taken() const { return !regions_.empty(); }

  // stack_pointer: of main, which does not run now.
  void take(std::uint64_t stack_pointer);

  // Puts every page that was written since take() back.
  void restore();

  // Adds the pages that are not as they were, as they are now.
  void add_to(Digest& digest) const;

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
    char* copy;                   // of begin to end
    std::vector<bool> writable;   // by page
  };
  struct DirtyRun {
    char* memory;
    const char* copy;
    std::size_t size;
  };
  void add(std::uint64_t begin, std::uint64_t end);
  void add_modules();
  void mark_writable(Region& region, std::size_t page);
  friend struct ModuleWalk;

  std::vector<Region> regions_;
  std::vector<DirtyRun> dirty_;
};

extern constinit Forever<Snapshot> the_snapshot;
inline Snapshot& snapshot() { return the_snapshot.value; }

}  // namespace thrum

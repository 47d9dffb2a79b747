// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records where blocks of the program's heap were allocated, for reports.
//
// Allocations of an execution are recorded only while its places are recorded, or to report a leak.
// Allocations of main before the first choice would always have to be recorded, since nobody knows yet
// whether a bug will involve them. Only the first kEarlyMax of them are, so that a large set-up costs
// nothing.
//
// Thread safety: one thread runs at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "model/thread_names.hpp"
#include "runtime/base/forever.hpp"

namespace thrum {

struct Allocation {
  static constexpr std::size_t kDepth = 16;
  std::uint64_t size = 0;           // as requested
  std::uint64_t code[kDepth] = {};  // return addresses, innermost first; 0: no more
};

class Allocations {
 public:
  constexpr Allocations() = default;

  // The running thread has got a block: the number-th that was allocated in the name of `thread`.
  void note(ThreadId thread, std::uint32_t number, std::size_t size);

  // Whether every block of an execution is recorded, to report a leak.
  void note_all(bool all) { notes_all_ = all; }

  // nullptr: the allocation was not recorded.
  const Allocation* find(ThreadId thread, std::uint32_t number) const;

  // An execution begins: forgets what the one before it allocated.
  void begin();

 private:
  static constexpr std::size_t kEarlyMax = 1000;
  static constexpr std::size_t kLateMax = 100'000;

  using Name = std::pair<ThreadId, std::uint32_t>;
  std::vector<std::pair<Name, Allocation>> early_;  // before the first choice
  std::map<Name, Allocation>* late_ = nullptr;      // made at its first use
  bool notes_all_ = false;
  bool noting_ = false;  // note() runs, and allocates itself
};

extern constinit Forever<Allocations> the_allocations;
inline Allocations& allocations() { return the_allocations.value; }

}  // namespace thrum

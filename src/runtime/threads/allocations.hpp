// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where blocks of the program's heap were allocated, for reports.
//
// What an execution allocates is noted only while its places are written down, or for the sake of a leak.
// What main allocates before the first choice would have to be noted always, since nobody knows yet whether a
// bug will be found in it: of these only the first kEarlyMax are, so that a large set-up costs nothing.
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
  std::uint64_t size = 0;           // that was asked for
  std::uint64_t code[kDepth] = {};  // return addresses, innermost first; 0: no more
};

class Allocations {
 public:
  constexpr Allocations() = default;

  // The running thread has been given a block: the number-th of those allocated in the thread's name.
  void note(ThreadId thread, std::uint32_t number, std::size_t size);

  // Whether every block of an execution is noted, for the sake of a leak.
  void note_all(bool all) { notes_all_ = all; }

  // nullptr: nothing was noted of it.
  const Allocation* find(ThreadId thread, std::uint32_t number) const;

  // An execution begins: forgets what the one before it allocated.
  void begin();

 private:
  static constexpr std::size_t kEarlyMax = 1000;
  static constexpr std::size_t kLateMax = 100'000;

  using Name = std::pair<ThreadId, std::uint32_t>;
  std::vector<std::pair<Name, Allocation>> early_;  // before the first choice
  std::map<Name, Allocation>* late_ = nullptr;      // made when it is first needed
  bool notes_all_ = false;
  bool noting_ = false;  // note() was called, and allocates itself
};

extern constinit Forever<Allocations> the_allocations;
inline Allocations& allocations() { return the_allocations.value; }

}  // namespace thrum

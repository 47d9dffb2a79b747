// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of the program: the size of its heap, plus the mappings of an execution. Accesses do not matter,
// so an execution always meets the limit (--program-memory) at the same place.
#pragma once

#include <algorithm>
#include <cstdint>

namespace thrum {

class MemoryLimit {
 public:
  // The program takes so many more bytes. Does not return if this exceeds the limit: cuts the execution, or,
  // before the first choice, ends the process.
  void take(std::uint64_t size) {
    taken_ += size;
    if (__builtin_expect(taken_ > limit_, 0)) exceed();
  }
  void give_back(std::uint64_t size) { taken_ -= std::min(size, taken_); }

  std::uint64_t taken() const { return taken_; }
  void set_taken(std::uint64_t taken) { taken_ = taken; }

  void begin(std::uint64_t limit) { limit_ = limit; }
  // Saves the value at the snapshot, and restores it.
  void save() { saved_ = taken_; }
  void restore() { taken_ = saved_; }

 private:
  [[noreturn, gnu::cold]] void exceed();

  std::uint64_t taken_ = 0;
  std::uint64_t limit_ = ~std::uint64_t{0};
  std::uint64_t saved_ = 0;
};

extern constinit MemoryLimit the_memory_limit;

}  // namespace thrum

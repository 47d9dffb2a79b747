// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much memory the program has: what its heap has grown to, and what an execution maps. Not what it
// touches, so that the same execution meets the limit (--program-memory) at the same place each time.
#pragma once

#include <algorithm>
#include <cstdint>

namespace thrum {

class MemoryLimit {
 public:
  // So many bytes more. Does not return where that is more than it may have: cuts the execution, or ends the
  // process before the first choice.
  void take(std::uint64_t size) {
    taken_ += size;
    if (__builtin_expect(taken_ > limit_, 0)) exceed();
  }
  void give_back(std::uint64_t size) { taken_ -= std::min(size, taken_); }

  std::uint64_t taken() const { return taken_; }
  void set_taken(std::uint64_t taken) { taken_ = taken; }

  void begin(std::uint64_t limit) { limit_ = limit; }
  // As of the snapshot.
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector clocks (Mattern 1989; Fidge 1988): what of each thread's past is known. And epochs, which name one
// moment of one thread (Flanagan and Freund, FastTrack, PLDI 2009).
//
// Threads are counted from 0 in the order of their creation in an execution. Clocks begin at 1, so that 0 is
// before everything.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace thrum {

struct Epoch {
  std::uint32_t clock = 0;
  std::uint16_t thread = 0;

  friend bool operator==(const Epoch&, const Epoch&) = default;
};

class VectorClock {
 public:
  // 0 for threads that it has not heard of.
  std::uint32_t operator[](std::size_t thread) const { return thread < size_ ? clocks_[thread] : 0; }

  // Whether that moment is in the past, or is the present.
  bool knows(Epoch epoch) const { return epoch.clock <= (*this)[epoch.thread]; }

  void advance(std::size_t thread) {
    reach(thread + 1);
    ++clocks_[thread];
  }

  // Learns all that the other knows.
  void join(const VectorClock& other) {
    reach(other.size_);
    for (std::size_t i = 0; i < other.size_; ++i) clocks_[i] = std::max(clocks_[i], other.clocks_[i]);
  }

  // Becomes as the other; keeps its memory.
  void assign(const VectorClock& other) {
    if (clocks_.size() < other.size_) clocks_.resize(other.size_);
    std::copy_n(other.clocks_.begin(), other.size_, clocks_.begin());
    size_ = other.size_;
  }

  // Adds itself to the words; and becomes what was added there, and returns where that ends.
  void save(std::vector<std::uint32_t>& words) const {
    words.push_back(static_cast<std::uint32_t>(size_));
    words.insert(words.end(), clocks_.begin(), clocks_.begin() + static_cast<std::ptrdiff_t>(size_));
  }
  const std::uint32_t* load(const std::uint32_t* words) {
    size_ = *words++;  // it has been as large before, and so has the memory
    std::copy_n(words, size_, clocks_.begin());
    return words + size_;
  }

  void clear() { size_ = 0; }
  bool empty() const { return size_ == 0; }

 private:
  void reach(std::size_t size) {
    if (size <= size_) return;
    if (clocks_.size() < size) clocks_.resize(size);
    std::fill(clocks_.begin() + static_cast<std::ptrdiff_t>(size_),
              clocks_.begin() + static_cast<std::ptrdiff_t>(size), 0);
    size_ = size;
  }

  std::vector<std::uint32_t> clocks_;  // the first size_ count
  std::size_t size_ = 0;
};

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector clocks (Mattern 1989; Fidge 1988): how much is known of each thread's past. And epochs, each of
// which names one moment of one thread (Flanagan and Freund, FastTrack, PLDI 2009).
//
// Threads are counted from 0 in the order of their creation in an execution. Clocks begin at 1, so that 0 is
// before everything.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "support/rows.hpp"

namespace thrum {

struct Epoch {
  std::uint32_t clock = 0;
  std::uint16_t thread = 0;

  friend bool operator==(const Epoch&, const Epoch&) = default;
};

class VectorClock {
 public:
  // 0 for unknown threads.
  [[gnu::always_inline]] std::uint32_t operator[](std::size_t thread) const {
    return thread < kFirst ? first_[thread] : more(thread);
  }

  // Whether that moment lies in the past or is the present.
  [[gnu::always_inline]] bool knows(Epoch epoch) const { return epoch.clock <= (*this)[epoch.thread]; }

  void advance(std::size_t thread) {
    reach(thread + 1);
    ++(thread < kFirst ? first_[thread] : more_[thread - kFirst]);
  }

  // Adds all that the other clock knows.
  void join(const VectorClock& other) {
    reach(other.size_);
    take_maxima(first_.data(), other.first_.data(), kFirst);
    take_maxima(more_.data(), other.more_.data(), other.count_of_more());
  }

  // Assigns the other clock; keeps the memory.
  void assign(const VectorClock& other) {
    size_ = other.size_;
    std::copy_n(other.first_.begin(), kFirst, first_.begin());
    copy_row(room_for_more(), other.more_.data(), count_of_more());
  }

  // save() appends the clock to the words. The next one reads a clock from there and returns where it ends.
  void save(std::vector<std::uint32_t>& words) const {
    words.push_back(size_);
    words.insert(words.end(), first_.begin(), first_.end());
    words.insert(words.end(), more_.begin(), more_.begin() + static_cast<std::ptrdiff_t>(count_of_more()));
  }
  const std::uint32_t* load(const std::uint32_t* words) {
    size_ = words[0];
    std::memcpy(first_.data(), words + 1, sizeof first_);
    words += 1 + kFirst;
    copy_row(room_for_more(), words, count_of_more());
    return words + count_of_more();
  }

  void clear() {
    size_ = 0;
    first_.fill(0);
  }
  bool empty() const { return size_ == 0; }

 private:
  // Few programs have more threads at a time. Their clocks need no allocation.
  static constexpr std::size_t kFirst = 8;
  static_assert(kFirst % kRowStep == 0);

  std::size_t count_of_more() const { return size_ > kFirst ? size_ - kFirst : 0; }
  std::uint32_t more(std::size_t thread) const { return thread < size_ ? more_[thread - kFirst] : 0; }

  // The elements after the first kFirst, to be written next.
  std::uint32_t* room_for_more() {
    if (more_.size() < count_of_more()) more_.resize(count_of_more());
    return more_.data();
  }

  void reach(std::size_t size) {
    if (size <= size_) return;
    const std::size_t before = count_of_more();
    size_ = static_cast<std::uint32_t>((size + kRowStep - 1) / kRowStep * kRowStep);
    clear_row(room_for_more() + before, count_of_more() - before);
  }

  std::array<std::uint32_t, kFirst> first_{};  // 0 from size_ on
  std::uint32_t size_ = 0;                     // a multiple of kRowStep
  std::vector<std::uint32_t> more_;            // size_ says how many are valid
};

}  // namespace thrum

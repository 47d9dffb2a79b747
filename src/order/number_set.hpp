// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A set of 64-bit numbers that are spread evenly, such as fingerprints: one array, at most half full.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace thrum {

class NumberSet {
 public:
  std::size_t size() const { return size_; }

  // Makes room for so many elements.
  void reserve(std::size_t count) {
    std::size_t slots = slots_.empty() ? kSlotsAtFirst : slots_.size();
    while (slots < 2 * count) slots *= 2;
    if (slots > slots_.size()) grow(slots);
  }

  // Returns whether the number is new.
  bool insert(std::uint64_t number) {
    if (number == 0) number = 1;  // 0 marks a free slot; so 0 and 1 count as one number
    if (2 * (size_ + 1) > slots_.size()) grow(slots_.empty() ? kSlotsAtFirst : 2 * slots_.size());
    return put(number);
  }

  // The number is about to be inserted: its slot is fetched from memory meanwhile. Inlined, since the
  // compiler would take it for a function without effect.
  [[gnu::always_inline]] void expect(std::uint64_t number) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[number & (slots_.size() - 1)], 1);
  }

  // The memory in use.
  std::span<const std::uint64_t> memory() const { return slots_; }

  template <typename Each>
  void for_each(Each each) const {
    for (std::uint64_t number : slots_) {
      if (number != 0) each(number);
    }
  }

 private:
  static constexpr std::size_t kSlotsAtFirst = 64;

  bool put(std::uint64_t number) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = number & mask;
    while (slots_[at] != 0 && slots_[at] != number) at = (at + 1) & mask;
    if (slots_[at] == number) return false;
    slots_[at] = number;
    ++size_;
    return true;
  }

  void grow(std::size_t slots) {
    std::vector<std::uint64_t> before(slots);
    before.swap(slots_);
    size_ = 0;
    for (std::uint64_t number : before) {
      if (number != 0) put(number);
    }
  }

  std::vector<std::uint64_t> slots_;
  std::size_t size_ = 0;
};

}  // namespace thrum

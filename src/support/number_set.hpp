// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A set of 64-bit numbers, such as fingerprints or addresses. Tested by number_set_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "support/hash.hpp"
#include "support/slots.hpp"

namespace thrum {

class NumberSet {
 public:
  std::size_t size() const { return size_; }

  // Makes room for so many elements.
  void reserve(std::size_t count) { slots_.make_room(count, is_free, hash_of); }

  bool has(std::uint64_t number) const { return size_ != 0 && slots_[find(used(number))] == used(number); }

  // Returns whether the number is new.
  bool insert(std::uint64_t number) {
    reserve(size_ + 1);
    std::uint64_t& slot = slots_[find(used(number))];
    if (slot == used(number)) return false;
    slot = used(number);
    ++size_;
    return true;
  }

  // The number is about to be inserted: its slot is fetched from memory meanwhile. Inlined, since the
  // compiler would take it for a function without effect.
  [[gnu::always_inline]] void expect(std::uint64_t number) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[slots_.first(hash_of(used(number)))], 1);
  }

  // The memory in use.
  std::span<const std::uint64_t> memory() const { return slots_.all(); }

  template <typename Each>
  void for_each(Each each) const {
    for (std::uint64_t number : slots_.all()) {
      if (!is_free(number)) each(number);
    }
  }

 private:
  // 0 marks a free slot; so 0 and 1 count as one number.
  static std::uint64_t used(std::uint64_t number) { return number == 0 ? 1 : number; }
  static bool is_free(std::uint64_t slot) { return slot == 0; }
  static std::uint64_t hash_of(std::uint64_t number) { return mixed(number, 0); }
  std::size_t find(std::uint64_t number) const {
    return slots_.find(hash_of(number), [=](std::uint64_t slot) { return is_free(slot) || slot == number; });
  }

  Slots<std::uint64_t> slots_;
  std::size_t size_ = 0;
};

}  // namespace thrum

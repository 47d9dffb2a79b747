// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The slots of a hash table with open addressing and linear probing: a power of two, of which at most half
// are used. The table that is made of them says which slot is free, and what the hash of an element is.
// Tested by number_set_test.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace thrum {

template <typename Slot>
class Slots {
 public:
  bool empty() const { return slots_.empty(); }
  Slot& operator[](std::size_t at) { return slots_[at]; }
  const Slot& operator[](std::size_t at) const { return slots_[at]; }
  std::span<const Slot> all() const { return slots_; }
  void clear() { slots_.clear(); }

  // REQUIRES: not empty().
  std::size_t first(std::uint64_t hash) const { return hash & (slots_.size() - 1); }

  // The first slot from the hash on at which the search ends: a free one, or the wanted element's.
  // REQUIRES: not empty().
  template <typename Ends>
  [[gnu::always_inline]] std::size_t find(std::uint64_t hash, Ends ends) const {
    std::size_t at = first(hash);
    while (!ends(slots_[at])) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  // Makes room for so many elements; a new slot, Slot{}, is free.
  template <typename IsFree, typename HashOf>
  [[gnu::always_inline]] void make_room(std::size_t count, IsFree is_free, HashOf hash_of) {
    if (__builtin_expect(2 * count > slots_.size(), 0)) grow(count, is_free, hash_of);
  }

 private:
  static constexpr std::size_t kLeast = 64;

  template <typename IsFree, typename HashOf>
  [[gnu::noinline]] void grow(std::size_t count, IsFree is_free, HashOf hash_of) {
    std::vector<Slot> before(std::bit_ceil(std::max(kLeast, 2 * count)));
    before.swap(slots_);
    for (const Slot& slot : before) {
      if (!is_free(slot)) slots_[find(hash_of(slot), is_free)] = slot;
    }
  }

  std::vector<Slot> slots_;
};

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A map from addresses to numbers that is emptied at once. Each entry holds the number of its filling;
// entries of earlier fillings count as free.
#pragma once

#include <cstddef>
#include <cstdint>

#include "support/hash.hpp"
#include "support/slots.hpp"

namespace thrum {

class WordMap {
 public:
  void clear() {
    ++filling_;
    count_ = 0;
  }

  // 0 if the key has no value yet.
  std::uint64_t get(std::uint64_t key) const {
    if (count_ == 0) return 0;
    const Place& place = places_[find(key)];
    return is_used(place) ? place.value : 0;
  }

  std::uint64_t& operator[](std::uint64_t key) {
    places_.make_room(
        count_ + 1, [this](const Place& place) { return !is_used(place); },
        [](const Place& place) { return hash_of(place.key); });
    Place& place = places_[find(key)];
    if (!is_used(place)) {
      place = {key, 0, filling_};
      ++count_;
    }
    return place.value;
  }

 private:
  struct Place {
    std::uint64_t key = 0;
    std::uint64_t value = 0;
    std::uint64_t filling = 0;
  };

  static std::uint64_t hash_of(std::uint64_t key) { return mixed(key, 0); }
  bool is_used(const Place& place) const { return place.filling == filling_; }

  // The index of the key, or the free one at which it belongs.
  std::size_t find(std::uint64_t key) const {
    return places_.find(hash_of(key),
                        [=, this](const Place& place) { return !is_used(place) || place.key == key; });
  }

  Slots<Place> places_;
  std::size_t count_ = 0;
  std::uint64_t filling_ = 1;
};

}  // namespace thrum

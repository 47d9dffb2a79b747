// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A map from addresses to numbers that is emptied at once: a table with open addressing, at most half full.
// Each entry holds the number of its filling; entries of earlier fillings count as free. Tested by the tests
// of round_detector.hpp, which uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

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
    if (2 * (count_ + 1) > places_.size()) grow();
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
  static constexpr std::size_t kLeast = 64;

  bool is_used(const Place& place) const { return place.filling == filling_; }

  // The index of the key, or the free one at which it belongs.
  std::size_t find(std::uint64_t key) const {
    constexpr std::uint64_t kOddConstant = 0x9e3779b97f4a7c15;
    const std::size_t mask = places_.size() - 1;
    std::size_t i = (key * kOddConstant >> 32) & mask;
    while (is_used(places_[i]) && places_[i].key != key) i = (i + 1) & mask;
    return i;
  }

  void grow() {
    std::vector<Place> old(places_.empty() ? kLeast : 2 * places_.size());
    old.swap(places_);
    for (const Place& place : old) {
      if (is_used(place)) places_[find(place.key)] = place;
    }
  }

  std::vector<Place> places_;
  std::size_t count_ = 0;
  std::uint64_t filling_ = 1;
};

}  // namespace thrum

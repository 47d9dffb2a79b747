// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A set of code addresses. It is asked at each visible operation and grows seldom: a table with open
// addressing, at most half full. Tested by the tests of src/runtime/threads/spin.hpp, which uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace thrum {

class CodeSet {
 public:
  // code: not 0.
  bool has(std::uint64_t code) const {
    if (count_ == 0) return false;
    std::size_t i = first_place(code);
    while (places_[i] != 0 && places_[i] != code) i = (i + 1) & (places_.size() - 1);
    return places_[i] == code;
  }

  void add(std::uint64_t code) {
    if (has(code)) return;
    if (2 * (count_ + 1) > places_.size()) grow();
    put(code);
  }

  template <typename Each>
  void for_each(Each each) const {
    for (std::uint64_t code : places_) {
      if (code != 0) each(code);
    }
  }

 private:
  static constexpr std::size_t kLeast = 16;

  std::size_t first_place(std::uint64_t code) const { return (code ^ code >> 6) & (places_.size() - 1); }

  void put(std::uint64_t code) {
    std::size_t i = first_place(code);
    while (places_[i] != 0) i = (i + 1) & (places_.size() - 1);
    places_[i] = code;
    ++count_;
  }

  void grow() {
    std::vector<std::uint64_t> old(places_.empty() ? kLeast : 2 * places_.size());
    old.swap(places_);
    count_ = 0;
    for (std::uint64_t code : old) {
      if (code != 0) put(code);
    }
  }

  std::vector<std::uint64_t> places_;  // 0: free; a power of two
  std::size_t count_ = 0;
};

}  // namespace thrum

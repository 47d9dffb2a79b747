// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small seeded generator (SplitMix64: Steele, Lea, Flood, OOPSLA 2014): the same numbers on every machine,
// which the standard library's distributions do not promise.
#pragma once

#include <cstdint>

namespace thrum {

class Random {
 public:
  constexpr explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  // A number in [0, limit). REQUIRES: limit > 0.
  std::uint64_t below(std::uint64_t limit) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * limit) >> 64);
  }

  // Random(state()) goes on as this one does.
  std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_;
};

}  // namespace thrum

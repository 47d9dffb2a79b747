// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Footprints: which bytes a thread accesses between two of its events, and how. Equal ones have one number,
// since a thread mostly does the same there whatever it has read before.
//
// Tested by footprint_sets_test.cpp.
#pragma once

#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "support/interned.hpp"

namespace thrum {

class FootprintSets {
 public:
  using Number = std::uint32_t;
  static constexpr Number kEmpty = 0;

  struct Bytes {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool writes = false;
    bool is_atomic = false;
    bool in_section = false;  // by an atomic section; no two of these are a race

    friend auto operator<=>(const Bytes&, const Bytes&) = default;
  };

  // Puts the accesses in order.
  Number number_of(std::vector<Bytes>& accesses);
  std::size_t size() const { return footprints_.size(); }

  // Whether they have accesses to a byte of which one writes and one is plain.
  bool conflict(Number a, Number b) const;
  // Whether the first one reads a byte plainly that the second one writes.
  bool reads_from(Number reader, Number writer);

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.footprints_, self.reads_);
  }

 private:
  enum class Known : std::uint8_t { no = 1, yes };
  template <typename Meets>
  bool any_meet(Number a, Number b, Meets meets) const;

  Interned<std::vector<Bytes>> footprints_{std::vector<std::vector<Bytes>>(1)};  // the first: kEmpty
  std::unordered_map<std::uint64_t, Known> reads_;
};

}  // namespace thrum

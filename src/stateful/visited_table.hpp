// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The states that a search has visited, by their keys: where they are many, 20 to 25 bytes for each. If a
// number is kept with each, it takes the place of 32 of a key's 128 bits.
//
// The table consists of many small ones, each of which grows for itself by a fifth: so growing takes little
// memory, and no long pause. In each, a key lies at the place that its lower half says, or behind it.
//
// Thread safety: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "stateful/state_program.hpp"

namespace thrum {

class VisitedTable {
 public:
  // keeps_numbers: each key has a number.
  explicit VisitedTable(bool keeps_numbers = false) : keeps_numbers_(keeps_numbers) {}

  enum class Raised : std::uint8_t { is_new, higher, no };
  // Adds the key with the number, or raises its number. no: it was there with at least that number.
  // REQUIRES: numbers are kept, or number is 0
  Raised raise(StateKey key, std::uint32_t number);

  struct Added {
    bool is_new = false;
    std::uint32_t number = 0;  // that the key has now
  };
  // Adds the key with the number, unless it is there. REQUIRES: as raise()
  Added add(StateKey key, std::uint32_t number);
  // The key's number; nothing: it is not there. REQUIRES: numbers are kept
  std::optional<std::uint32_t> number_of(StateKey key) const;

  bool keeps_numbers() const { return keeps_numbers_; }
  void clear();

  std::uint64_t size() const { return size_; }
  // Of memory.
  std::uint64_t bytes() const { return bytes_; }
  // How many pairs of different states are expected to have had the same key, so that one was not visited.
  double expected_collisions() const;

 private:
  static constexpr std::size_t kParts = 256;

  struct Part {
    std::unique_ptr<StateKey[]> keys;  // {0, 0}: free. With numbers: in the lower half of `high`
    std::uint64_t capacity = 0;
    std::uint64_t size = 0;
  };

  // Where a key is.
  struct Place {
    Part& part;
    std::uint64_t number = 0;
    bool is_new = false;
  };
  Place place_of(StateKey key);
  // Of a key's upper half, what is compared.
  std::uint64_t compared() const { return keeps_numbers_ ? ~std::uint64_t{0xffff'ffff} : ~std::uint64_t{0}; }
  StateKey usable(StateKey key) const;
  static std::uint32_t number_in(const StateKey& entry) { return static_cast<std::uint32_t>(entry.high); }
  void set_number(StateKey& entry, std::uint32_t number) const;
  std::uint64_t find(const Part& part, StateKey key) const;
  void grow(Part& part);

  bool keeps_numbers_;
  std::uint64_t size_ = 0;
  std::uint64_t bytes_ = 0;
  std::array<Part, kParts> parts_;
};

}  // namespace thrum

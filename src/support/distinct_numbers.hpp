// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts different 64-bit numbers, such as fingerprints, in a fixed memory: exactly as long as there are few,
// and beyond that by an estimate. Numbers must be evenly distributed.
//
// The estimate (HyperLogLog; Flajolet, Fusy, Gandouet, Meunier, AofA 2007): the numbers are dealt among 2^14
// registers, each of which keeps the most leading zeros that a number of it had. The standard error is 0.8 %.
//
// Tested by distinct_numbers_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "support/bytes.hpp"
#include "support/number_set.hpp"

namespace thrum {

class DistinctNumbers {
 public:
  static constexpr std::size_t kExactMax = 100'000;

  explicit DistinctNumbers(std::size_t exact_max = kExactMax) : exact_max_(exact_max) {}

  // Whether the number is new for certain; of an estimate: whether it changes that.
  bool insert(std::uint64_t number);
  bool is_exact() const { return registers_.empty(); }
  std::uint64_t count() const;

  // How many were new, as above.
  std::uint64_t merge(const DistinctNumbers& other);
  void clear();

  // load() REQUIRES: there are none.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  static constexpr unsigned kRegisterBits = 14;
  static constexpr std::size_t kRegisters = std::size_t{1} << kRegisterBits;

  bool note(std::uint64_t number);
  void estimate();

  std::size_t exact_max_;
  NumberSet numbers_;
  std::vector<std::uint8_t> registers_;  // empty: all are in numbers_
};

}  // namespace thrum

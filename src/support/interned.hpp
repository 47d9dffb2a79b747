// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that are kept once, and have numbers: from 0, in the order in which they came.
//
// Tested by interned_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace thrum {

template <typename T>
class Interned {
 public:
  using Number = std::uint32_t;

  Interned() = default;
  // These have the first numbers, and are not looked up.
  explicit Interned(std::vector<T> first) : values_(std::move(first)) {}

  // hash: of the value, here and everywhere. Nothing: it is not known.
  std::optional<Number> find(const T& value, std::uint64_t hash) const {
    for (auto [known, end] = numbers_.equal_range(hash); known != end; ++known) {
      if (values_[known->second] == value) return known->second;
    }
    return {};
  }
  // The value's number; if it is not known, it gets the next one.
  Number number_of(const T& value, std::uint64_t hash) {
    if (const std::optional<Number> known = find(value, hash)) return *known;
    const auto number = static_cast<Number>(values_.size());
    values_.push_back(value);
    numbers_.emplace(hash, number);
    return number;
  }
  const T& operator[](Number number) const { return values_[number]; }
  std::size_t size() const { return values_.size(); }

  // Of memory, about; but for what the values keep elsewhere.
  std::uint64_t bytes() const {
    constexpr std::uint64_t kNode = 48;
    return values_.capacity() * sizeof(T) + numbers_.size() * kNode;
  }

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.values_, self.numbers_);
  }

 private:
  std::vector<T> values_;
  std::unordered_multimap<std::uint64_t, Number> numbers_;  // by hash
};

}  // namespace thrum

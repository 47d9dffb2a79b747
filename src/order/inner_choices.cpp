// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/inner_choices.hpp"

#include "support/hash.hpp"

namespace thrum {

namespace {

std::uint64_t hash_of(const std::vector<Departure>& list) {
  std::uint64_t hash = list.size();
  for (const auto& [key, option] : list) {
    hash = mixed(hash,
                 std::uint64_t{key.index} << 32 | std::uint64_t{key.thread} << 16 | std::uint64_t(key.kind));
    hash = mixed(hash, std::uint64_t{option.value} << 8 | std::uint64_t(option.via));
  }
  return hash;
}

}  // namespace

std::uint32_t InnerChoices::number_of(const std::vector<Departure>& list) {
  if (list.empty()) return 0;  // so for nearly every step of nearly every program
  const std::uint64_t hash = hash_of(list);
  for (auto [known, end] = numbers_.equal_range(hash); known != end; ++known) {
    if (lists_[known->second] == list) return known->second;
  }
  const auto number = static_cast<std::uint32_t>(lists_.size());
  lists_.push_back(list);
  numbers_.emplace(hash, number);
  return number;
}

void InnerChoices::save(ByteWriter& out) const {
  out.put(std::uint64_t{lists_.size()});
  for (const std::vector<Departure>& list : lists_) out.put_all(list);
}

void InnerChoices::load(ByteReader& in) {
  lists_.assign(1, {});
  numbers_.clear();
  std::vector<Departure> list;
  for (auto count = in.get<std::uint64_t>(); count > 0 && in.ok(); --count) {
    in.get_all(list);
    number_of(list);
  }
}

}  // namespace thrum

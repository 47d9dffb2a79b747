// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/inner_choices.hpp"

#include <algorithm>
#include <tuple>

namespace thrum {

bool InnerChoices::Less::operator()(const List& a, const List& b) const {
  constexpr auto kFields = [](const Departure& one) {
    return std::tuple(one.key.thread, one.key.kind, one.key.index, one.option.value, one.option.via);
  };
  return std::ranges::lexicographical_compare(a, b, {}, kFields, kFields);
}

std::uint32_t InnerChoices::number_of(const List& list) {
  if (list.empty()) return 0;  // so for nearly every step of nearly every program
  const auto [known, is_new] = numbers_.try_emplace(list, static_cast<std::uint32_t>(lists_.size()));
  if (is_new) lists_.push_back(list);
  return known->second;
}

void InnerChoices::save(ByteWriter& out) const {
  out.put(std::uint64_t{lists_.size()});
  for (const List& list : lists_) out.put_all(list);
}

void InnerChoices::load(ByteReader& in) {
  *this = InnerChoices();
  List list;
  for (auto count = in.get<std::uint64_t>(); count > 0 && in.ok(); --count) {
    in.get_all(list);
    number_of(list);
  }
}

}  // namespace thrum

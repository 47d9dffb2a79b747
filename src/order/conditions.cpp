// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/conditions.hpp"

#include <algorithm>

namespace thrum {

Conditions::Answer Conditions::ask(std::uint64_t condition, std::uint64_t value) const {
  const Refusal what{condition, value};
  const auto known = std::ranges::lower_bound(known_, what, {}, &Known::what);
  return known != known_.end() && known->what == what ? known->answer : Answer::unknown;
}

void Conditions::learn(std::uint64_t condition, std::uint64_t value, Answer answer) {
  const Refusal what{condition, value};
  const auto known = std::ranges::lower_bound(known_, what, {}, &Known::what);
  if (known == known_.end() || known->what != what) known_.insert(known, {what, answer});
}

void Conditions::merge(const Conditions& other) {
  for (const Known& one : other.known_) learn(one.what.condition, one.what.value, one.answer);
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order/conditions.hpp"

#include "support/hash.hpp"

namespace thrum {

namespace {

std::uint64_t hash_of_what(const Refusal& what) { return mixed(what.condition, what.value); }

}  // namespace

Conditions::Answer Conditions::ask(std::uint64_t condition, std::uint64_t value) const {
  if (places_.empty()) return Answer::unknown;
  const Refusal what{condition, value};
  const std::uint32_t place = places_[places_.find(
      hash_of_what(what), [&](std::uint32_t at) { return at == 0 || known_[at - 1].what == what; })];
  return place == 0 ? Answer::unknown : static_cast<Answer>(known_[place - 1].answer);
}

void Conditions::learn(std::uint64_t condition, std::uint64_t value, Answer answer) {
  if (ask(condition, value) == Answer::unknown) add({{condition, value}, static_cast<std::uint64_t>(answer)});
}

void Conditions::add(const Known& known) {
  const auto is_free = [](std::uint32_t at) { return at == 0; };
  places_.make_room(known_.size() + 1, is_free,
                    [this](std::uint32_t at) { return hash_of_what(known_[at - 1].what); });
  known_.push_back(known);
  places_[places_.find(hash_of_what(known.what), is_free)] = static_cast<std::uint32_t>(known_.size());
}

void Conditions::merge(const Conditions& other) {
  for (const Known& one : other.known_)
    learn(one.what.condition, one.what.value, static_cast<Answer>(one.answer));
}

void Conditions::load(ByteReader& in) {
  std::vector<Known> known;
  in.get_all(known);
  *this = Conditions();
  for (const Known& one : known) add(one);
}

}  // namespace thrum

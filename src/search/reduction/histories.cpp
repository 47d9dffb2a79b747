// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/histories.hpp"

#include <algorithm>

namespace thrum {

Histories::Number Histories::number_of(const ReadsFrom::Step& step, std::span<const Number> numbers) {
  auto number = [&](ReadsFrom::Index of) { return of == ReadsFrom::kNone ? kNone : numbers[of]; };
  Entry entry{step.event,  number(step.previous), step.place, step.location,     step.reads,
              step.writes, number(step.source),   {},         step.events_after, {}};
  for (const ReadsFrom::Index cause : step.causes) entry.causes.push_back(number(cause));
  std::vector<std::uint32_t> key{step.event.thread, entry.previous, step.reads ? 1u : 0u, entry.source};
  key.insert(key.end(), entry.causes.begin(), entry.causes.end());
  for (const ReadsFrom::Choice& choice : step.choices) {
    entry.choices.push_back(choice.taken);
    // No number of a step is as high.
    const auto kind = static_cast<std::uint32_t>(choice.taken.key.kind);
    const auto via = static_cast<std::uint32_t>(choice.taken.option.via);
    key.push_back(0x80000000 | kind << 24 | via << 16 | choice.taken.option.value);
  }
  const auto [known, is_new] = numbers_.try_emplace(std::move(key), static_cast<Number>(entries_.size()));
  if (is_new) entries_.push_back(std::move(entry));
  return known->second;
}

void Graph::set(ThreadId thread, Histories::Number last) {
  if (last_.size() <= thread) last_.resize(thread + std::size_t{1});
  last_[thread] = last;
}

void Graph::join(const Graph& other, const Histories& histories) {
  for (ThreadId thread = 0; thread < other.threads(); ++thread) {
    const Histories::Number last = other[thread];
    if (last != Histories::kNone && !has(thread, histories[last].place, histories)) set(thread, last);
  }
}

}  // namespace thrum

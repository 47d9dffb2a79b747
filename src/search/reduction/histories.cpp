// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/histories.hpp"

#include <algorithm>

namespace thrum {

Histories::Number Histories::number_of(const ReadsFrom::Step& step, std::span<const Number> numbers) {
  auto number = [&](ReadsFrom::Index of) { return of == ReadsFrom::kNone ? kNone : numbers[of]; };
  Entry entry{step.event,  number(step.previous), step.place, step.location,     step.reads,
              step.writes, number(step.source),   {},         step.events_after, {}};
  for (const ReadsFrom::Index cause : step.causes) entry.causes.push_back(number(cause));
  for (const ReadsFrom::Choice& choice : step.choices) entry.choices.push_back(choice.taken);
  const auto [known, is_new] = numbers_.try_emplace(key_of(entry), static_cast<Number>(entries_.size()));
  if (is_new) entries_.push_back(std::move(entry));
  return known->second;
}

Histories::Key Histories::key_of(const Entry& entry) {
  Key key{entry.event.thread, entry.previous, entry.reads ? 1u : 0u, entry.source};
  key.insert(key.end(), entry.causes.begin(), entry.causes.end());
  for (const Departure& choice : entry.choices) {
    // No number of a step is as high.
    const auto kind = static_cast<std::uint32_t>(choice.key.kind);
    const auto via = static_cast<std::uint32_t>(choice.option.via);
    key.push_back(0x80000000 | kind << 24 | via << 16 | choice.option.value);
  }
  return key;
}

// A step has a higher number than those of its past.
std::vector<Histories::Number> Histories::keep_only(std::vector<bool> marks) {
  for (std::size_t i = entries_.size(); --i > kNone;) {
    if (!marks[i]) continue;
    const Entry& entry = entries_[i];
    marks[entry.previous] = marks[entry.source] = true;
    for (const Number cause : entry.causes) marks[cause] = true;
  }
  std::vector<Number> renamed(entries_.size(), kNone);
  numbers_.clear();
  Number count = kNone + 1;
  for (Number old = kNone + 1; old < entries_.size(); ++old) {
    if (!marks[old]) continue;
    Entry& entry = entries_[old];
    entry.previous = renamed[entry.previous];
    entry.source = renamed[entry.source];
    for (Number& cause : entry.causes) cause = renamed[cause];
    numbers_.emplace(key_of(entry), count);
    renamed[old] = count;
    if (count != old) entries_[count] = std::move(entry);
    ++count;
  }
  entries_.resize(count);
  return renamed;
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

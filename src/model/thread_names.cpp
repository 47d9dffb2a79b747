// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/thread_names.hpp"

#include <algorithm>
#include <charconv>

#include "support/check.hpp"

namespace thrum {

ThreadNames::ThreadNames() : entries_{{kNoThread, 0, {}}}, order_{kMainThread}, rank_{0} {}

std::optional<Ancestry> SharedThreadIds::at(std::size_t id) const {
  if (id >= kNoThread) return std::nullopt;
  const std::uint64_t word = words_[id].load(std::memory_order_acquire);
  if (word == 0) return std::nullopt;
  const Ancestry name{static_cast<ThreadId>(word & kNoThread), static_cast<std::uint32_t>(word >> 16)};
  // The memory is shared with a program that may write anywhere.
  const bool sound = name.parent < id && name.ordinal > 0 && name.ordinal < kNoThread;
  return sound ? std::optional(name) : std::nullopt;
}

bool SharedThreadIds::give(std::size_t id, const Ancestry& name) {
  const std::uint64_t word = std::uint64_t{name.ordinal} << 16 | name.parent;
  std::uint64_t before = 0;
  return words_[id].compare_exchange_strong(before, word, std::memory_order_acq_rel) || before == word;
}

bool ThreadNames::share(SharedThreadIds& ids) {
  for (std::size_t id = 1; id < entries_.size(); ++id) {
    if (!ids.give(id, {entries_[id].parent, entries_[id].ordinal})) return false;
  }
  shared_ = &ids;
  while (std::optional<Ancestry> name = ids.at(entries_.size())) add(*name);
  return true;
}

ThreadId ThreadNames::child(ThreadId parent, std::uint32_t ordinal) {
  auto known = [&] {
    const std::vector<ThreadId>& siblings = entries_[parent].children;
    return ordinal <= siblings.size() ? siblings[ordinal - 1] : kNoThread;
  };
  if (const ThreadId id = known(); id != kNoThread) return id;
  THRUM_CHECK(ordinal > 0 && entries_.size() < kNoThread);
  // Other workers may have assigned ids since, perhaps this one.
  while (shared_ != nullptr && !shared_->give(entries_.size(), {parent, ordinal})) {
    const std::optional<Ancestry> other = shared_->at(entries_.size());
    THRUM_CHECK(other.has_value());
    add(*other);
    if (const ThreadId id = known(); id != kNoThread) return id;
    THRUM_CHECK(entries_.size() < kNoThread);
  }
  return add({parent, ordinal});
}

ThreadId ThreadNames::add(const Ancestry& name) {
  std::vector<ThreadId>& siblings = entries_[name.parent].children;
  if (siblings.size() < name.ordinal) siblings.resize(name.ordinal, kNoThread);
  auto id = static_cast<ThreadId>(entries_.size());
  siblings[name.ordinal - 1] = id;
  entries_.push_back({name.parent, name.ordinal, {}});
  std::vector<std::uint32_t> mine = path(id);
  auto place =
      std::partition_point(order_.begin(), order_.end(), [&](ThreadId other) { return path(other) < mine; });
  order_.insert(place, id);
  rank_.resize(entries_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) rank_[order_[i]] = static_cast<std::uint16_t>(i);
  return id;
}

std::vector<std::uint32_t> ThreadNames::path(ThreadId id) const {
  std::vector<std::uint32_t> ordinals;
  for (; id != kMainThread; id = entries_[id].parent) ordinals.push_back(entries_[id].ordinal);
  std::reverse(ordinals.begin(), ordinals.end());
  return ordinals;
}

std::string ThreadNames::name(ThreadId id) const {
  std::string text = "0";
  for (std::uint32_t ordinal : path(id)) text += "." + std::to_string(ordinal);
  return text;
}

std::optional<ThreadId> ThreadNames::parse(std::string_view name) {
  constexpr std::uint32_t kOrdinalMax = 1 << 15;
  constexpr std::size_t kDepthMax = 1 << 10;
  if (name.empty() || name[0] != '0') return std::nullopt;
  name.remove_prefix(1);
  // Everything is read before any id is assigned.
  std::vector<std::uint32_t> ordinals;
  while (!name.empty()) {
    std::uint32_t ordinal = 0;
    auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), ordinal);
    if (name[0] != '.' || error != std::errc() || name[1] == '0' || ordinal > kOrdinalMax)
      return std::nullopt;
    ordinals.push_back(ordinal);
    name.remove_prefix(static_cast<std::size_t>(end - name.data()));
  }
  if (ordinals.size() > kDepthMax || entries_.size() + ordinals.size() > kNoThread) return std::nullopt;
  ThreadId id = kMainThread;
  for (std::uint32_t ordinal : ordinals) id = child(id, ordinal);
  return id;
}

void ThreadNames::save(ByteWriter& out) const {
  out.put(static_cast<std::uint32_t>(entries_.size()));
  for (std::size_t id = 1; id < entries_.size(); ++id) {
    out.put(entries_[id].parent);
    out.put(entries_[id].ordinal);
  }
}

bool ThreadNames::load(ByteReader& in) {
  const auto count = in.get<std::uint32_t>();
  for (std::size_t id = 1; id < count && in.ok(); ++id) {
    const auto parent = in.get<ThreadId>();
    const auto ordinal = in.get<std::uint32_t>();
    if (parent >= id || ordinal == 0 || ordinal > kNoThread || child(parent, ordinal) != id) return false;
  }
  return in.ok();
}

}  // namespace thrum

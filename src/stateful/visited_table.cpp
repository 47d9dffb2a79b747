// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stateful/visited_table.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace thrum {

namespace {

constexpr std::uint64_t kSmallest = 60;

bool is_free(const StateKey& key) { return key == StateKey{}; }

// A key that is not {0, 0}.
StateKey usable(StateKey key) { return is_free(key) ? StateKey{1, 0} : key; }

// Where the search for it begins: the lower half as a fraction of the whole.
std::uint64_t first_place(StateKey key, std::uint64_t capacity) {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(key.low) * capacity) >> 64);
}

// At four fifths it grows.
bool is_full(std::uint64_t size, std::uint64_t capacity) { return size * 5 >= capacity * 4; }

}  // namespace

// The place of the key, or the free one where it belongs.
std::uint64_t VisitedTable::find(const Part& part, StateKey key) {
  std::uint64_t place = first_place(key, part.capacity);
  while (!is_free(part.keys[place]) && part.keys[place] != key) {
    if (++place == part.capacity) place = 0;
  }
  return place;
}

// Adds the key if it is not there; its number is not set then.
VisitedTable::Place VisitedTable::place_of(StateKey key) {
  key = usable(key);
  Part& part = parts_[key.high >> 56];
  if (part.capacity == 0) grow(part);
  std::uint64_t place = find(part, key);
  if (!is_free(part.keys[place])) return {part, place, false};
  if (is_full(part.size, part.capacity)) {
    grow(part);
    place = find(part, key);
  }
  part.keys[place] = key;
  ++part.size;
  ++size_;
  return {part, place, true};
}

VisitedTable::Raised VisitedTable::raise(StateKey key, std::uint32_t number) {
  const Place place = place_of(key);
  if (!keeps_numbers_) return place.is_new ? Raised::is_new : Raised::no;
  std::uint32_t& known = place.part.numbers[place.number];
  if (!place.is_new && known >= number) return Raised::no;
  known = number;
  return place.is_new ? Raised::is_new : Raised::higher;
}

VisitedTable::Added VisitedTable::add(StateKey key, std::uint32_t number) {
  const Place place = place_of(key);
  if (!keeps_numbers_) return {place.is_new, 0};
  std::uint32_t& known = place.part.numbers[place.number];
  if (place.is_new) known = number;
  return {place.is_new, known};
}

std::optional<std::uint32_t> VisitedTable::number_of(StateKey key) const {
  key = usable(key);
  const Part& part = parts_[key.high >> 56];
  if (part.capacity == 0) return std::nullopt;
  const std::uint64_t place = find(part, key);
  return is_free(part.keys[place]) ? std::nullopt : std::optional(part.numbers[place]);
}

void VisitedTable::grow(Part& part) {
  Part larger;
  larger.capacity = std::max(kSmallest, part.capacity + part.capacity / 5);
  larger.size = part.size;
  larger.keys = std::make_unique<StateKey[]>(larger.capacity);
  if (keeps_numbers_) larger.numbers = std::make_unique_for_overwrite<std::uint32_t[]>(larger.capacity);
  for (std::uint64_t i = 0; i < part.capacity; ++i) {
    if (is_free(part.keys[i])) continue;
    const std::uint64_t place = find(larger, part.keys[i]);
    larger.keys[place] = part.keys[i];
    if (keeps_numbers_) larger.numbers[place] = part.numbers[i];
  }
  const std::uint64_t entry = sizeof(StateKey) + (keeps_numbers_ ? sizeof(std::uint32_t) : 0);
  bytes_ += (larger.capacity - part.capacity) * entry;
  part = std::move(larger);
}

void VisitedTable::clear() {
  for (Part& part : parts_) part = {};
  size_ = bytes_ = 0;
}

double VisitedTable::expected_collisions() const {
  return std::ldexp(static_cast<double>(size_) * static_cast<double>(size_), -129);
}

}  // namespace thrum

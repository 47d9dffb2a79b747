// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stateful/visited_table.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace thrum {

namespace {

constexpr std::uint64_t kSmallest = 60;

bool is_free(const StateKey& key) { return key == StateKey{}; }

// Where the search for it begins: the lower half as a fraction of the whole.
std::uint64_t first_place(StateKey key, std::uint64_t capacity) {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(key.low) * capacity) >> 64);
}

// At four fifths it grows.
bool is_full(std::uint64_t size, std::uint64_t capacity) { return size * 5 >= capacity * 4; }

}  // namespace

// What is compared of the key, which is not {0, 0}.
StateKey VisitedTable::usable(StateKey key) const {
  key.high &= compared();
  return is_free(key) ? StateKey{1, 0} : key;
}

void VisitedTable::set_number(StateKey& entry, std::uint32_t number) const {
  entry.high = (entry.high & compared()) | number;
}

// The place of the key, or the free one where it belongs. REQUIRES: the key is usable
std::uint64_t VisitedTable::find(const Part& part, StateKey key) const {
  std::uint64_t place = first_place(key, part.capacity);
  const auto is_it = [&](const StateKey& entry) {
    return entry.low == key.low && (entry.high & compared()) == key.high;
  };
  while (!is_free(part.keys[place]) && !is_it(part.keys[place])) {
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
  StateKey& entry = place.part.keys[place.number];
  if (!place.is_new && number_in(entry) >= number) return Raised::no;
  set_number(entry, number);
  return place.is_new ? Raised::is_new : Raised::higher;
}

VisitedTable::Added VisitedTable::add(StateKey key, std::uint32_t number) {
  const Place place = place_of(key);
  if (!keeps_numbers_) return {place.is_new, 0};
  StateKey& entry = place.part.keys[place.number];
  if (place.is_new) set_number(entry, number);
  return {place.is_new, number_in(entry)};
}

std::optional<std::uint32_t> VisitedTable::number_of(StateKey key) const {
  key = usable(key);
  const Part& part = parts_[key.high >> 56];
  if (part.capacity == 0) return std::nullopt;
  const std::uint64_t place = find(part, key);
  return is_free(part.keys[place]) ? std::nullopt : std::optional(number_in(part.keys[place]));
}

void VisitedTable::grow(Part& part) {
  Part larger;
  larger.capacity = std::max(kSmallest, part.capacity + part.capacity / 5);
  larger.size = part.size;
  larger.keys = std::make_unique<StateKey[]>(larger.capacity);
  for (std::uint64_t i = 0; i < part.capacity; ++i) {
    if (is_free(part.keys[i])) continue;
    const StateKey key{part.keys[i].low, part.keys[i].high & compared()};
    larger.keys[find(larger, key)] = part.keys[i];
  }
  bytes_ += (larger.capacity - part.capacity) * sizeof(StateKey);
  part = std::move(larger);
}

void VisitedTable::clear() {
  for (Part& part : parts_) part = {};
  size_ = bytes_ = 0;
}

double VisitedTable::expected_collisions() const {
  const int bits = keeps_numbers_ ? 96 : 128;
  return std::ldexp(static_cast<double>(size_) * static_cast<double>(size_), -bits - 1);
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/known_races.hpp"

#include <algorithm>

#include "vm/address_space.hpp"

namespace thrum::vm {

namespace {

// In a trace an access has the return address that a call there would have.
Place place_of_code(std::uint64_t code) { return {Place::Space::module, 0, 0, code + 1 - kArena}; }
std::uint64_t code_at(const Place& place) {
  return place.space == Place::Space::module ? place.offset + kArena - 1 : 0;
}

}  // namespace

void KnownRaces::add(const Failure& race) {
  const MemoryAccess& one = race.accesses.front();
  const MemoryAccess& other = race.accesses.back();
  all_.push_back({one.code, other.code, std::max(one.address, other.address),
                  std::min(one.address + one.size, other.address + other.size)});
  use(all_.size());
}

void KnownRaces::add(std::span<const KnownRace> races) {
  for (const KnownRace& race : races) {
    const Known known{code_at(race.first), code_at(race.second), race.bytes.offset,
                      race.bytes.offset + race.size};
    if (is_code(known.first) && is_code(known.second)) all_.push_back(known);
  }
  use(all_.size());
}

void KnownRaces::use(std::size_t count) {
  in_use_ = std::min(count, all_.size());
  places_.clear();
  bytes_.clear();
  for (std::size_t i = 0; i < in_use_; ++i) {
    for (const std::uint64_t code : {all_[i].first, all_[i].second}) {
      places_.push_back(code);
      if (const std::uint64_t instruction = instruction_at_(code)) places_.push_back(instruction);
    }
    bytes_.emplace_back(all_[i].begin, all_[i].end);
  }
  std::sort(places_.begin(), places_.end());
  std::sort(bytes_.begin(), bytes_.end());
  bytes_.erase(std::unique(bytes_.begin(), bytes_.end()), bytes_.end());
}

bool KnownRaces::holds(std::uint64_t first, std::uint64_t second) const {
  const auto end = all_.begin() + static_cast<std::ptrdiff_t>(in_use_);
  return std::any_of(all_.begin(), end, [&](const Known& race) {
    return (race.first == first && race.second == second) || (race.first == second && race.second == first);
  });
}

bool KnownRaces::promotes(std::uint64_t where, std::uint64_t address, std::uint64_t size) const {
  return std::binary_search(places_.begin(), places_.end(), where) ||
         std::any_of(bytes_.begin(), bytes_.end(), [&](const auto& range) {
           return address < range.second && range.first < address + size;
         });
}

std::vector<KnownRace> KnownRaces::places() const {
  std::vector<KnownRace> places;
  for (std::size_t i = 0; i < in_use_; ++i) {
    const Known& known = all_[i];
    places.push_back({place_of_code(known.first),
                      place_of_code(known.second),
                      {Place::Space::other, 0, 0, known.begin},
                      known.end - known.begin});
  }
  return places;
}

}  // namespace thrum::vm

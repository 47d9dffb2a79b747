// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/judge/known_races.hpp"

#include <algorithm>

#include "runtime/base/modules.hpp"
#include "runtime/threads/scheduler.hpp"

namespace thrum {

namespace {

// The system chooses this address; the runtime chooses those of the heap and of other stacks.
std::uint64_t top_of_main_stack() {
  return reinterpret_cast<std::uint64_t>(scheduler().thread_in_slot(0).stack_top);
}

Place place_of_bytes(std::uint64_t address) {
  Place place;
  if (find_in_modules(address, place)) return place;
  const Thread& main = scheduler().thread_in_slot(0);
  std::uint64_t depth = top_of_main_stack() - address;
  if (depth <= static_cast<std::uint64_t>(main.stack_top - main.stack_bottom))
    return {Place::Space::stack, kMainThread, 0, depth};
  return {Place::Space::other, 0, 0, address};
}

std::uint64_t address_of_bytes(const Place& place) {
  if (place.space == Place::Space::module) return address_in_module(place);
  if (place.space == Place::Space::stack) return top_of_main_stack() - place.offset;
  return place.offset;
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
    std::uint64_t begin = address_of_bytes(race.bytes);
    Known known{address_in_module(race.first), address_in_module(race.second), begin, begin + race.size};
    if (known.first != 0 && known.second != 0) all_.push_back(known);
  }
  use(all_.size());
}

void KnownRaces::use(std::size_t count) {
  in_force_ = count;
  codes_.clear();
  bytes_.clear();
  for (std::size_t i = 0; i < in_force_; ++i) {
    codes_.push_back(all_[i].first);
    codes_.push_back(all_[i].second);
    bytes_.emplace_back(all_[i].begin, all_[i].end);
  }
  std::sort(codes_.begin(), codes_.end());
  std::sort(bytes_.begin(), bytes_.end());
  bytes_.erase(std::unique(bytes_.begin(), bytes_.end()), bytes_.end());
}

bool KnownRaces::holds(std::uint64_t first, std::uint64_t second) const {
  auto end = all_.begin() + static_cast<std::ptrdiff_t>(in_force_);
  return std::any_of(all_.begin(), end, [&](const Known& race) {
    return (race.first == first && race.second == second) || (race.first == second && race.second == first);
  });
}

bool KnownRaces::promotes(std::uint64_t code, std::uint64_t address, std::uint64_t size) const {
  return std::binary_search(codes_.begin(), codes_.end(), code) ||
         std::any_of(bytes_.begin(), bytes_.end(), [&](const auto& range) {
           return address < range.second && range.first < address + size;
         });
}

std::vector<KnownRace> KnownRaces::places() const {
  std::vector<KnownRace> places;
  for (std::size_t i = 0; i < in_force_; ++i) {
    const Known& known = all_[i];
    KnownRace& race = places.emplace_back();
    find_in_modules(known.first, race.first);
    find_in_modules(known.second, race.second);
    race.bytes = place_of_bytes(known.begin);
    race.size = known.end - known.begin;
  }
  return places;
}

}  // namespace thrum

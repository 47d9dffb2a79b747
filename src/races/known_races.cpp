// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "races/known_races.hpp"

#include <algorithm>

namespace thrum {

void KnownRaces::add(const Race& race) {
  all_.push_back(race);
  use(all_.size());
}

void KnownRaces::add(const Failure& race) {
  const MemoryAccess& one = race.accesses.front();
  const MemoryAccess& other = race.accesses.back();
  add(Race{one.code, other.code, std::max(one.address, other.address),
           std::min(one.address + one.size, other.address + other.size)});
}

void KnownRaces::use(std::size_t count) {
  in_use_ = std::min(count, all_.size());
  codes_.clear();
  bytes_.clear();
  for (const Race& race : in_use()) {
    codes_.push_back(race.first);
    codes_.push_back(race.second);
    bytes_.emplace_back(race.begin, race.end);
  }
  std::sort(codes_.begin(), codes_.end());
  std::sort(bytes_.begin(), bytes_.end());
  bytes_.erase(std::unique(bytes_.begin(), bytes_.end()), bytes_.end());
}

bool KnownRaces::holds(std::uint64_t first, std::uint64_t second) const {
  const std::span<const Race> races = in_use();
  return std::any_of(races.begin(), races.end(), [&](const Race& race) {
    return (race.first == first && race.second == second) || (race.first == second && race.second == first);
  });
}

bool KnownRaces::promotes(std::uint64_t code, std::uint64_t address, std::uint64_t size) const {
  return std::binary_search(codes_.begin(), codes_.end(), code) ||
         std::any_of(bytes_.begin(), bytes_.end(), [&](const auto& range) {
           return address < range.second && range.first < address + size;
         });
}

}  // namespace thrum

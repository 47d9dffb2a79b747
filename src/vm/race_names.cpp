// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/race_names.hpp"

#include "vm/address_space.hpp"

namespace thrum::vm {

namespace {

// In a trace an access has the return address that a call there would have.
Place place_of_code(std::uint64_t code) { return {Place::Space::module, 0, 0, code + 1 - kArena}; }
std::uint64_t code_at(const Place& place) {
  return place.space == Place::Space::module ? place.offset + kArena - 1 : 0;
}

}  // namespace

std::vector<KnownRace> names_of(const KnownRaces& races) {
  std::vector<KnownRace> names;
  for (const KnownRaces::Race& race : races.in_use()) {
    names.push_back({place_of_code(race.first),
                     place_of_code(race.second),
                     {Place::Space::other, 0, 0, race.begin},
                     race.end - race.begin});
  }
  return names;
}

void add_by_names(KnownRaces& races, std::span<const KnownRace> names) {
  for (const KnownRace& name : names) {
    const std::uint64_t begin = name.bytes.offset;
    const KnownRaces::Race race{code_at(name.first), code_at(name.second), begin, begin + name.size};
    if (is_code(race.first) && is_code(race.second)) races.add(race);
  }
}

}  // namespace thrum::vm

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/judge/race_names.hpp"

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

std::vector<KnownRace> names_of(const KnownRaces& races) {
  std::vector<KnownRace> names;
  for (const KnownRaces::Race& race : races.in_use()) {
    KnownRace& name = names.emplace_back();
    find_in_modules(race.first, name.first);
    find_in_modules(race.second, name.second);
    name.bytes = place_of_bytes(race.begin);
    name.size = race.end - race.begin;
  }
  return names;
}

void add_by_names(KnownRaces& races, std::span<const KnownRace> names) {
  for (const KnownRace& name : names) {
    const std::uint64_t begin = address_of_bytes(name.bytes);
    const KnownRaces::Race race{address_in_module(name.first), address_in_module(name.second), begin,
                                begin + name.size};
    if (race.first != 0 && race.second != 0) races.add(race);
  }
}

}  // namespace thrum

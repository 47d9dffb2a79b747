// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which parts of an execution are recorded in its trace, and from where on.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thrum {

struct Wanted {
  // A set of parts.
  using Set = std::uint8_t;
  static constexpr Set kChoices = 1;  // Trace::choices
  static constexpr Set kEvents = 2;   // Trace::events
  static constexpr Set kPlaces = 4;   // Trace::details: lasting names and stacks of each event
  // Trace::accesses with values, from the beginning, of memory that several threads access. Implies kEvents
  // and kPast, and stands before kFootprints. If races are ignored (Races::ignore), accesses are not seen.
  static constexpr Set kAccesses = 8;
  static constexpr Set kTerms = 16;      // the terms of values that depend on inputs
  static constexpr Set kDecisions = 32;  // branches, with their conditions
  // Trace::accesses without values: each thread, bytes and direction once between two events of the thread.
  static constexpr Set kFootprints = 64;
  // Trace::events from the beginning, wherever `from` lets the rest begin.
  static constexpr Set kPast = 128;
  Set what = kChoices;

  enum class From : std::uint8_t {
    start,
    // From the plan's first departure that is new (known_departures); if none is, from its last one.
    new_departure,
    // After the plan's last departure: all that a systematic search has not seen before.
    last_departure,
  };
  From from = From::start;

  // The first so many departures of the plan were followed before, in that order. Later ones are attempts: if
  // one cannot be followed, the execution ends as stopped, not as diverged.
  static constexpr std::size_t kAll = ~std::size_t{0};
  std::size_t known_departures = kAll;

  constexpr bool has(Set all) const { return (what & all) == all; }

  friend constexpr bool operator==(const Wanted&, const Wanted&) = default;

  // The common case.
  static constexpr Wanted new_choices() { return {kChoices, From::last_departure}; }
  static constexpr Wanted new_events(std::size_t known = kAll) {
    return {kChoices | kEvents, From::new_departure, known};
  }
  static constexpr Wanted all_choices() { return {kChoices}; }
  static constexpr Wanted all_events() { return {kChoices | kEvents}; }
  static constexpr Wanted everything() { return {kChoices | kEvents | kPlaces}; }
};

}  // namespace thrum

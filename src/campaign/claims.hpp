// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a search may claim, derived from how its executions ended.
//
// An execution covers its class if it ran to its end: it finished, or failed (deadlocks and livelocks are
// failures). So does an execution that the strategy broke off as redundant, and one that a bound on yields
// ended: it lies outside the bound. An execution that a false assumption ended is not an execution of the
// program; it is counted separately and weakens nothing. All others were cut: their continuation is not
// known. An execution that went on after a call that is not under control counts as cut at that call, since
// another answer may lead elsewhere.
//
// The executions missing after a cut cost at least as much as the cut execution had cost so far. So the
// bounds below the cheapest cut execution are still complete. The bounds from there on stay open, and "every
// schedule" is not claimed. The search itself goes on: it also looks for bugs beyond bounds that stay open.
//
// Tested by claims_test.cpp.
#pragma once

#include <array>
#include <cstdint>

#include "model/plan.hpp"
#include "model/trace.hpp"
#include "search/strategy.hpp"

namespace thrum {

// What cut an execution.
enum class Cut : std::uint8_t {
  refused_call,       // the program made a call that cannot be controlled, and that was refused
  uncontrolled_call,  // it went on after such a call, whose answer may differ next time
  steps,              // --steps
  memory,             // --program-memory
  threads,            // more threads than an execution may have
  time,               // the time limit was reached first
  rounds,             // its threads went round in loops; whether for ever was not decided
  divergence,         // it differed from an earlier run of its schedule
};
inline constexpr std::size_t kCutCount = static_cast<std::size_t>(Cut::divergence) + 1;

// The name in the JSON result: "refused-call".
const char* cut_name(Cut cut);

struct Claims {
  static constexpr std::uint32_t kNothingOpen = UINT32_MAX;

  std::array<std::uint64_t, kCutCount> cuts{};  // executions, by the reason of the cut
  std::uint64_t passed = 0;                     // executions that no assumption ended and nothing cut
  std::uint64_t assumed_away = 0;               // executions that a false assumption ended
  std::uint64_t beyond_yields = 0;  // executions that a bound on yields ended; these count as passed
  // By base: the least cost at which executions may be missing.
  std::array<std::uint32_t, kBaseCount> open_from{kNothingOpen, kNothingOpen};

  // An execution of a plan with that base has ended.
  void take(Base base, const Trace& trace);
  // An execution was cut, and it is not known what is missing.
  void lose(Cut cut);

  std::uint64_t count(Cut cut) const { return cuts[static_cast<std::size_t>(cut)]; }
  std::uint64_t cut() const;  // executions, for any reason
  // Each execution ended at a false assumption, so nothing of the program was covered.
  bool none_passed() const { return passed == 0 && assumed_away > 0 && cut() == 0; }

  // Weakens a guarantee that would hold if all executions had run to their end.
  Guarantee weigh(Guarantee guarantee) const;

  // Adds the claims of another part of the search.
  void merge(const Claims& other);
};

}  // namespace thrum

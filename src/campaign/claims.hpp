// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a search may claim, from how its executions ended.
//
// An execution covers what it is, whatever came of it, if it ran to its end: it finished, or failed
// (deadlocks and livelocks among it). So does one that the strategy broke off since it leads to nothing new,
// and one that a bound on yields ended: it lies outside of the bound in force. An execution that a false
// assumption ended is none of the program's; it is counted apart and weakens nothing. All others were cut:
// what would have come behind is not known. One that went on behind a call that is not under control counts
// as cut at that call: another answer may lead elsewhere.
//
// What comes behind a cut costs at least what had been run before it. So the bounds below the cheapest
// execution that was cut are not touched by it, those from there on stay open, and "every schedule" is not
// claimed. The search itself goes on: it looks for bugs behind bounds that stay open, too.
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
  refused_call,       // the program asked for what cannot be controlled, and did not get it
  uncontrolled_call,  // it went on behind such a call, whose answer may be another the next time
  steps,              // --steps
  memory,             // --program-memory
  threads,            // more threads than an execution may have
  time,               // the time ended, and the execution did not
  rounds,             // its threads went round in loops, and whether for ever was not decided
  divergence,         // it did not do what it had done before
};
inline constexpr std::size_t kCutCount = static_cast<std::size_t>(Cut::divergence) + 1;

// As in the JSON result: "refused-call".
const char* cut_name(Cut cut);

struct Claims {
  static constexpr std::uint32_t kNothingOpen = UINT32_MAX;

  std::array<std::uint64_t, kCutCount> cuts{};  // executions, by what cut them
  std::uint64_t passed = 0;                     // executions that no assumption ended and nothing cut
  std::uint64_t assumed_away = 0;               // executions that a false assumption ended
  std::uint64_t beyond_yields = 0;              // executions that a bound on yields ended; they have passed
  // By what costs are counted: the least cost from which on executions may be missing.
  std::array<std::uint32_t, kBaseCount> open_from{kNothingOpen, kNothingOpen};

  // An execution of a plan of that base has ended.
  void take(Base base, const Trace& trace);
  // An execution was cut, and nothing is known of what is missing.
  void lose(Cut cut);

  std::uint64_t count(Cut cut) const { return cuts[static_cast<std::size_t>(cut)]; }
  std::uint64_t cut() const;  // executions, by whatever
  // There were executions, and each ended at a false assumption: nothing of the program was seen.
  bool none_passed() const { return passed == 0 && assumed_away > 0 && cut() == 0; }

  // What is left of a guarantee that holds if all executions have run to their end.
  Guarantee weigh(Guarantee guarantee) const;

  // Adds those of another part of the search.
  void merge(const Claims& other);
};

}  // namespace thrum

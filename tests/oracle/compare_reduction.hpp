// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares partial-order reductions with the oracle, as compare.hpp does for searches without one.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "oracle/oracle.hpp"
#include "search/reduction/dpor.hpp"

namespace thrum {

// What the searches of a program ran.
struct ReductionCount {
  std::uint64_t executions = 0;
  std::uint64_t classes = 0;
  std::uint64_t redundant = 0;  // of a class that was run before
  std::uint64_t sure = 0;       // searches that told that there is none
  std::uint64_t blocked = 0;
  std::uint64_t spilled = 0;  // plans that went to a file and came back
  std::uint64_t parts = 0;    // that were split off, where it is shared

  void operator+=(const ReductionCount& other) {
    executions += other.executions;
    classes += other.classes;
    redundant += other.redundant;
    sure += other.sure;
    blocked += other.blocked;
    spilled += other.spilled;
    parts += other.parts;
  }
};

struct BoundedCount {
  std::uint64_t executions = 0;
  std::uint64_t plain = 0;  // that search without reduction runs within the same bounds, likewise again each
  std::uint64_t deadlocks = 0;
  std::uint64_t deadlocks_missed = 0;
};

enum class Reduction : std::uint8_t { persistent, source, optimal, bounded, race_flip };
std::unique_ptr<Dpor> make_reduction(Reduction reduction);

// Whether another thread did the last step than the one that failed, which had waited for its end. Then the
// optimal algorithm may run a class twice (docs/strategies.md).
bool is_behind_join(const Trace& trace);

// Whether some thread chooses a value.
bool chooses(const ToyCode& code);

enum class Searched : std::uint8_t {
  at_once,
  in_parts,   // after each few executions the search is saved and loaded into another
  shared,     // by several workers, who take turns
  attempted,  // at once; each plan is begun, broken off and begun again
  thrifty,    // at once; equal branches of wakeup trees are made one before each execution
};

// Runs the algorithm to its end: only executions that there are; all the oracle's final states, bugs and
// classes. Where it is optimal, and not shared: each class once, and nothing in vain. REQUIRES: findings have
// the classes. seed: by which workers share, and take turns.
std::string compare_reduction(const ToyCode& code, const Findings& findings, Reduction algorithm,
                              ReductionCount& count, Searched how = Searched::at_once,
                              std::uint64_t seed = 1);

// Which programs are compared with each other: so many executions by the optimal algorithm; and how often
// each is shared.
struct Sizes {
  std::uint64_t least = 20;
  std::uint64_t most = 1'000;
  std::uint64_t ways_to_share = 3;
};

// Where there are too many interleavings for the oracle: the optimal algorithm, the others, best-first search
// with reduction, and the optimal one shared by workers show the same; so does race flipping, unless it runs
// far more executions. Alone, the optimal one runs each class once. Nothing: the program is not of that size.
std::optional<std::string> compare_with_each_other(const ToyCode& code, const Sizes& sizes,
                                                   ReductionCount& alone, ReductionCount& shared);

// Bounded reduction with bounds 0, 1 and 2, and without one: only executions that there are, none that costs
// more; the local states and the failed assertions of the executions that cost no more; and it claims no
// more. count: of deadlocks that cost no more and were missed, too. REQUIRES: findings have the local states.
std::string compare_bounded(const ToyCode& code, const Findings& findings, BoundedCount& count);

// The strategies of auto, taking turns: without a bound all final states and bugs, and it claims to be
// complete; with bounds 0 and 1 those of the executions that cost no more.
// Put down and taken up now and then.
std::string compare_auto(const ToyCode& code, const Findings& findings);

}  // namespace thrum

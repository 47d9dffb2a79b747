// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a search may claim: how far it got, and with which chance an execution shows a bug.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/choice.hpp"

namespace thrum {

// How far a search got. A search whose strategy leaves `bounds` empty and `complete` false claims nothing.
enum class Covers : std::uint8_t {
  executions,
  // What each thread can see and do by itself, failed assertions among it; no deadlocks.
  local_states,
  // The same, of executions of any cost: every failed assertion and crash; no deadlocks, no data races.
  assertions,
  // That, and every deadlock and data race. Not what depends on all threads together and is none of these:
  // livelocks, leaks, limits, what is left at the end.
  deadlocks_and_races,
};
struct Bound {
  Base base = Base::nonpreemptive;
  std::optional<std::uint32_t> limit;  // nothing: no limit
  // All executions up to this cost were run, or all that they can show; nothing: not even at cost 0.
  std::optional<std::uint32_t> completed;
  Covers covers = Covers::executions;
};

// What the theorem behind a randomised search says of each execution by itself.
struct Chance {
  enum class Of : std::uint8_t {
    bug_of_depth,  // that it shows a given bug of that depth (PCT)
    interleaving,  // that it is a given order of all operations (URW)
    object_order,  // that it has a given order of the operations on a given shared object (SURW)
  };
  Of of = Of::bug_of_depth;
  // So large at least, as a natural logarithm; nothing: no number can be given, since the program is not one
  // that the theorem is about, or since not enough of it was seen.
  std::optional<double> log_least;
  std::uint32_t depth = 0;       // bug_of_depth
  std::uint32_t threads = 0;     // bug_of_depth: as many at most, what may end waits counted
  std::uint64_t steps = 0;       // bug_of_depth: scheduling points at most; else: operations that are ordered
  std::uint64_t objects = 0;     // object_order: shared objects
  std::uint64_t executions = 0;  // those that this was so for
  bool unfit = false;            // the program is none that the theorem is about
};

struct Guarantee {
  bool complete = false;   // no bound excluded anything and nothing is left
  bool exhausted = false;  // nothing is left within the bounds
  std::vector<Bound> bounds;
  std::optional<Chance> chance;
  // What a search without a bound has covered where nothing is left. Bounds say it of themselves.
  Covers covers = Covers::executions;
};

}  // namespace thrum

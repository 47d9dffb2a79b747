// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of strategies, for the command line and the tests. docs/strategies.md is written by hand.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/frontier/spill_file.hpp"
#include "search/strategy.hpp"

namespace thrum {

// The settings of a strategy.
struct StrategySettings {
  Base base = Base::nonpreemptive;          // what the bound counts: preemptions or delays
  std::optional<std::uint32_t> limit = {};  // --bound; nothing: no bound
  std::uint64_t seed = 0;                   // --seed
  std::size_t fringe_max =
      4'000'000;  // plans that wait in a systematic search; with more, it saves memory at the cost of time
  std::uint32_t depth = 3;                            // --depth: of the bugs that pct looks for
  Rounds rounds = Rounds::merge;                      // --waiting: of reductions without a bound
  std::vector<std::string> priorities = {};           // --priority: names of priorities.hpp
  std::uint64_t memory_max = std::uint64_t{1} << 30;  // --search-memory: bytes of tree and fringe
  bool is_fair = false;        // unfair schedules are left out; no reduction can do that
  bool has_unfolding = false;  // `auto` may search by unfolding: data races are judged, and end executions
  // Makes the search by constraint solving that takes part in `auto`; empty: there is none. It runs in the
  // supervisor's process.
  std::function<std::unique_ptr<Strategy>()> make_mcr = {};
  std::size_t shown_max = 0;          // --plot-unfolding: the most events of an unfolding that are described
  bool measure_tree = false;          // for benchmarks: SearchStatistics::uncompressed is wanted
  MakeSpillFile make_file = nullptr;  // used if memory_max is exceeded; nullptr: memory is not limited
};

enum class StrategyKind : std::uint8_t {
  systematic,  // every schedule within the bound
  // One schedule of each class. It has no bound: the schedule that was run for a class may lie beyond a
  // bound, and others of the class within (GAMBIT, section 2.3; Coons, Musuvathi, McKinley, OOPSLA 2013).
  reduction,
  // The same, within a bound on preemptions; the bound covers less (Covers::local_states).
  bounded_reduction,
  randomised,  // never ends, and covers nothing with certainty
};

struct StrategyRow {
  std::string_view name;
  StrategyKind kind;
  std::string_view help;
  // nullptr: it runs in the supervisor's process, since it needs a solver (protocol/remote_strategy.hpp).
  std::unique_ptr<Strategy> (*make)(const StrategySettings&);
};

// The strategy that chooses the schedules of a suite (--suite).
inline constexpr std::string_view kSuiteStrategy = "unfolding";

// Of those that run outside, the one that is not the search by trees (causality/mcr_classic.hpp).
inline constexpr std::string_view kMcrClassic = "mcr-classic";

// All strategies; the first is the default.
std::span<const StrategyRow> strategies();

// nullptr if there is none of that name.
const StrategyRow* find_strategy(std::string_view name);

// Searches by constraint solving that need to know what a program's branches compute from its inputs. What
// runs the compiled program sees its memory and its operations only.
std::span<const std::string_view> strategies_for_inputs();

// Whether the strategy of that name runs in the supervisor's process.
bool runs_outside(std::string_view name);

// nullptr if there is none of that name that runs here, or if a priority is unknown.
std::unique_ptr<Strategy> make_strategy(std::string_view name, const StrategySettings& settings);

}  // namespace thrum

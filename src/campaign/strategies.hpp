// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of strategies: read by the command line, the documentation and the tests.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/frontier/spill_file.hpp"
#include "search/strategy.hpp"

namespace thrum {

// What a strategy may be told.
struct StrategySettings {
  Base base = Base::nonpreemptive;          // what the bound counts: preemptions or delays
  std::optional<std::uint32_t> limit = {};  // --bound; nothing: none
  std::uint64_t seed = 0;                   // --seed
  std::size_t fringe_max =
      4'000'000;            // plans that wait in a systematic search, before it saves memory for time
  std::uint32_t depth = 3;  // --depth: of the bugs that pct is to find
  std::vector<std::string> priorities = {};           // --priority: names of priorities.hpp
  std::uint64_t memory_max = std::uint64_t{1} << 30;  // --search-memory: bytes of tree and fringe
  bool is_fair = false;               // unfair schedules are left out, which no reduction knows of
  bool measure_tree = false;          // for benchmarks: SearchStatistics::uncompressed is wanted
  MakeSpillFile make_file = nullptr;  // for what goes beyond; nullptr: memory is not limited
};

enum class StrategyKind : std::uint8_t {
  systematic,  // every schedule within the bound
  // One schedule of each class. Knows no bound: the schedule that was kept for a class may lie beyond it, and
  // others of the class within (GAMBIT, section 2.3; Coons, Musuvathi, McKinley, OOPSLA 2013).
  reduction,
  // Likewise, within a bound on preemptions; covers less there (Covers::local_states).
  bounded_reduction,
  randomised,  // never ends, and covers nothing for certain
};

struct StrategyRow {
  std::string_view name;
  StrategyKind kind;
  std::string_view help;
  std::unique_ptr<Strategy> (*make)(const StrategySettings&);
};

// Every strategy there is; the first is the default.
std::span<const StrategyRow> strategies();

// nullptr where there is none of that name.
const StrategyRow* find_strategy(std::string_view name);

// Likewise, and where a priority of theirs has no such name.
std::unique_ptr<Strategy> make_strategy(std::string_view name, const StrategySettings& settings);

}  // namespace thrum

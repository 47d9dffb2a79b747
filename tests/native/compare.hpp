// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares what `thrum check` says of a translated program with what the oracle says of the toy program. Each
// function gives the first disagreement as text, and an empty text where there is none.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "oracle/oracle.hpp"
#include "search/strategy.hpp"

namespace thrum {

// What is asked of `thrum check`.
struct Search {
  std::string strategy;
  Base base = Base::nonpreemptive;
  std::optional<std::uint32_t> limit;
  bool ignores_races = false;  // nothing is claimed then
  bool spurious = false;       // ToyCode::spurious

  std::vector<std::string> options() const;
  std::string text() const;  // for people
};

// A systematic search with --keep-going: the number of executions, the bugs and their fewest preemptions, and
// what is claimed of all that.
std::string compare_result(const nlohmann::json& result, const Findings& findings, const Search& search);

// `--races explore --keep-going`: races are reported if and only if the oracle finds one, and otherwise the
// bugs that it finds with scheduling points before plain accesses too, with as few preemptions. finest: of
// such an enumeration. with_costs: else more preemptions may be told, as if plain accesses were no points.
std::string compare_explored(const nlohmann::json& result, const Findings& finest, bool with_costs = true);

// Strategies that promise nothing: only bugs that there are, with no fewer preemptions than they take.
std::string compare_sample(const nlohmann::json& result, const Findings& findings);

}  // namespace thrum

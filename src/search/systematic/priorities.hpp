// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Priorities of best-first search (GAMBIT, section 4): each looks at an execution, a choice of it and an
// option that was not taken there, and says how soon what departs there should be run. Smaller is sooner.
//
// Several are combined hierarchically: the first one listed decides, the next one among what the first finds
// equal, and so on. A list of them makes one number of it, the key of a bucket of the fringe, in which each
// has bits of its own.
//
// To add one: a function, in a file of its own, and a row of the table in priorities.cpp. The command line
// and the tests read the table; docs/strategies.md is written by hand.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/systematic/trace_analysis.hpp"

namespace thrum {

// What a priority may look at.
struct Execution {
  const Plan& plan;
  const Trace& trace;
  TraceAnalysis& analysis;  // REQUIRES: the priority's row says that it needs events
  std::uint64_t seed;
  // What a reduction says of the option, which inserted it; nothing: the analysis judges.
  std::optional<TraceAnalysis::Reversal> reversal = std::nullopt;
};

using Level = std::uint32_t;

struct PriorityRow {
  std::string_view name;
  std::string_view help;
  int bits;  // levels are below 2^bits
  bool needs_events;
  Level (*level)(const Execution& execution, std::size_t choice, std::uint16_t option);
};

// Every priority there is.
std::span<const PriorityRow> priorities();

class PriorityList {
 public:
  PriorityList() = default;

  // Nothing if there is no priority of one of the names, or a name is given twice.
  static std::optional<PriorityList> make(std::span<const std::string> names);

  bool needs_events() const;
  std::uint64_t key(const Execution& execution, std::size_t choice, std::uint16_t option) const;

 private:
  std::vector<const PriorityRow*> rows_;
};

// The functions of the table.
Level pb_priority(const Execution& execution, std::size_t choice, std::uint16_t option);
Level db_priority(const Execution& execution, std::size_t choice, std::uint16_t option);
Level dpor_priority(const Execution& execution, std::size_t choice, std::uint16_t option);
Level mdpor_priority(const Execution& execution, std::size_t choice, std::uint16_t option);
Level ss_priority(const Execution& execution, std::size_t choice, std::uint16_t option);
Level rand_priority(const Execution& execution, std::size_t choice, std::uint16_t option);
Level method_priority(const Execution& execution, std::size_t choice, std::uint16_t option);
Level var_priority(const Execution& execution, std::size_t choice, std::uint16_t option);

}  // namespace thrum

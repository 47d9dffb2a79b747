// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/systematic/priorities.hpp"

#include <algorithm>

namespace thrum {

namespace {

constexpr PriorityRow kPriorities[] = {
    {"pb", "fewer preemptions first (or delays, where the bound counts those)", 16, false, pb_priority},
    {"db", "fewer departures from the first schedule first (delay bounding)", 16, false, db_priority},
    {"dpor", "first what dynamic partial-order reduction would take", 1, true, dpor_priority},
    {"mdpor", "likewise, and what it takes to be on the safe side only after that", 2, true, mdpor_priority},
    {"ss", "first what sleep sets do not find useless", 1, true, ss_priority},
    {"rand", "in random order, by --seed", 16, false, rand_priority},
    {"method", "first what switches between functions of --focus-method", 2, true, method_priority},
    {"var", "first what switches between operations on variables of --focus-var", 2, true, var_priority},
};

constexpr bool fit_into_a_key() {
  int bits = 0;
  for (const PriorityRow& row : kPriorities) bits += row.bits;
  return bits <= 64;
}
static_assert(fit_into_a_key());

}  // namespace

std::span<const PriorityRow> priorities() { return kPriorities; }

std::optional<PriorityList> PriorityList::make(std::span<const std::string> names) {
  PriorityList list;
  for (const std::string& name : names) {
    const PriorityRow* row = std::find_if(std::begin(kPriorities), std::end(kPriorities),
                                          [&](const PriorityRow& one) { return one.name == name; });
    if (row == std::end(kPriorities)) return std::nullopt;
    if (std::find(list.rows_.begin(), list.rows_.end(), row) != list.rows_.end()) return std::nullopt;
    list.rows_.push_back(row);
  }
  return list;
}

bool PriorityList::needs_events() const {
  return std::any_of(rows_.begin(), rows_.end(), [](const PriorityRow* row) { return row->needs_events; });
}

std::uint64_t PriorityList::key(const Execution& execution, std::size_t choice, std::uint16_t option) const {
  std::uint64_t key = 0;
  for (const PriorityRow* row : rows_) key = key << row->bits | row->level(execution, choice, option);
  return key;
}

}  // namespace thrum

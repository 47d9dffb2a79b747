// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words that stand in files for enumerators of the model. They are never changed: later versions read
// them.
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>

#include "model/choice.hpp"
#include "model/policy.hpp"
#include "model/trace.hpp"

namespace thrum {

inline constexpr const char* kEnds[] = {"finished", "bug",        "steps",    "memory",      "threads",
                                        "refused",  "time",       "stopped",  "assumption",  "yields",
                                        "waiting",  "goes-round", "diverged", "uncontrolled"};
inline constexpr const char* kVias[] = {"run", "timeout", "signal", "signal-first", "expiry", "spurious"};
inline constexpr const char* kFairness[] = {"off", "watch", "on"};
inline constexpr const char* kWaiting[] = {"spins", "written", "changed", "values"};
inline constexpr const char* kRounds[] = {"repeat", "block", "await", "merge"};

static_assert(std::size(kEnds) == static_cast<std::size_t>(End::uncontrolled) + 1);
static_assert(std::size(kVias) == static_cast<std::size_t>(kLastVia) + 1);
static_assert(std::size(kFairness) == static_cast<std::size_t>(Fairness::on) + 1);
static_assert(std::size(kWaiting) == static_cast<std::size_t>(Waiting::values) + 1);
static_assert(std::size(kRounds) == static_cast<std::size_t>(Rounds::merge) + 1);

template <typename E, std::size_t N>
const char* name_of(E value, const char* const (&names)[N]) {
  return names[static_cast<std::size_t>(value)];
}

// Nothing: the text is none of the names.
template <typename E, std::size_t N>
std::optional<E> named(std::string_view text, const char* const (&names)[N]) {
  for (std::size_t i = 0; i < N; ++i) {
    if (text == names[i]) return static_cast<E>(i);
  }
  return std::nullopt;
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words of the trace file's JSON for what are enumerators in the model.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace thrum {

using Json = nlohmann::ordered_json;

inline constexpr int kTraceSchema = 1;
inline constexpr const char* kSpaces[] = {"none", "module", "heap", "stack", "other"};
inline constexpr const char* kEnds[] = {"finished",   "bug",      "steps",       "memory",     "threads",
                                        "refused",    "time",     "stopped",     "assumption", "yields",
                                        "goes-round", "diverged", "uncontrolled"};
inline constexpr const char* kOutcomes[] = {"done", "failed", "timed-out", "unchanged"};
inline constexpr const char* kChoiceKinds[] = {"thread", "waiter", "value"};
inline constexpr const char* kVias[] = {"run", "timeout", "signal", "signal-first", "expiry", "spurious"};
inline constexpr const char* kFairness[] = {"off", "watch", "on"};
inline constexpr const char* kWaiting[] = {"spins", "written", "changed", "values"};
inline constexpr const char* kRounds[] = {"repeat", "block", "await", "merge"};
inline constexpr const char* kBases[] = {"nonpreemptive", "round-robin"};

template <typename E, std::size_t N>
const char* name_of(E value, const char* const (&names)[N]) {
  return names[static_cast<std::size_t>(value)];
}

template <typename E, std::size_t N>
E from_name(const Json& json, const char* const (&names)[N]) {
  auto text = json.get<std::string>();
  for (std::size_t i = 0; i < N; ++i) {
    if (text == names[i]) return static_cast<E>(i);
  }
  throw std::runtime_error("unknown word '" + text + "'");
}

// Two hexadecimal digits for each byte, and back. from_hex() throws std::runtime_error.
std::string to_hex(const std::string& bytes);
std::string from_hex(const std::string& text);

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words of the trace file's JSON for what are enumerators in the model; model/words.hpp has more.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>

#include "model/words.hpp"

namespace thrum {

using Json = nlohmann::ordered_json;

inline constexpr int kTraceSchema = 1;
inline constexpr const char* kSpaces[] = {"none", "module", "heap", "stack", "other"};
inline constexpr const char* kOutcomes[] = {"done", "failed", "timed-out", "unchanged"};
inline constexpr const char* kChoiceKinds[] = {"thread", "waiter", "value"};
inline constexpr const char* kBases[] = {"nonpreemptive", "round-robin"};

template <typename E, std::size_t N>
E from_name(const Json& json, const char* const (&names)[N]) {
  auto text = json.get<std::string>();
  if (const std::optional<E> value = named<E>(text, names)) return *value;
  throw std::runtime_error("unknown word '" + text + "'");
}

// The bytes of two hexadecimal digits each. Throws std::runtime_error.
std::string from_hex(const std::string& text);

}  // namespace thrum

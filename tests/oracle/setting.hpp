// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many random programs a test takes: few by default, and many where the environment says so.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace thrum {

// So many of those that are enough to compare searches are taken by default. Under sanitizers, which look for
// other mistakes and are slow, it is a fifth.
#ifdef __SANITIZE_ADDRESS__
constexpr std::uint64_t by_default(std::uint64_t enough) { return enough / 5; }
#else
constexpr std::uint64_t by_default(std::uint64_t enough) { return enough; }
#endif

// That of an environment variable, or the fallback where it is not set.
inline std::uint64_t setting(const char* name, std::uint64_t fallback) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : fallback;
}

}  // namespace thrum

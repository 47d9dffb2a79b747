// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many random programs a test takes: few by default, and many where the environment says so.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace thrum {

// So many of those that are enough to compare searches are taken by default. Under sanitizers, which are slow
// and look for mistakes that few programs show, it is a twentieth, with THRUM_LONG in the environment a
// fifth.
#ifdef __SANITIZE_ADDRESS__
inline std::uint64_t by_default(std::uint64_t enough) {
  const std::uint64_t share = std::getenv("THRUM_LONG") == nullptr ? 20 : 5;
  return enough < share ? 1 : enough / share;
}
#else
constexpr std::uint64_t by_default(std::uint64_t enough) { return enough; }
#endif

// That of an environment variable, or the fallback where it is not set.
inline std::uint64_t setting(const char* name, std::uint64_t fallback) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : fallback;
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hash of two numbers: all bits of the product count, folded to 64 (as in wyhash). Not for what is kept
// from one version of Thrum to the next.
#pragma once

#include <cstdint>

namespace thrum {

constexpr std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a ^ 0x9e3779b97f4a7c15) * (b ^ 0xd6e8feb86659fd93);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel's unit of memory.
#pragma once

#include <cstdint>

namespace thrum {

inline constexpr std::uint64_t kPage = 4096;  // bytes

// No object lies there: an access is one through a null pointer.
inline bool is_null_page(std::uint64_t address) { return address < kPage; }

}  // namespace thrum

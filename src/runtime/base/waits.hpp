// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether what a thread waits for is so, by the state of the program's objects.
#pragma once

#include <cstdint>

#include "runtime/base/thread.hpp"

namespace thrum {

// A deadline that never comes.
inline constexpr std::uint64_t kNoDeadline = ~std::uint64_t{0};

// wait: of a lock, semaphore, once or guard; of others it gives true.
bool object_is_free(Wait wait, std::uint64_t object);

}  // namespace thrum

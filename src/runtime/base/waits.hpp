// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the condition that a thread waits for holds, by the state of the program's objects.
#pragma once

#include <cstdint>

#include "runtime/base/thread.hpp"

namespace thrum {

// A deadline that never comes.
inline constexpr std::uint64_t kNoDeadline = ~std::uint64_t{0};

// Whether the operation takes its object if that is free, and else fails.
inline bool is_attempt(Operation operation) {
  return operation == Operation::try_lock || operation == Operation::try_shared_lock ||
         operation == Operation::semaphore_try_wait;
}

// wait: of a lock, semaphore, once or guard. True for any other wait.
bool object_is_free(Wait wait, std::uint64_t object);

}  // namespace thrum

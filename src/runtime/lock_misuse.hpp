// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locks, condition variables, barriers and semaphores that the program uses in a way that has no meaning:
// bugs of kind lock-misuse. What is asked here is asked of rare calls, or where a comparison has shown that
// something is wrong.
#pragma once

#include <cstdint>

#include "runtime/objects.hpp"

namespace thrum {

// The running thread uses a lock wrongly. what: a sentence without its subject, the thread.
[[noreturn]] void fail_misuse(const char* what, std::uint64_t code);

// It is about to destroy or initialise anew the object, while others use it: fails.
void check_condition_unused(std::uint64_t condition, std::uint64_t code);
void check_barrier_unused(std::uint64_t barrier, std::uint64_t code);
void check_semaphore_unused(std::uint64_t semaphore, std::uint64_t code);
// It destroys an object without a scheduling point: whoever uses that afterwards, or before and not in order,
// is told so as of other memory that is written.
void destroyed(std::uint64_t object, std::uint64_t code);
// No condition wait is to take that mutex again.
void check_mutex_unused(std::uint64_t mutex, std::uint64_t code);

// It is about to wait for the condition variable with that mutex: fails where others wait with another one.
void check_same_mutex(std::uint64_t condition, std::uint64_t mutex, std::uint64_t code);

}  // namespace thrum

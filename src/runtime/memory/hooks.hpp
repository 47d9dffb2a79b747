// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the heap tells the layers above it, which define these.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/thread_names.hpp"

namespace thrum {

// A block was given out: the number-th of those allocated in the thread's name (threads/allocations.cpp).
void note_block(ThreadId thread, std::uint32_t number, std::size_t size);

// Where an execution is watched for idle rounds (threads/round_detector.cpp). size_class: the heap's, whose
// free list the block came from or goes to; grown: it is memory that was never used.
void note_heap_change();
void note_allocation(const void* memory, std::size_t size, std::uint32_t size_class, bool grown);
void note_release(const void* memory, std::size_t size, std::uint32_t size_class);

}  // namespace thrum

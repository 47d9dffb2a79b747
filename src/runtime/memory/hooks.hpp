// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the heap reports to the layers above it, which define these functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/thread_names.hpp"

namespace thrum {

// A block was allocated: the number-th in the name of that thread (threads/allocations.cpp).
void note_block(ThreadId thread, std::uint32_t number, std::size_t size);

// If an execution is watched for idle rounds (threads/round_detector.cpp). size_class: of the heap's free
// list from which the block came or to which it goes. grown: its memory was never used before.
void note_heap_change();
void note_allocation(const void* memory, std::size_t size, std::uint32_t size_class, bool grown);
void note_release(const void* memory, std::size_t size, std::uint32_t size_class);

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts for accesses to heap memory that is not in use.
#pragma once

#include <cstdint>
#include <string>

#include "model/bug.hpp"
#include "runtime/memory/heap.hpp"

namespace thrum {

// "a write of 4 bytes".
std::string access_text(AccessKind kind, std::uint64_t size);

// The failure for an access of `size` bytes. code: the address behind the call.
Failure misuse_of(const ProgramHeap::Use& use, AccessKind kind, std::uint64_t size, ThreadId thread,
                  std::uint64_t code);

}  // namespace thrum

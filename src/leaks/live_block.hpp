// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "model/thread_names.hpp"

namespace thrum {

// A block in use.
struct LiveBlock {
  std::uint64_t begin;
  std::uint64_t size;  // as requested
  ThreadId thread;     // these two are its name
  std::uint32_t number;

  bool holds(std::uint64_t address) const { return begin <= address && address - begin < size + (size == 0); }
};

}  // namespace thrum

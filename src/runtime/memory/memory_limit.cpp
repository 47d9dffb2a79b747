// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/memory_limit.hpp"

#include <string>

#include "runtime/base/engine.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/base/world.hpp"

namespace thrum {

constinit MemoryLimit the_memory_limit;

void MemoryLimit::exceed() {
  if (world.running) cut_execution(End::memory);
  limit_ = ~std::uint64_t{0};  // so that the report can be written
  notes().uncontrolled("program-memory", "the program takes more than " +
                                             std::to_string(world.job->program_memory >> 20) +
                                             " MiB of memory before it starts a thread (--program-memory)");
  report_without_search(nullptr, End::memory);
}

}  // namespace thrum

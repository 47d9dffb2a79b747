// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory_limit.hpp"

#include <string>

#include "runtime/native_program.hpp"
#include "runtime/notes.hpp"
#include "runtime/world.hpp"

namespace thrum {

constinit MemoryLimit the_memory_limit;

void MemoryLimit::exceed() {
  if (world.running) cut_by_memory();
  limit_ = ~std::uint64_t{0};  // for the report
  notes().uncontrolled("program-memory", "the program takes more than " +
                                             std::to_string(world.job->program_memory >> 20) +
                                             " MiB of memory before it starts a thread (--program-memory)");
  report_without_search(nullptr, End::memory);
}

}  // namespace thrum

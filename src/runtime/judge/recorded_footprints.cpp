// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/judge/recorded_footprints.hpp"

#include "runtime/threads/record.hpp"

namespace thrum {

constinit Forever<Footprints> the_footprints;

void note_footprint(const Thread& thread, bool writes, std::uint64_t address, std::uint64_t size) {
  if (!footprints().is_new(thread.id, thread.events, writes, address, size)) return;
  record_access(thread, writes ? Operation::plain_store : Operation::plain_load, writes, address, size);
}

}  // namespace thrum

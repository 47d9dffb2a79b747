// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "worker/trace_digest.hpp"

#include <cstdint>

namespace thrum {

void add_to_digest(Digest& digest, const Trace& trace) {
  for (const Event& event : trace.events) {
    const std::uint64_t words[] = {event.object,
                                   event.value,
                                   event.operand,
                                   event.code,
                                   std::uint64_t{event.index} << 32 | event.size,
                                   std::uint64_t{event.thread} << 16 | std::uint64_t(event.operation) << 8 |
                                       std::uint64_t(event.outcome)};
    digest.add(reinterpret_cast<const char*>(words), sizeof words);
  }
  const std::uint64_t end[] = {std::uint64_t(trace.end), std::uint64_t(trace.failure.kind),
                               trace.failure.code, trace.counts.steps};
  digest.add(reinterpret_cast<const char*>(end), sizeof end);
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/judge/early_memory.hpp"

#include <algorithm>
#include <utility>

#include "runtime/base/engine.hpp"
#include "runtime/judge/heap_misuse.hpp"
#include "runtime/memory/heap.hpp"

namespace thrum {

constinit Forever<EarlyMemory> the_early_memory;

void EarlyMemory::look_up(AccessKind kind, std::uint64_t address, std::uint64_t size, std::uint64_t code) {
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 14;
  constexpr std::size_t kLargeMax = 64;
  if (!ProgramHeap::is_heap(address)) return;
  auto known = std::find_if(large_.begin(), large_.end(),
                            [&](const Block& block) { return block.holds(address, size); });
  if (known != large_.end()) {
    last_ = *known;
    return;
  }
  const ProgramHeap::Use use = the_heap.use_of(address, size);
  if (use.state != ProgramHeap::State::live) {
    Failure failure = misuse_of(use, kind, size, kMainThread, code);
    failure.accesses.push_back({kMainThread, kind, static_cast<std::uint32_t>(size), address, code, 0, 0});
    fail(std::move(failure));
  }
  last_ = {use.begin, use.size};
  if (use.size >= kLarge && large_.size() < kLargeMax) large_.push_back(last_);
}

}  // namespace thrum

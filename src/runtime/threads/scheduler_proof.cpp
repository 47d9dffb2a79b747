// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scheduler proves that a loop only waits (SpinDetector::unproved).
#include <utility>

#include "runtime/base/engine.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/threads/hooks.hpp"
#include "runtime/threads/round_detector.hpp"
#include "runtime/threads/scheduler.hpp"
#include "support/digest.hpp"

namespace thrum {

// The thread runs on as in an atomic section. When it is known what the loop is, the execution begins again.
void Scheduler::begin_proof(Thread& thread, std::uint64_t code, const CallerState& caller) {
  constexpr std::uint16_t kDepth = 1 << 14;
  proof_.thread = &thread;
  proof_.code = code;
  proof_.arrivals = 0;
  proof_.at_plain_read = proof_.lengthened = false;
  proof_.memory = memory_digest();
  proof_.state.take(thread, caller);
  thread.atomic_depth = kDepth;
}

void Scheduler::continue_proof(const Thread& thread, std::uint64_t code, const CallerState& caller) {
  constexpr std::uint32_t kArrivalsMax = 4096;
  bool back = &thread == proof_.thread && code == proof_.code && proof_.state.is_that_of(thread, caller);
  if (!back && ++proof_.arrivals < kArrivalsMax) return;
  if (back && memory_digest() == proof_.memory) {
    proof_.thread = nullptr;
    spins_.prove(code);
    round_detector().prove(code);
    awaits_.prove(code);
    start_anew();
  }
  end_execution();  // and calls drop_proof()
}

bool Scheduler::lengthens_proof() {
  return proof_.thread != nullptr && !std::exchange(proof_.lengthened, true);
}

bool Scheduler::drop_proof() {
  if (proof_.thread == nullptr) return false;
  proof_.thread = nullptr;
  spins_.never(proof_.code);
  awaits_.never(proof_.code);
  return true;
}

std::uint64_t Scheduler::memory_digest() const {
  Digest digest;
  snapshot().add_to(digest);
  for (std::uint16_t slot = 0; slot < slots_used(); ++slot) the_heap.add_to(digest, slot);
  return digest.value();
}

}  // namespace thrum

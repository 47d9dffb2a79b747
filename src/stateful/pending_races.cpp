// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stateful/pending_races.hpp"

#include <algorithm>
#include <string>

namespace thrum {

namespace {

bool is_atomic(AccessKind kind) {
  return kind == AccessKind::atomic_read || kind == AccessKind::atomic_write;
}
bool only_reads(AccessKind kind) { return kind == AccessKind::atomic_read || kind == AccessKind::plain_read; }

bool race(const MemoryAccess& a, const MemoryAccess& b) {
  return a.address < b.address + b.size && b.address < a.address + a.size &&
         !(only_reads(a.kind) && only_reads(b.kind)) && !(is_atomic(a.kind) && is_atomic(b.kind));
}

}  // namespace

std::vector<Failure> races_among(std::span<const MemoryAccess> pending) {
  std::vector<Failure> races;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const MemoryAccess& one = pending[j];
      const MemoryAccess& other = pending[i];
      if (!race(one, other)) continue;
      Failure& failure = races.emplace_back();
      failure.kind = BugKind::data_race;
      failure.message = std::string(access_kind_name(std::max(one.kind, other.kind))) + " and " +
                        std::string(access_kind_name(std::min(one.kind, other.kind))) +
                        " of the same memory, which nothing orders";
      failure.thread = other.thread;
      failure.code = other.code;
      failure.accesses = {one, other};
    }
  }
  return races;
}

}  // namespace thrum

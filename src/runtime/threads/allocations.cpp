// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/threads/allocations.hpp"

#include <algorithm>

#include "runtime/base/engine.hpp"
#include "runtime/base/world.hpp"
#include "runtime/memory/hooks.hpp"
#include "runtime/threads/stacks.hpp"

namespace thrum {

constinit Forever<Allocations> the_allocations;

void Allocations::note(ThreadId thread, std::uint32_t number, std::size_t size) {
  if (noting_) return;
  const Channel::Phase phase = world.channel->phase.load(std::memory_order_relaxed);
  if (world.running) {
    if (!engine.records_places && !notes_all_) return;
    if (late_ == nullptr) late_ = new std::map<Name, Allocation>;
    if (late_->size() == kLateMax) return;
  } else if (phase != Channel::Phase::preamble || early_.size() == kEarlyMax) {
    return;  // before main the unwinder may not be ready
  }
  noting_ = true;
  Allocation allocation{size};
  running_code(allocation.code);
  if (world.running) {
    (*late_)[{thread, number}] = allocation;
  } else {
    early_.push_back({{thread, number}, allocation});
  }
  noting_ = false;
}

const Allocation* Allocations::find(ThreadId thread, std::uint32_t number) const {
  Name name{thread, number};
  if (late_ != nullptr) {
    if (auto found = late_->find(name); found != late_->end()) return &found->second;
  }
  auto found =
      std::find_if(early_.begin(), early_.end(), [&](const auto& entry) { return entry.first == name; });
  return found == early_.end() ? nullptr : &found->second;
}

void note_block(ThreadId thread, std::uint32_t number, std::size_t size) {
  allocations().note(thread, number, size);
}

void Allocations::begin() {
  if (late_ != nullptr) late_->clear();
}

}  // namespace thrum

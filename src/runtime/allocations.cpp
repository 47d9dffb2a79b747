// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/allocations.hpp"

#include <algorithm>

#include "runtime/leaks.hpp"
#include "runtime/record.hpp"
#include "runtime/scheduler.hpp"
#include "runtime/world.hpp"

namespace thrum {

constinit Forever<Allocations> the_allocations;

void Allocations::note(ThreadId thread, std::uint32_t number, std::size_t size) {
  if (noting_) return;
  const Channel::Phase phase = world.channel->phase.load(std::memory_order_relaxed);
  if (world.running) {
    if (!scheduler().director().records_places() && !leak_search().notes_allocations()) return;
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

void Allocations::begin() {
  if (late_ != nullptr) late_->clear();
}

}  // namespace thrum

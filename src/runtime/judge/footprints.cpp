// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/judge/footprints.hpp"

#include "runtime/threads/record.hpp"

namespace thrum {

constinit Forever<Footprints> the_footprints;

void Footprints::record(const Thread& thread, bool writes, std::uint64_t address, std::uint64_t size) {
  record_access(thread, writes ? Operation::plain_store : Operation::plain_load, writes, address, size);
}

void Footprints::note(const Thread& thread, bool writes, std::uint64_t address, std::uint64_t size) {
  if (thread_ != thread.id || events_ != thread.events) {
    ++stretch_;
    thread_ = thread.id;
    events_ = thread.events;
  }
  const std::uint64_t offset = address % kCell;
  if (offset + size > kCell) return record(thread, writes, address, size);
  const std::uint64_t cell = address / kCell;
  Entry& entry = entries_[cell % kEntries];
  if (entry.cell != cell || entry.stretch != stretch_) entry = {cell, stretch_};
  const auto bytes = static_cast<std::uint8_t>(((1U << size) - 1) << offset);
  std::uint8_t& known = writes ? entry.written : entry.read;
  if ((bytes & ~known) == 0) return;
  known = static_cast<std::uint8_t>(known | bytes);
  record(thread, writes, address, size);
}

}  // namespace thrum

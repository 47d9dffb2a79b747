// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "races/footprints.hpp"

namespace thrum {

bool Footprints::is_new(ThreadId thread, std::uint32_t events, bool writes, std::uint64_t address,
                        std::uint64_t size) {
  if (thread_ != thread || events_ != events) {
    ++stretch_;
    thread_ = thread;
    events_ = events;
  }
  const std::uint64_t offset = address % kCell;
  if (offset + size > kCell) return true;
  const std::uint64_t cell = address / kCell;
  Entry& entry = entries_[cell % kEntries];
  if (entry.cell != cell || entry.stretch != stretch_) entry = {cell, stretch_};
  const auto bytes = static_cast<std::uint8_t>(((1U << size) - 1) << offset);
  std::uint8_t& known = writes ? entry.written : entry.read;
  if ((bytes & ~known) == 0) return false;
  known = static_cast<std::uint8_t>(known | bytes);
  return true;
}

}  // namespace thrum

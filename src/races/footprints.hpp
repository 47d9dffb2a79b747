// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which plain accesses of an execution are to be recorded where each byte that a thread reads or writes
// counts once between two events of the thread (Wanted::kFootprints).
//
// A small table remembers which bytes of a cell the running thread has accessed since its last event. Where
// two cells meet in it, an access may be recorded twice.
//
// Thread safety: one thread runs at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/thread_names.hpp"

namespace thrum {

class Footprints {
 public:
  constexpr Footprints() = default;

  // An execution begins, or goes on from a waypoint; or an atomic section has ended.
  void begin() { thread_ = kNoThread; }
  // Whether the access is to be recorded. events: how many the thread has done.
  bool is_new(ThreadId thread, std::uint32_t events, bool writes, std::uint64_t address, std::uint64_t size);

 private:
  static constexpr std::uint64_t kCell = 8;  // bytes
  static constexpr std::size_t kEntries = 1024;
  struct Entry {
    std::uint64_t cell = 0;
    std::uint32_t stretch = 0;
    std::uint8_t read = 0;  // a bit for each byte
    std::uint8_t written = 0;
  };

  std::array<Entry, kEntries> entries_{};
  std::uint32_t stretch_ = 0;
  ThreadId thread_ = kNoThread;
  std::uint32_t events_ = 0;
};

}  // namespace thrum

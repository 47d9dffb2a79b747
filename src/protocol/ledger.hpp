// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What workers have seen, and what must not be lost with them: each failure as soon as it is seen, once more
// when its schedule was confirmed or simplified, and each level of the bound that was completed. It lies in
// the memory that workers share with their supervisor (channel.hpp), which reads it when they have ended.
//
// Entries are only added. A worker that dies while it writes one leaves an entry that is not whole, and
// readers pass over it. What an entry holds are bytes of job.hpp.
//
// Thread safety: any number of processes may add entries at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace thrum {

struct Ledger {
  static constexpr std::uint32_t kEntriesMax = 1 << 16;

  enum class Kind : std::uint32_t {
    bug,    // write_bug()
    level,  // write_report(): what was done, and is guaranteed, when the level was completed; without bugs
  };

  struct Entry {
    std::atomic<std::uint32_t> is_whole;
    Kind kind;
    std::uint64_t begin;  // in `bytes`
    std::uint64_t size;
  };

  std::atomic<std::uint32_t> count;  // of entries that were begun; perhaps more than there is room for
  std::atomic<std::uint64_t> used;   // of `bytes`
  Entry entries[kEntriesMax];
  char bytes[];

  // Without effect where there is no room.
  void add(Kind kind, std::string_view entry);
  // What stands there has turned out to be wrong: the executions rested on something that is not so.
  void withdraw();
};

// A part of a file with holes.
inline constexpr std::uint64_t kLedgerSize = std::uint64_t{1} << 32;
inline constexpr std::uint64_t kLedgerBytesMax = kLedgerSize - sizeof(Ledger);

}  // namespace thrum

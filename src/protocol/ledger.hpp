// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The results of workers that must not be lost with them: each failure as soon as it is seen, and again when
// its schedule was confirmed or simplified; and each completed level of the bound. The ledger lies in the
// memory that workers share with their supervisor (channel.hpp), which reads it after they have ended.
//
// Entries are only added. A worker that dies while it writes an entry leaves it incomplete; readers skip it.
// The bytes of an entry are those of job.hpp.
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
    level,  // write_report(): counts and guarantee when the level was completed, without bugs
  };

  struct Entry {
    std::atomic<std::uint32_t> is_whole;
    Kind kind;
    std::uint64_t begin;  // in `bytes`
    std::uint64_t size;
  };

  std::atomic<std::uint32_t> count;  // number of entries that were begun; may exceed kEntriesMax
  std::atomic<std::uint64_t> used;   // bytes in use in `bytes`
  Entry entries[kEntriesMax];
  char bytes[];

  // No effect if there is no room.
  void add(Kind kind, std::string_view entry);
  // The entries are wrong: the executions depended on an assumption that turned out to be false.
  void withdraw();
};

// Part of a file with holes.
inline constexpr std::uint64_t kLedgerSize = std::uint64_t{1} << 32;
inline constexpr std::uint64_t kLedgerBytesMax = kLedgerSize - sizeof(Ledger);

}  // namespace thrum

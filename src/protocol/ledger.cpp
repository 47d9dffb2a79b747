// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/ledger.hpp"

#include <algorithm>
#include <cstring>

namespace thrum {

void Ledger::add(Kind kind, std::string_view entry) {
  const std::uint32_t number = count.fetch_add(1);
  if (number >= kEntriesMax || entry.size() > kLedgerBytesMax) return;
  const std::uint64_t begin = used.fetch_add(entry.size());
  if (begin > kLedgerBytesMax - entry.size()) return;
  std::memcpy(bytes + begin, entry.data(), entry.size());
  entries[number].kind = kind;
  entries[number].begin = begin;
  entries[number].size = entry.size();
  entries[number].is_whole.store(1, std::memory_order_release);
}

void Ledger::withdraw() {
  const std::uint32_t end = std::min(count.load(), kEntriesMax);
  for (std::uint32_t i = 0; i < end; ++i) entries[i].is_whole.store(0, std::memory_order_release);
}

}  // namespace thrum

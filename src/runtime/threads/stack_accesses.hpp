// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain accesses of threads in waiting loops to variables on their own stacks, such as the `expected` of a
// compare-exchange.
//
// What such an access reads is part of the thread's state (awaits.hpp). So it may be learned what follows a
// read behind which there are only such accesses, and the round is not run any more. That is right only while
// no other thread accesses these variables: it could change them, or race with them. So they are remembered,
// and accesses of other threads to them are looked for in all executions.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/base/word_map.hpp"
#include "support/bytes.hpp"

namespace thrum {

class StackAccesses {
 public:
  bool empty() const { return words_.empty(); }

  // The thread in that slot accesses bytes of its own stack, behind the read at that call. False: another
  // thread has accessed them. REQUIRES: code < 2^48, as for all addresses of programs.
  bool add(std::uint16_t slot, std::uint64_t code, std::uint64_t address, std::uint64_t size);

  // The thread in that slot accesses memory. The call of add() if the bytes are another thread's and nobody
  // else had accessed them before, else 0.
  std::uint64_t touch(std::uint16_t slot, std::uint64_t address, std::uint64_t size);

  void write(ByteWriter& out) const;
  // Adds what another process has written.
  void read(ByteReader& in);

 private:
  static constexpr std::uint64_t kShared = ~std::uint64_t{0};
  static constexpr unsigned kSlotAt = 48;

  WordMap owners_;  // by word: the call, and the slot from bit kSlotAt on; kShared: several threads access it
  std::vector<std::uint64_t> words_;  // their addresses
};

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which heap blocks are lost: nothing points to them, neither from the roots, which the engine marks, nor
// from blocks to which something points.
//
// The idea is LeakSanitizer's: each word that is the address of a byte of a block counts as a pointer to it,
// whatever its upper 16 bits are, since lock-free programs keep tags there. Memory is read where it lies.
//
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "leaks/live_block.hpp"
#include "model/trace.hpp"

namespace thrum {

// Blocks that are named in order of allocation, first and last, by one thread.
struct IgnoredBlocks {
  ThreadId thread;
  std::uint64_t first;
  std::uint64_t last;
};

class LeakMarks {
 public:
  // The blocks that may be lost, in order of address. None is marked.
  void begin(std::vector<LiveBlock>&& blocks);

  // Something points to what the words of that memory, or this word, point to. Pages of large ranges that
  // were never touched are passed over.
  void mark(std::span<const char> bytes);
  void mark_value(std::uint64_t value);
  // These blocks are not looked for.
  void mark(std::span<const IgnoredBlocks> ignored);
  // All roots are marked: marks what can be reached from them.
  void follow();

  struct Lost {
    std::uint64_t blocks = 0;
    std::uint64_t bytes = 0;
  };
  // REQUIRES, here and below: follow() was called.
  Lost lost() const;
  // The return addresses of the call that allocated a block, innermost first.
  using CodesOf = std::function<std::vector<std::uint64_t>(const LiveBlock&)>;
  struct Group {
    LostBlocks blocks;  // without their stack
    std::vector<std::uint64_t> codes;
  };
  // The lost blocks by thread and place of allocation; first those that no other lost block points to.
  std::vector<Group> groups(const CodesOf& codes_of);
  // A digest of the places where the blocks were allocated that no other block points to.
  static std::uint64_t identity(const std::vector<Group>& groups);

 private:
  enum class Mark : std::uint8_t { none, reached, pointed_to, lost_with_another };

  std::size_t index_of(std::uint64_t value) const;
  template <typename Found>
  void scan(std::span<const char> bytes, Found found) const;
  std::span<const char> bytes_of(std::size_t index) const;
  void reach(std::size_t index);
  void flood(Mark as);
  void find_owners();

  std::vector<LiveBlock> blocks_;
  std::vector<Mark> marks_;  // one for each block
  std::vector<std::size_t> to_scan_;
};

// The text of the failure.
std::string lost_text(LeakMarks::Lost lost);

}  // namespace thrum

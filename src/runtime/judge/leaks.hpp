// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Leaks: blocks of the heap that the program has allocated since it began, and that nobody can reach when an
// execution ends. With --leaks each is a bug. Without, those are that only some schedules have: where one
// execution has freed every block, and another has lost some.
//
// The idea is LeakSanitizer's. At the end, when main has returned or exit was called and all destructors have
// run, memory is marked conservatively: whatever looks like the address of a byte of a block counts as a
// pointer to it, also with a tag in its upper 16 bits, as lock-free programs keep beside pointers. Roots are
// the program's and its libraries' data, the blocks that libraries had allocated before the program began,
// the stacks and thread-local storage of threads that live, and what the runtime holds for the program.
// Blocks are counted first: where all are freed nothing is marked at all.
//
// Where lost blocks were allocated is not kept while executions are fast. An execution that lost some is run
// once more with its allocations noted, so that leaks can be told apart by the places of their allocations.
//
// Thread safety: one thread runs at a time. Tested by tests/programs/{correct,wrong}/leaks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/plan.hpp"
#include "model/trace.hpp"
#include "runtime/base/forever.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/threads/allocations.hpp"

namespace thrum {

class LeakSearch {
 public:
  constexpr LeakSearch() = default;

  // The program itself begins: what was allocated before is none of its own.
  void begin_program();
  // An execution of another plan begins, or the same execution once more. nullptr: what was run is not to be
  // found by its plan.
  void begin_plan(const Plan* plan) {
    note_all(false);
    plan_ = plan;
  }
  void begin();
  // The plan of an execution that has freed every block; nullptr: none has.
  const Plan* clean() const { return clean_ ? &*clean_ : nullptr; }
  // That of one which has not, where that was not known to be a leak when it ended and may be one. Once.
  std::optional<Plan> take_suspect();
  // Whether allocations are to be noted for its sake.
  bool notes_allocations() const { return notes_; }

  // The process ends in order. frames: where the frames of the running thread that live on begin (they lie
  // above); nullptr: none does.
  void arm(const void* frames) {
    armed_ = true;
    frames_ = frames;
  }
  // The execution ends well, and fails here if blocks were lost.
  void check();

  // What the program asks for (LeakSanitizer's interface): of the running thread, what it allocates from
  // here on is none of ours, until as many ends as beginnings have come; a block; a range that is a root.
  void ignore_thread(bool begin);
  void ignore_block(const void* block);
  void add_root(const void* begin, std::size_t size);
  void remove_root(const void* begin, std::size_t size);
  // Likewise all that was allocated so far.
  void ignore_so_far();
  // Whether the execution that runs has asked for any of it.
  bool was_asked() const { return asked_; }
  // Whether it is as at the beginning no more.
  bool was_changed() const { return asked_ || armed_ || now_.ignored.size() != asked_before_.ignored.size(); }

 private:
  using LiveBlock = ProgramHeap::LiveBlock;
  using Bytes = std::span<const char>;
  // Blocks of a thread by their numbers, both included.
  struct Ignored {
    ThreadId thread;
    std::uint32_t first;
    std::uint32_t last;
  };
  struct Depth {  // of ignore_thread()
    ThreadId thread;
    std::uint32_t depth;
  };
  struct Asked {
    std::uint64_t live = 0;  // blocks that need not be freed
    std::vector<Ignored> ignored;
    std::vector<Depth> depths;
    std::vector<Bytes> roots;
  };
  enum class Mark : std::uint8_t { none, reached, pointed_to, lost_with_another };

  bool is_ignored(const LiveBlock& block) const;
  bool collect();
  bool is_wanted();
  void mark_roots();
  void mark_data();
  void mark_threads();
  void mark_stack(std::uint16_t slot);
  void mark_libraries_storage(std::uint16_t slot);
  void mark_mapping(Bytes range);
  template <typename Found>
  void scan(Bytes bytes, Found found);
  void mark(Bytes bytes);
  void mark_value(std::uint64_t value);
  void flood(Mark as);
  std::size_t index_of(std::uint64_t value) const;
  void find_owners();
  std::vector<LostBlocks> groups(std::uint64_t& identity) const;

  std::vector<LiveBlock> blocks_;  // in the order of addresses
  std::vector<Mark> marks_;        // one a block
  std::vector<std::size_t> to_scan_;
  Asked asked_before_;  // the first choice
  Asked now_;
  std::uint32_t before_ = 0;  // blocks that main's thread had allocated when the program began
  const Plan* plan_ = nullptr;
  std::optional<Plan> clean_;
  std::optional<Plan> suspect_;
  const void* frames_ = nullptr;
  bool armed_ = false;
  void note_all(bool all) {
    notes_ = all;
    allocations().note_all(all);
  }

  bool notes_ = false;
  bool asked_ = false;
  bool unreadable_ = false;
};

extern constinit Forever<LeakSearch> the_leak_search;
inline LeakSearch& leak_search() { return the_leak_search.value; }

}  // namespace thrum

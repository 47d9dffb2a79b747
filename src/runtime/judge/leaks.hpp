// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Leaks: heap blocks that the program has allocated since it began, and that are unreachable when an
// execution ends. With --leaks each leak is a bug. Without it, a leak is a bug only if some schedules do not
// have it: one execution has freed every block, and another has lost some.
//
// At the end, when main has returned or exit was called and all destructors have run, memory is marked
// (leaks/leak_marks.hpp). The roots are: the data of the program and its libraries; the blocks that libraries
// allocated before the program began; the stacks and thread-local storage of live threads; and the addresses
// that the runtime holds for the program. Blocks are counted first: if all are freed, nothing is marked.
//
// The places of allocations are not recorded while executions are fast. An execution that lost blocks is run
// again with its allocations recorded, so that leaks can be told apart by the places of their allocations.
//
// Thread safety: one thread runs at a time. Tested by tests/programs/{correct,wrong}/leaks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "leaks/leak_marks.hpp"
#include "model/plan.hpp"
#include "runtime/base/forever.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/threads/allocations.hpp"

namespace thrum {

class LeakSearch {
 public:
  constexpr LeakSearch() = default;

  // The program itself begins: earlier allocations are not the program's.
  void begin_program();
  // An execution of another plan begins, or the same execution again. nullptr: the execution cannot be run
  // again by its plan.
  void begin_plan(const Plan* plan) {
    note_all(false);
    plan_ = plan;
  }
  void begin();
  // The plan of an execution that has freed every block; nullptr: there is none.
  const Plan* clean() const { return clean_ ? &*clean_ : nullptr; }
  // The plan of an execution that lost blocks and may have a leak, which was not known when it ended.
  // Returned once.
  std::optional<Plan> take_suspect();
  // Whether allocations are recorded because of this.
  bool notes_allocations() const { return notes_; }

  // The process ends in order. frames: the live frames of the running thread lie above; nullptr: it has none.
  void arm(const void* frames) {
    armed_ = true;
    frames_ = frames;
  }
  // The execution ends without a bug. Fails here if blocks were lost.
  void check();

  // Requests of the program (LeakSanitizer's interface). First: from here on, the running thread's
  // allocations are ignored until all begins have their ends. Next: a block is ignored; a range is a root.
  void ignore_thread(bool begin);
  void ignore_block(const void* block);
  void add_root(const void* begin, std::size_t size);
  void remove_root(const void* begin, std::size_t size);
  // All allocations so far are ignored.
  void ignore_so_far();
  // Whether the running execution has made such a request.
  bool was_asked() const { return asked_; }
  // Whether the state is not the initial one any more.
  bool was_changed() const { return asked_ || armed_ || now_.ignored.size() != asked_before_.ignored.size(); }

 private:
  using Bytes = std::span<const char>;
  struct Depth {  // nested calls of ignore_thread()
    ThreadId thread;
    std::uint32_t depth;
  };
  struct Asked {
    std::uint64_t live = 0;  // live blocks that need not be freed
    std::vector<IgnoredBlocks> ignored;
    std::vector<Depth> depths;
    std::vector<Bytes> roots;
  };

  bool collect();
  bool is_wanted();
  void mark_roots();
  void mark_data();
  void mark_threads();
  void mark_stack(std::uint16_t slot);
  void mark_libraries_storage(std::uint16_t slot);
  void mark_mapping(Bytes range);

  LeakMarks marks_;
  Asked asked_before_;  // at the first choice
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

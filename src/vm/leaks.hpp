// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Leaks: heap blocks that the program has allocated since it began, and to which nothing points when an
// execution ends (docs/bugs.md, "leak"). Where they are not asked for, a leak is a bug only if some schedules
// do not have it: one execution has freed every block, and another has lost some.
//
// At the end, memory is marked (leaks/leak_marks.hpp). The roots are the variables, the blocks that libraries
// allocated before the program began, the stacks, registers and thread-local storage of threads that have not
// ended, mapped memory, and what the machine holds for the program. Blocks are counted first: if all are
// freed, nothing is marked.
//
// Requests of the program (LeakSanitizer's interface) are a list in the machine's part of the memory, so that
// they are undone like everything else. What is kept here is of the search: plans, and what is known since
// the beginning.
//
// Thread safety: none. Tested by tests/endtoend/vm_features_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "leaks/leak_marks.hpp"
#include "model/bug.hpp"
#include "model/plan.hpp"

namespace thrum::vm {

class Machine;

class LeakSearch {
 public:
  explicit LeakSearch(Machine& machine) : machine_(machine) {}

  // The program itself begins: earlier allocations are its libraries'.
  void begin_program();
  // Executions of another plan begin. nullptr: they cannot be run again by their plan.
  void begin_plan(const Plan* plan);
  // Whether allocations are to be noted with their stacks.
  bool notes_allocations() const { return notes_; }
  // Whether the last execution has lost blocks, and has to run again with its allocations noted.
  bool wants_again() const { return wants_again_; }
  // The execution runs again.
  void begin_again();

  // The process ends in order. Whether blocks were lost: then the execution has failed, or has to run again.
  bool find();

  // Where states are visited: what the last step has come to. lost: blocks that nothing points to; freed_all:
  // every block was freed. Neither: it was no end in order, or blocks are left that somebody points to.
  struct EndOfStates {
    std::optional<Failure> lost;
    bool freed_all = false;
  };
  EndOfStates end_of_states;
  // An execution of that plan has freed every block.
  void note_clean(Plan plan) { clean_ = std::move(plan); }

  // The plan of an execution that has freed every block; nullptr: there is none.
  const Plan* clean() const { return clean_ ? &*clean_ : nullptr; }
  // The plan of an execution that may have a leak, which was not known when it ended. Returned once.
  std::optional<Plan> take_suspect();

  enum class Request : std::uint64_t { disable, enable, ignore, add_root, remove_root, so_far };
  // begin, size: of memory, or of a block.
  void request(Request what, std::uint64_t begin = 0, std::uint64_t size = 0);
  // All blocks that were allocated up to now are no leaks.
  void ignore_so_far();

 private:
  struct Row;  // of the list of requests

  static Row& row(std::uint32_t number);
  void take_requests();
  bool is_wanted();
  bool freed_all() const;
  LeakMarks::Lost look();
  void look_in_states();
  void collect();
  void mark(std::uint64_t begin, std::uint64_t end);
  void mark_roots();
  void mark_threads();
  void mark_mappings();
  std::vector<std::uint64_t> codes_of(const LiveBlock& block);

  Machine& machine_;
  std::uint64_t before_ = 0;       // blocks that main's thread had allocated when the program began
  std::uint64_t live_before_ = 0;  // of them, those that were in use
  const Plan* plan_ = nullptr;
  std::optional<Plan> clean_;
  std::optional<Plan> suspect_;
  bool notes_ = false;
  bool wants_again_ = false;
  // While it is looked for leaks.
  LeakMarks marks_;
  std::vector<IgnoredBlocks> ignored_;
  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
  };
  std::vector<Range> roots_;
};

}  // namespace thrum::vm

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kinds of bugs of a program under test.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/event.hpp"

namespace thrum {

enum class BugKind : std::uint8_t {
  assertion,
  test_failure,
  deadlock,
  livelock,
  data_race,
  crash,
  uncaught_exception,
  use_after_free,
  double_free,
  buffer_overflow,
  leak,
  stack_overflow,
  out_of_memory,
  lock_misuse,
  nonzero_exit,
  undefined_behaviour,
  hang,
  invariant,
};
inline constexpr int kBugKindCount = static_cast<int>(BugKind::invariant) + 1;

// The name in the JSON result: "data-race".
std::string_view bug_kind_name(BugKind kind);

// The pending operation of a thread when the execution failed.
struct Waiter {
  ThreadId thread = kMainThread;
  Operation operation = Operation::lock;  // the operation that it waits to do
  std::uint64_t object = 0;
  ThreadId holder = kNoThread;  // the thread that has to act first, if that is known
  bool spinning = false;
  std::uint64_t code = 0;
  bool ready = false;  // it was enabled, but not chosen (never so in a deadlock)
};

enum class AccessKind : std::uint8_t {
  plain_read,
  plain_write,
  atomic_read,
  atomic_write,  // and every change of a synchronization object
  free,          // of the heap block of the bytes
  thread_end,    // of the thread whose stack or storage holds the bytes
};
inline constexpr int kAccessKindCount = static_cast<int>(AccessKind::thread_end) + 1;

// "write", "atomic read"
std::string_view access_kind_name(AccessKind kind);

// An access that a failure names.
struct MemoryAccess {
  ThreadId thread = kMainThread;
  AccessKind kind = AccessKind::plain_read;
  std::uint32_t size = 0;  // bytes
  std::uint64_t address = 0;
  std::uint64_t code = 0;  // the address behind the call
  // Set if places are recorded. events: how many the thread had done before. learned_by: for the later access
  // of a race, the event (counted from 1) by which its thread last learned of the other thread; 0: none.
  std::uint32_t events = 0;
  std::uint32_t learned_by = 0;
};

struct Failure {
  BugKind kind = BugKind::assertion;
  std::string message;  // without places and thread names; may have several lines
  ThreadId thread = kMainThread;
  std::uint64_t code =
      0;  // where, for telling one bug from another; 0: nowhere in particular; leak: a digest
  std::vector<Waiter> waiters;
  // data_race: the two unordered accesses. use_after_free: the free, if it is known, and the use. In the
  // order in which they were done.
  std::vector<MemoryAccess> accesses{};
  // test_failure: the place that the test framework gives. Else, or if it gives none, empty.
  std::string file{};
  std::uint32_t line = 0;
  bool is_fatal = false;  // it kills the worker

  bool empty() const { return message.empty(); }
};

// Whether two failures of one program in one process are the same bug: the same kind, message and code
// addresses. Numbers in the message, such as the operands of an overflow, depend on the schedule and do not
// count; nor does the size of a leak.
bool same_bug(const Failure& a, const Failure& b);

// text with each number, decimal or hexadecimal, replaced by "#".
std::string without_numbers(const std::string& text);

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain reads and writes by the program, in instrumented code or in libc's functions. All are reported here.
#pragma once

#include <cstddef>

#include "runtime/base/engine.hpp"
#include "runtime/base/world.hpp"
#include "runtime/judge/early_memory.hpp"
#include "runtime/judge/race_judge.hpp"
#include "runtime/threads/round_detector.hpp"
#include "runtime/threads/scheduler.hpp"

namespace thrum {

// For executions that are watched for idle rounds. The second is called before a write.
[[gnu::noinline]] inline void log_read(const volatile void* address, std::size_t size) {
  if (!world.running) return;
  round_detector().note_plain_read(scheduler().current(), reinterpret_cast<std::uint64_t>(address), size);
}
[[gnu::noinline]] inline void log_write(const volatile void* address, std::size_t size) {
  round_detector().note_plain_write(scheduler().current(), reinterpret_cast<std::uint64_t>(address), size);
}

// Counts and judges a plain read. code: the address behind the call.
inline void note_plain_read(const volatile void* address, std::size_t size, std::uint64_t code) {
  count_step(address, size);
  if (__builtin_expect(world.logs_accesses, 0)) log_read(address, size);
  if (world.watches_memory)
    race_judge().access(AccessKind::plain_read, address, size, code, RaceJudge::Point::nowhere);
}

inline void check_write(const volatile void* address) {
  if (__builtin_expect(is_own_memory(address), 0))
    fail_here(BugKind::crash, "a write into the memory of Thrum's runtime");
}

// The same for a plain write. It ends a waiting loop, unless it goes to the thread's own stack, which is
// compared anyway.
inline void note_plain_write(const volatile void* address, std::size_t size, std::uint64_t code,
                             RaceJudge::Point point = RaceJudge::Point::nowhere) {
  count_step(address, size);
  if (!world.running) return check_early(AccessKind::plain_write, address, size, code);
  if (size == 0) return;
  if (world.judges_races) race_judge().access(AccessKind::plain_write, address, size, code, point);
  const Thread& me = scheduler().current();
  if (me.has_on_stack(address)) return;
  check_write(address);
  if (__builtin_expect(world.logs_accesses, 0)) {
    log_write(address, size);
    if (round_detector().is_on()) return scheduler().note_logged_change();
  }
  world.wrote = true;
}

}  // namespace thrum

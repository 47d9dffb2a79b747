// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The callbacks of -fsanitize=thread, except atomics: plain and volatile accesses, function entries.
//
// Plain accesses are no visible operations. They are counted, and a write ends a waiting loop.

#include <cstddef>
#include <cstring>

#include "runtime/base/modules.hpp"
#include "runtime/base/section_functions.hpp"
#include "runtime/base/world.hpp"
#include "runtime/intercept/intercept.hpp"
#include "runtime/judge/leaks.hpp"
#include "runtime/judge/write_access.hpp"
#include "runtime/threads/record.hpp"
#include "runtime/threads/scheduler.hpp"

// switch.S records the caller's registers, and jumps to the second function.
extern "C" {
[[gnu::visibility("hidden")]] void thrum_attentive_read(const void* address, std::size_t size,
                                                        std::uint64_t code);
[[gnu::visibility("hidden")]] void thrum_attentive_read_impl(const void* address, std::size_t size,
                                                             std::uint64_t code);
}

namespace {

using namespace thrum;

// If races are known, a read may be a visible operation and part of a waiting loop. This is a tail call, so
// that the entry in switch.S finds the caller's registers unchanged.
inline void read(const void* address, std::size_t size, std::uint64_t code) {
  count_step(address, size);
  if (__builtin_expect(world.logs_accesses, 0)) return thrum_attentive_read(address, size, code);
  if (!world.watches_memory) return;
  if (race_judge().is_attentive()) return thrum_attentive_read(address, size, code);
  race_judge().access(AccessKind::plain_read, address, size, code, RaceJudge::Point::here);
}

inline void write(const void* address, std::size_t size, std::uint64_t code) {
  note_plain_write(address, size, code, RaceJudge::Point::here);
}

inline void volatile_read(const volatile void* address, std::uint32_t size, std::uint64_t code) {
  if (!world.running) return check_early(AccessKind::plain_read, address, size, code);
  scheduler().arrive_in_loop(Operation::load, reinterpret_cast<std::uint64_t>(address), size, code);
  if (world.judges_races)
    race_judge().access(AccessKind::plain_read, address, size, code, RaceJudge::Point::done);
  scheduler().done(Scheduler::Effect::read, value_at(address, size));
}

inline void volatile_write(const volatile void* address, std::uint32_t size, std::uint64_t code) {
  if (!world.running) return check_early(AccessKind::plain_write, address, size, code);
  check_write(address);
  scheduler().arrive(Operation::store, reinterpret_cast<std::uint64_t>(address), size, code);
  if (__builtin_expect(world.logs_accesses, 0)) log_write(address, size);
  if (world.judges_races)
    race_judge().access(AccessKind::plain_write, address, size, code, RaceJudge::Point::done);
  scheduler().done(Scheduler::Effect::change, value_at(address, size));
  if (__builtin_expect(world.recording, 0) && scheduler().current().atomic_depth == 0) await_written_value();
}

}  // namespace

void thrum_attentive_read_impl(const void* address, std::size_t size, std::uint64_t code) {
  const auto at = reinterpret_cast<std::uint64_t>(address);
  if (world.logs_accesses) log_read(address, size);
  const bool is_operation = world.logs_accesses && world.running &&
                            scheduler().waits_at_plain_read(at, static_cast<std::uint32_t>(size), code);
  if (world.watches_memory) {
    race_judge().access(AccessKind::plain_read, address, size, code,
                        is_operation ? RaceJudge::Point::done : RaceJudge::Point::here);
  }
  if (is_operation) scheduler().done(Scheduler::Effect::read, value_at(address, size));
}

#define ACCESS(size)                                                                                    \
  THRUM_EXPORT void __tsan_read##size(void* address) { read(address, size, THRUM_CALLER); }             \
  THRUM_EXPORT void __tsan_unaligned_read##size(void* address) { read(address, size, THRUM_CALLER); }   \
  THRUM_EXPORT void __tsan_write##size(void* address) { write(address, size, THRUM_CALLER); }           \
  THRUM_EXPORT void __tsan_unaligned_write##size(void* address) { write(address, size, THRUM_CALLER); } \
  THRUM_LOOP_IMPL void __tsan_volatile_read##size##_impl(void* address) {                               \
    volatile_read(address, size, THRUM_CALLER);                                                         \
  }                                                                                                     \
  THRUM_LOOP_IMPL void __tsan_unaligned_volatile_read##size##_impl(void* address) {                     \
    volatile_read(address, size, THRUM_CALLER);                                                         \
  }                                                                                                     \
  THRUM_EXPORT void __tsan_volatile_write##size(void* address) {                                        \
    volatile_write(address, size, THRUM_CALLER);                                                        \
  }                                                                                                     \
  THRUM_EXPORT void __tsan_unaligned_volatile_write##size(void* address) {                              \
    volatile_write(address, size, THRUM_CALLER);                                                        \
  }

ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

// Called by a constructor of each instrumented file. The first constructor of the program runs after those of
// its libraries.
THRUM_EXPORT void __tsan_init() {
  initialize();
  static bool has_begun = false;
  Place place;
  if (!searching() || has_begun || !find_in_modules(THRUM_CALLER, place) || place.owner != 0) return;
  has_begun = true;
  leak_search().begin_program();
}
THRUM_EXPORT void __tsan_func_entry(void*) {
  if (__builtin_expect(section_function_count == 0, 1)) return;
  if (in_section_function(THRUM_CALLER)) begin_section(THRUM_CALLER);
}
THRUM_EXPORT void __tsan_func_exit() {
  if (__builtin_expect(world.recording, 0)) take_written_value();  // while the variable is there
  if (__builtin_expect(section_function_count == 0, 1)) return;
  // The function may have been entered before the search began.
  if (in_section_function(THRUM_CALLER) && scheduler().current().atomic_depth != 0) end_section();
}
// A destructor writes the vptr of its class; in the outermost destructor this does not change it. In C++
// there is no such write, and other threads, for which the destructor may be about to wait, call virtual
// functions meanwhile.
THRUM_EXPORT void __tsan_vptr_update(void** place, void* vptr) {
  if (*place == vptr) return note_plain_read(place, sizeof *place, THRUM_CALLER);
  write(place, sizeof *place, THRUM_CALLER);
}
THRUM_EXPORT void __tsan_vptr_read(void** place) { read(place, sizeof *place, THRUM_CALLER); }
THRUM_EXPORT void __tsan_read_range(void* address, std::size_t size) { read(address, size, THRUM_CALLER); }
THRUM_EXPORT void __tsan_write_range(void* address, std::size_t size) { write(address, size, THRUM_CALLER); }

THRUM_EXPORT void* __tsan_memcpy(void* to, const void* from, std::size_t size) {
  note_plain_read(from, size, THRUM_CALLER);
  note_plain_write(to, size, THRUM_CALLER);
  return std::memcpy(to, from, size);
}
THRUM_EXPORT void* __tsan_memmove(void* to, const void* from, std::size_t size) {
  note_plain_read(from, size, THRUM_CALLER);
  note_plain_write(to, size, THRUM_CALLER);
  return std::memmove(to, from, size);
}
THRUM_EXPORT void* __tsan_memset(void* to, int value, std::size_t size) {
  note_plain_write(to, size, THRUM_CALLER);
  return std::memset(to, value, size);
}

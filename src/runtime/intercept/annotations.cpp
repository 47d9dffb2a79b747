// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls by which libraries explain themselves to a sanitizer: ThreadSanitizer's interface, the older dynamic
// annotations, and the parts of the common sanitizer interface that such code links against.
//
// They change no schedule. Annotations of happens-before and of allowed races go to the race judge, by the
// four functions below.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "runtime/base/world.hpp"
#include "runtime/judge/leaks.hpp"
#include "runtime/judge/race_judge.hpp"
#include "runtime/memory/heap.hpp"

using namespace thrum;

namespace {

// Everything that the thread has done happens before an acquire of the object.
void release_edge(const volatile void* object) {
  if (world.judges_races) race_judge().release(reinterpret_cast<std::uint64_t>(object));
}
void acquire_edge(const volatile void* object) {
  if (world.judges_races) race_judge().acquire(reinterpret_cast<std::uint64_t>(object));
}
// Races on these bytes are allowed.
void allow_races(const volatile void* address, std::size_t size) {
  if (searching()) race_judge().allow(address, size);
}
// The running thread's accesses are not judged until all begins have their ends.
void ignore_accesses(AccessKind kind, bool begin) {
  if (world.judges_races) race_judge().leave_out(kind, begin);
}
void ignore_all(bool begin) {
  ignore_accesses(AccessKind::plain_read, begin);
  ignore_accesses(AccessKind::plain_write, begin);
}

}  // namespace

// ---- ThreadSanitizer's interface -----------------------------------------------------------------

THRUM_EXPORT void __tsan_acquire(void* object) { acquire_edge(object); }
THRUM_EXPORT void __tsan_release(void* object) { release_edge(object); }
THRUM_EXPORT void __tsan_ignore_thread_begin() { ignore_all(true); }
THRUM_EXPORT void __tsan_ignore_thread_end() { ignore_all(false); }

// Locks that the program implements itself: their operations are instrumented, and known already.
THRUM_EXPORT void __tsan_mutex_create(void*, unsigned) {}
THRUM_EXPORT void __tsan_mutex_destroy(void*, unsigned) {}
THRUM_EXPORT void __tsan_mutex_pre_lock(void*, unsigned) {}
THRUM_EXPORT void __tsan_mutex_post_lock(void* mutex, unsigned, int) { acquire_edge(mutex); }
THRUM_EXPORT int __tsan_mutex_pre_unlock(void* mutex, unsigned) {
  release_edge(mutex);
  return 0;
}
THRUM_EXPORT void __tsan_mutex_post_unlock(void*, unsigned) {}
THRUM_EXPORT void __tsan_mutex_pre_signal(void*, unsigned) {}
THRUM_EXPORT void __tsan_mutex_post_signal(void*, unsigned) {}
THRUM_EXPORT void __tsan_mutex_pre_divert(void*, unsigned) {}
THRUM_EXPORT void __tsan_mutex_post_divert(void*, unsigned) {}

// Fibers of the program itself: all fibers of a thread count as one thread.
THRUM_EXPORT void* __tsan_get_current_fiber() {
  static char fiber;
  return &fiber;
}
THRUM_EXPORT void* __tsan_create_fiber(unsigned) {
  static char fiber;
  return &fiber;
}
THRUM_EXPORT void __tsan_destroy_fiber(void*) {}
THRUM_EXPORT void __tsan_switch_to_fiber(void*, unsigned) {}
THRUM_EXPORT void __tsan_set_fiber_name(void*, const char*) {}

THRUM_EXPORT void* __tsan_external_register_tag(const char*) {
  static char tag;
  return &tag;
}
THRUM_EXPORT void __tsan_external_register_header(void*, const char*) {}
THRUM_EXPORT void __tsan_external_assign_tag(void*, void*) {}
THRUM_EXPORT void __tsan_external_read(void*, void*, void*) {}
THRUM_EXPORT void __tsan_external_write(void*, void*, void*) {}
THRUM_EXPORT void __tsan_flush_memory() {}

// ---- Dynamic annotations -------------------------------------------------------------------------

#define ANNOTATE(name, parameters, effect)                \
  THRUM_EXPORT void Annotate##name parameters { effect; } \
  THRUM_EXPORT void WTFAnnotate##name parameters { effect; }
#define PLACE const char*, int  // file, line

ANNOTATE(HappensBefore, (PLACE, const volatile void* object), release_edge(object))
ANNOTATE(HappensAfter, (PLACE, const volatile void* object), acquire_edge(object))
ANNOTATE(CondVarSignal, (PLACE, const volatile void* object), release_edge(object))
ANNOTATE(CondVarSignalAll, (PLACE, const volatile void* object), release_edge(object))
ANNOTATE(CondVarWait, (PLACE, const volatile void* object, const volatile void*), acquire_edge(object))
ANNOTATE(BenignRace, (PLACE, const volatile void* address, const char*), allow_races(address, 1))
ANNOTATE(BenignRaceSized, (PLACE, const volatile void* address, long size, const char*),
         allow_races(address, static_cast<std::size_t>(size)))
ANNOTATE(ExpectRace, (PLACE, const volatile void* address, const char*), allow_races(address, 1))
ANNOTATE(IgnoreReadsBegin, (PLACE), ignore_accesses(AccessKind::plain_read, true))
ANNOTATE(IgnoreReadsEnd, (PLACE), ignore_accesses(AccessKind::plain_read, false))
ANNOTATE(IgnoreWritesBegin, (PLACE), ignore_accesses(AccessKind::plain_write, true))
ANNOTATE(IgnoreWritesEnd, (PLACE), ignore_accesses(AccessKind::plain_write, false))
ANNOTATE(IgnoreSyncBegin, (PLACE), )
ANNOTATE(IgnoreSyncEnd, (PLACE), )
ANNOTATE(RWLockCreate, (PLACE, const volatile void*), )
ANNOTATE(RWLockCreateStatic, (PLACE, const volatile void*), )
ANNOTATE(RWLockDestroy, (PLACE, const volatile void*), )
ANNOTATE(RWLockAcquired, (PLACE, const volatile void* lock, long), acquire_edge(lock))
ANNOTATE(RWLockReleased, (PLACE, const volatile void* lock, long), release_edge(lock))
ANNOTATE(MutexIsNotPHB, (PLACE, const volatile void*), )
ANNOTATE(MutexIsUsedAsCondVar, (PLACE, const volatile void*), )
ANNOTATE(PCQCreate, (PLACE, const volatile void*), )
ANNOTATE(PCQDestroy, (PLACE, const volatile void*), )
ANNOTATE(PCQPut, (PLACE, const volatile void* queue), release_edge(queue))
ANNOTATE(PCQGet, (PLACE, const volatile void* queue), acquire_edge(queue))
ANNOTATE(PublishMemoryRange, (PLACE, const volatile void*, long), )
ANNOTATE(UnpublishMemoryRange, (PLACE, const volatile void*, long), )
ANNOTATE(NewMemory, (PLACE, const volatile void*, long), )
ANNOTATE(TraceMemory, (PLACE, const volatile void*), )
ANNOTATE(FlushState, (PLACE), )
ANNOTATE(FlushExpectedRaces, (PLACE), )
ANNOTATE(EnableRaceDetection, (PLACE, int), )
ANNOTATE(ThreadName, (PLACE, const char*), )
ANNOTATE(NoOp, (PLACE, const volatile void*), )

THRUM_EXPORT int RunningOnValgrind() { return 0; }
THRUM_EXPORT double ValgrindSlowdown() { return 1; }
THRUM_EXPORT const char* ThreadSanitizerQuery(const char*) { return ""; }

// ---- LeakSanitizer's ------------------------------------------------------------------------------

namespace {
bool looks_for_leaks() { return searching() && world.job->leaks; }
}  // namespace

THRUM_EXPORT void __lsan_disable() {
  if (looks_for_leaks()) leak_search().ignore_thread(true);
}
THRUM_EXPORT void __lsan_enable() {
  if (looks_for_leaks()) leak_search().ignore_thread(false);
}
THRUM_EXPORT void __lsan_ignore_object(const void* block) {
  if (looks_for_leaks()) leak_search().ignore_block(block);
}
THRUM_EXPORT void __lsan_register_root_region(const void* begin, std::size_t size) {
  if (looks_for_leaks()) leak_search().add_root(begin, size);
}
THRUM_EXPORT void __lsan_unregister_root_region(const void* begin, std::size_t size) {
  if (looks_for_leaks()) leak_search().remove_root(begin, size);
}
// Leaks are checked when an execution ends.
THRUM_EXPORT void __lsan_do_leak_check() {}
THRUM_EXPORT int __lsan_do_recoverable_leak_check() { return 0; }

// ---- The common interface ------------------------------------------------------------------------

THRUM_EXPORT void __sanitizer_set_report_path(const char*) {}
THRUM_EXPORT void __sanitizer_set_report_fd(void*) {}
THRUM_EXPORT void __sanitizer_set_death_callback(void (*)()) {}
THRUM_EXPORT void __sanitizer_print_stack_trace() {}
THRUM_EXPORT void __sanitizer_sandbox_on_notify(void*) {}
THRUM_EXPORT void __sanitizer_annotate_contiguous_container(const void*, const void*, const void*,
                                                            const void*) {}
THRUM_EXPORT void __sanitizer_start_switch_fiber(void**, const void*, std::size_t) {}
THRUM_EXPORT void __sanitizer_finish_switch_fiber(void*, const void**, std::size_t*) {}
THRUM_EXPORT int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, std::size_t),
                                                           void (*)(const volatile void*)) {
  return 0;  // not installed
}
THRUM_EXPORT int __sanitizer_get_ownership(const volatile void* block) {
  return searching() && the_heap.contains(reinterpret_cast<std::uint64_t>(block)) ? 1 : 0;
}
THRUM_EXPORT std::size_t __sanitizer_get_allocated_size(const volatile void* block) {
  return __sanitizer_get_ownership(block) != 0 ? the_heap.size_of(const_cast<void*>(block)) : 0;
}
THRUM_EXPORT void __sanitizer_symbolize_pc(void* code, const char*, char* text, std::size_t size) {
  if (size != 0) std::snprintf(text, size, "%p", code);
}

// Memory at odd addresses.
#define UNALIGNED(bits)                                                                      \
  THRUM_EXPORT std::uint##bits##_t __sanitizer_unaligned_load##bits(const void* from) {      \
    std::uint##bits##_t value;                                                               \
    std::memcpy(&value, from, sizeof value);                                                 \
    return value;                                                                            \
  }                                                                                          \
  THRUM_EXPORT void __sanitizer_unaligned_store##bits(void* to, std::uint##bits##_t value) { \
    std::memcpy(to, &value, sizeof value);                                                   \
  }

UNALIGNED(16)
UNALIGNED(32)
UNALIGNED(64)

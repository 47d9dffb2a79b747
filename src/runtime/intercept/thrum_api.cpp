// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// include/thrum/thrum.h, and the conventions of other tools.

#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>

#include "runtime/base/notes.hpp"
#include "runtime/drive/inputs.hpp"
#include "runtime/drive/native_program.hpp"
#include "runtime/drive/start.hpp"
#include "runtime/intercept/intercept.hpp"
#include "runtime/judge/race_judge.hpp"
#include "runtime/judge/recorded_footprints.hpp"
#include "runtime/judge/recorded_values.hpp"

using namespace thrum;

namespace {

// The object that represents all atomic sections; no address of the program (Locations::kSections).
constexpr std::uint64_t kSections = 2;

}  // namespace

namespace thrum {

void begin_section(std::uint64_t code) {
  if (!searching()) return;
  Thread& me = scheduler().current();
  if (world.running && me.atomic_depth == 0) {
    // Whatever the section accesses, it is one event, and depends on all other sections.
    scheduler().arrive(Operation::atomic_section, kSections, 0, code);
    scheduler().done(Scheduler::Effect::change);
  }
  ++me.atomic_depth;
}

void end_section() {
  if (!searching()) return;
  Thread& me = scheduler().current();
  if (me.atomic_depth == 0)
    fail_here(BugKind::lock_misuse, "the end of an atomic section that was not begun");
  if (records_values() && me.atomic_depth == 1) recorded_values().end_stretch();
  if (--me.atomic_depth != 0) return;
  footprints().begin();
  if (world.judges_races) race_judge().release(kSections);
}

}  // namespace thrum

namespace {

// One of n values; all of them are tried.
std::uint16_t choose_among(unsigned n, std::uint64_t code) {
  if (!world.running) begin_search();
  scheduler().arrive(Operation::choose, 0, 0, code);
  // A scheduling point even if there is one value: the number of values may depend on the schedule.
  std::uint16_t value = n < 2 ? std::uint16_t{0} : scheduler().choose_value(static_cast<std::uint16_t>(n));
  scheduler().done(Scheduler::Effect::none, value);
  return value;
}

template <typename T>
T draw(std::uint64_t code) {
  if (!searching()) return T{};
  constexpr bool kIsSigned = std::is_signed_v<T> && std::is_integral_v<T>;
  // The first draw makes the search begin, or begin again. From then on each execution begins with the choice
  // of a vector of inputs.
  if (notes().draws_inputs(code) && world.running) restart_search();
  if (!world.running) begin_search();
  const std::uint64_t bits = next_input({sizeof(T), kIsSigned});
  T value;
  static_assert(sizeof value <= sizeof bits);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

[[noreturn]] void fail_verifier(const char* message, std::uint64_t code) {
  if (!searching()) std::abort();
  ThreadId thread = world.running ? scheduler().current().id : kMainThread;
  fail({BugKind::assertion, message, thread, code, {}});
}

void assume(bool condition) {
  if (condition || !searching()) return;
  if (!world.running) report_without_search(nullptr, End::assumption);
  current_trace().end = End::assumption;
  end_execution();
}

}  // namespace

THRUM_EXPORT unsigned thrum_choose(unsigned n) {
  if (!searching()) return 0;
  if (!world.running && n < 2) return 0;  // no choice is open yet
  constexpr unsigned kMax = 0xfff0;
  if (n > kMax) fail_here(BugKind::lock_misuse, "thrum_choose of more than 65,520 values");
  return choose_among(n, THRUM_CALLER);
}

THRUM_EXPORT void thrum_assume(int condition) { assume(condition != 0); }

THRUM_EXPORT void thrum_point() {
  if (!searching() || !world.running) return;
  scheduler().arrive(Operation::point, 0, 0, THRUM_CALLER);
  scheduler().done(Scheduler::Effect::none);
}

THRUM_EXPORT void thrum_atomic_begin() { begin_section(THRUM_CALLER); }
THRUM_EXPORT void thrum_atomic_end() { end_section(); }
THRUM_EXPORT void thrum_progress() {
  if (!world.running) return;
  world.wrote = true;
  ++livelock_watch.hidden_changes;
}
THRUM_EXPORT int thrum_is_active() { return searching(); }

THRUM_EXPORT void __VERIFIER_assume(int condition) { assume(condition != 0); }
THRUM_EXPORT void __VERIFIER_atomic_begin() { begin_section(THRUM_CALLER); }
THRUM_EXPORT void __VERIFIER_atomic_end() { end_section(); }
THRUM_EXPORT void __VERIFIER_assert(int condition) {
  if (!condition) fail_verifier("assertion failed: __VERIFIER_assert", THRUM_CALLER);
}
THRUM_EXPORT void __VERIFIER_error() { fail_verifier("__VERIFIER_error was reached", THRUM_CALLER); }
THRUM_EXPORT void reach_error() { fail_verifier("reach_error was reached", THRUM_CALLER); }

// Inputs. If a type has few values, all are tried; else some are (inputs.hpp).
THRUM_EXPORT bool __VERIFIER_nondet_bool() { return searching() && choose_among(2, THRUM_CALLER) != 0; }
THRUM_EXPORT char __VERIFIER_nondet_char() {
  return searching() ? static_cast<char>(choose_among(256, THRUM_CALLER)) : char{0};
}
THRUM_EXPORT unsigned char __VERIFIER_nondet_uchar() {
  return searching() ? static_cast<unsigned char>(choose_among(256, THRUM_CALLER))
                     : static_cast<unsigned char>(0);
}

#define NONDET(name, type) \
  THRUM_EXPORT type __VERIFIER_nondet_##name() { return draw<type>(THRUM_CALLER); }

NONDET(short, short)
NONDET(ushort, unsigned short)
NONDET(int, int)
NONDET(uint, unsigned)
NONDET(unsigned, unsigned)
NONDET(long, long)
NONDET(ulong, unsigned long)
NONDET(longlong, long long)
NONDET(ulonglong, unsigned long long)
NONDET(float, float)
NONDET(double, double)
NONDET(size_t, std::size_t)
NONDET(loff_t, long long)
NONDET(u8, std::uint8_t)
NONDET(u16, std::uint16_t)
NONDET(u32, std::uint32_t)
NONDET(u64, std::uint64_t)
NONDET(S8, std::int8_t)
NONDET(sector_t, unsigned long)
NONDET(charp, char*)
NONDET(pointer, void*)
NONDET(pchar, char*)

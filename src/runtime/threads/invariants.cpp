// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/threads/invariants.hpp"

#include <cerrno>
#include <string>

#include "runtime/base/engine.hpp"
#include "runtime/base/fiber.hpp"
#include "runtime/base/world.hpp"
#include "runtime/threads/scheduler.hpp"

namespace thrum {

namespace {

// What is on while the program's code runs, and off while an invariant is evaluated.
struct Switches {
  bool running = false;
  bool judges_races = false;
  bool watches_memory = false;
  bool names_events = false;
  bool logs_accesses = false;
  bool wrote = false;
};

constinit Switches g_switches;
constinit const Thread* g_checker = nullptr;  // whose invariant is being evaluated

void switch_off() {
  g_switches = {world.running,      world.judges_races,  world.watches_memory,
                world.names_events, world.logs_accesses, world.wrote};
  world.running = world.judges_races = world.watches_memory = world.names_events = world.logs_accesses =
      false;
  world.mode = Mode::checking;
}

void switch_on() {
  world.running = g_switches.running;
  world.judges_races = g_switches.judges_races;
  world.watches_memory = g_switches.watches_memory;
  world.names_events = g_switches.names_events;
  world.logs_accesses = g_switches.logs_accesses;
  world.wrote = g_switches.wrote;
  world.mode = Mode::searching;
}

std::string name_of(const Invariant& invariant) {
  return invariant.name == nullptr ? "" : std::string(" '") + invariant.name + "'";
}

}  // namespace

void check_invariant(const Thread& checker) {
  const CallerState caller = thrum_caller;
  const int program_errno = errno;
  g_checker = &checker;
  switch_off();
  const bool holds = checker.invariant.holds(checker.invariant.argument) != 0;
  switch_on();
  thrum_caller = caller;
  errno = program_errno;
  if (!holds) fail_invariant(checker);
}

void fail_invariant(const Thread& checker) {
  fail({BugKind::invariant,
        "the invariant" + name_of(checker.invariant) + " does not hold",
        running_thread().id,
        checker.invariant.code,
        {}});
}

bool leave_invariant() {
  if (world.mode != Mode::checking) return false;
  switch_on();
  return true;
}

void check_in_invariant(AccessKind kind, const volatile void* address) {
  const bool writes = kind == AccessKind::plain_write || kind == AccessKind::atomic_write;
  if (writes && !running_thread().has_on_stack(address)) refuse_in_invariant("writes memory");
}

void refuse_in_invariant(const char* does) {
  const Thread& checker = *g_checker;
  leave_invariant();
  fail({BugKind::lock_misuse,
        "the invariant" + name_of(checker.invariant) + " may only read memory, and " + does,
        running_thread().id,
        checker.invariant.code,
        {}});
}

void Scheduler::check_invariants() {
  if (is_in_trial()) return;
  for (std::uint16_t slot = 1; slot < course_.slots_used; ++slot) {
    const Thread& thread = *slots_[slot];
    if (thread.invariant.holds != nullptr && !thread.released) check_invariant(thread);
  }
}

void Scheduler::end_invariant(Thread& checker) {
  checker.released = true;
  --course_.invariants;
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime's state for the process: whether a search is on, its job, and the memory shared with the
// supervisor.
//
// A process is either plain (run without `thrum check`: every call goes through to libc) or under a search.
// The first call of any kind decides which; it may come before the library's own constructors. Under a search
// one thread of the program runs at a time.
#pragma once

#include <sys/types.h>
#include <cstddef>
#include <cstdint>

#include "protocol/channel.hpp"
#include "protocol/job.hpp"

#define THRUM_EXPORT extern "C" __attribute__((visibility("default")))
// The implementation to which a loop_entry of switch.S jumps.
#define THRUM_LOOP_IMPL extern "C" __attribute__((visibility("hidden")))
#define THRUM_CALLER (reinterpret_cast<std::uint64_t>(__builtin_return_address(0)))

namespace thrum {

enum class Mode : std::uint8_t {
  undecided,
  checking,  // an invariant is evaluated, which may only read memory (threads/invariants.hpp)
  plain,
  searching
};

extern std::atomic<std::uint64_t> plain_steps_left;

struct World {
  Mode mode = Mode::undecided;
  bool running = false;       // an execution runs, and the program's code in it, not the search
  bool recording = false;     // events are recorded
  bool judges_races = false;  // running, and memory accesses are judged
  // Memory accesses are judged; or, before the first choice, checked against the heap (early_memory.hpp).
  bool watches_memory = false;
  bool names_events = false;   // running, and events get names (judging.hpp)
  bool attention = false;      // something rare is on: events are recorded, or a signal is pending
  bool logs_accesses = false;  // the execution is watched for idle rounds (round_detector.hpp)
  bool wrote = false;       // the running thread has changed memory that others may see, since the last reset
  bool made_calls = false;  // the execution has made system calls that may have to be undone
  // Counts instrumented operations down to the next one that needs an action: in the channel, or in a dummy.
  std::atomic<std::uint64_t>* steps_left = &plain_steps_left;
  Board* board = nullptr;
  Ledger* ledger = nullptr;
  Channel* channel = nullptr;
  pid_t process = 0;  // of the first worker; the program sees it as the number of all workers
  pid_t supervisor = 0;
  std::uint64_t own_begin = 0;  // begin of the runtime's variables, this one among them
  std::uint64_t own_size = 0;
  const FatalPlan* fatal = nullptr;  // the running plan is known to kill this process at some operation
  bool repeats = false;              // an execution of the search runs for the second time
  bool restarts = false;             // the search has to begin again
  // The time limit was reached: an execution that runs now ends.
  volatile bool time_is_up = false;
  const char* alone = nullptr;  // why one worker has to search alone; nullptr: several may
  std::uint32_t copies = 0;     // copies of this process made so far that may replace it
  const Job* job = nullptr;
  ThreadNames* names = nullptr;
};

extern constinit World world;

// Whether a write there damages the runtime.
inline bool is_own_memory(const volatile void* address) {
  return reinterpret_cast<std::uint64_t>(address) - world.own_begin < world.own_size;
}

// Decides whether the process is under a search, if that is not decided yet, and prepares the runtime for it.
// Defined in drive/start.cpp.
void initialize();
// Decides it, and says whether the process is under a search. If so, `world` is set up.
bool enter_world();

// Whether the process is under a search. Cheap; decides it if needed. In the middle of an invariant it does
// not return.
inline bool searching() {
  if (__builtin_expect(world.mode <= Mode::checking, 0)) initialize();
  return world.mode == Mode::searching;
}

// The count has reached 0: cuts the execution, unless steps are held. Defined in drive/native_program.cpp.
void end_of_steps(const volatile void* accessed, std::size_t size);

// Counts one instrumented operation. accessed: the memory that it accesses plainly; nullptr: none, or memory
// of the runtime's.
inline void count_step(const volatile void* accessed = nullptr, std::size_t size = 0) {
  std::uint64_t left = world.steps_left->load(std::memory_order_relaxed) - 1;
  world.steps_left->store(left, std::memory_order_relaxed);
  if (__builtin_expect(left == 0, 0)) end_of_steps(accessed, size);
}

// The limit of the execution that begins; it has done `done` steps of it already. 0: no limit.
void limit_steps(std::uint64_t limit, std::uint64_t done = 0);

// The execution may do so many more steps.
void add_steps(std::uint64_t steps);

// Holds the steps: until release_steps(), or the next execution, each that is counted comes to end_of_steps()
// at once. No steps are lost.
void hold_steps();
void release_steps();
extern std::uint64_t held_steps;  // by which the limit is lower than it should be
inline bool holds_steps() { return held_steps != 0; }
// Whether a step was counted because steps are held, and not because the limit is reached.
bool take_held_step();

// Counts so many steps at once. False, and counts none, if that would cut the execution.
bool leave_steps(std::uint64_t steps);

// The execution ends at its next step. A signal handler may call this. False: it was told so before and has
// not done a step since.
bool end_at_next_step();

// Operations counted since limit_steps().
std::uint64_t steps_done();

// Makes that channel this worker's, and the only accessible one.
void enter_channel(std::uint32_t slot);
// Another worker's channel can be read, or written too, up to close_channel().
Channel& open_channel(std::uint32_t slot, bool writing);
void close_channel(Channel& channel);

// The function of that name that this library hides. Looked up once for each name; plain processes call
// through it.
void* next_function(const char* name, const char* version = nullptr);

}  // namespace thrum

// Declares, inside an intercepted function, `real`: libc's function of the same name.
#define THRUM_REAL(name) \
  static auto* const real = reinterpret_cast<decltype(&::name)>(::thrum::next_function(#name))

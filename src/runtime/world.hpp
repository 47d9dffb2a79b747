// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime's own world: whether a search is on, what it was asked to do, and the memory shared with the
// supervisor.
//
// A process is either plain (run without `thrum check`: every call goes through to libc) or under a search;
// that is decided at the first call of any kind, which may come before the library's own constructors. Only
// one system thread ever runs the program under test.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/channel.hpp"
#include "protocol/job.hpp"

#define THRUM_EXPORT extern "C" __attribute__((visibility("default")))
// What a loop_entry of switch.S goes on to.
#define THRUM_LOOP_IMPL extern "C" __attribute__((visibility("hidden")))
#define THRUM_CALLER (reinterpret_cast<std::uint64_t>(__builtin_return_address(0)))

namespace thrum {

enum class Mode : std::uint8_t { undecided, plain, searching };

struct World {
  Mode mode = Mode::undecided;
  bool running = false;    // inside an execution, and the program's code runs, not the search
  bool recording = false;  // events are written down
  bool wrote = false;  // the running thread has changed memory that others may see since this was last reset
  bool live_output = false;
  std::uint64_t steps_end = ~std::uint64_t{0};  // the execution is cut when the channel's steps reach it
  Channel* channel = nullptr;
  const Job* job = nullptr;
  ThreadNames* names = nullptr;
};

extern constinit World world;

// Decides the mode where that was not done yet.
void initialize();

// Whether the process is under a search. Cheap; decides the mode where needed.
inline bool searching() {
  if (__builtin_expect(world.mode == Mode::undecided, 0)) initialize();
  return world.mode == Mode::searching;
}

[[noreturn]] void cut_by_steps();

// Counts one instrumented operation of an execution; cuts the execution where it has had its share.
inline void count_step() {
  std::atomic<std::uint64_t>& counter = world.channel->steps;
  std::uint64_t steps = counter.load(std::memory_order_relaxed) + 1;
  counter.store(steps, std::memory_order_relaxed);
  if (__builtin_expect(steps >= world.steps_end, 0)) cut_by_steps();
}

// The id of parent's next child, and the supervisor's copy of its name kept up to date.
ThreadId name_thread(ThreadId parent, std::uint32_t ordinal);

// The function of that name that this library stands in front of. Asked once for each; plain processes go
// through it.
void* next_function(const char* name, const char* version = nullptr);

}  // namespace thrum

// Declares, inside an intercepted function, `real`: libc's function of the same name.
#define THRUM_REAL(name) \
  static auto* const real = reinterpret_cast<decltype(&::name)>(::thrum::next_function(#name))

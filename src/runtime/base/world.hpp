// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime's own world: whether a search is on, what it was asked to do, and the memory shared with the
// supervisor.
//
// A process is either plain (run without `thrum check`: every call goes through to libc) or under a search;
// that is decided at the first call of any kind, which may come before the library's own constructors. Under
// a search one thread of the program runs at a time.
#pragma once

#include <sys/types.h>
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

extern std::atomic<std::uint64_t> plain_steps_left;

struct World {
  Mode mode = Mode::undecided;
  bool running = false;       // inside an execution, and the program's code runs, not the search
  bool recording = false;     // events are written down
  bool judges_races = false;  // running, and memory accesses are judged
  // Memory accesses are judged, or before the first choice checked against the heap (early_memory.hpp).
  bool watches_memory = false;
  bool names_events = false;   // likewise, and events get names (judging.hpp)
  bool attention = false;      // something rare is on: events are written down, or a signal is pending
  bool logs_accesses = false;  // the execution is watched for idle rounds (round_detector.hpp)
  bool wrote = false;  // the running thread has changed memory that others may see since this was last reset
  bool made_calls = false;  // the execution has made system calls that may have to be undone
  // Counts instrumented operations down until something is to be done about them; the channel's, or a dummy.
  std::atomic<std::uint64_t>* steps_left = &plain_steps_left;
  Board* board = nullptr;
  Ledger* ledger = nullptr;
  Channel* channel = nullptr;
  pid_t process = 0;  // of the first worker; to the program, that of all of them
  pid_t supervisor = 0;
  std::uint32_t revived = 0;    // Board::revived when this process was made
  std::uint64_t own_begin = 0;  // the runtime's variables, among them this one
  std::uint64_t own_size = 0;
  const FatalPlan* fatal = nullptr;  // the running plan is known to kill this process at some place
  bool repeats = false;              // an execution of the search is run once more
  bool restarts = false;             // the search is to begin anew
  // The time of the search has ended, and so does any execution that would run now.
  volatile bool time_is_up = false;
  const char* alone = nullptr;  // why one worker has to search; nullptr: several may
  std::uint32_t copies = 0;     // that may take this process's place, made so far
  const Job* job = nullptr;
  ThreadNames* names = nullptr;
};

extern constinit World world;

// Whether a write there damages the runtime.
inline bool is_own_memory(const volatile void* address) {
  return reinterpret_cast<std::uint64_t>(address) - world.own_begin < world.own_size;
}

// While the search does something long between executions: that steps stand still is no hang.
class Passing {
 public:
  Passing() { world.channel->state_passes.store(1); }
  ~Passing() { world.channel->state_passes.store(0); }
  Passing(const Passing&) = delete;
  Passing& operator=(const Passing&) = delete;
};

// Decides the mode where that was not done yet, and readies the runtime for a search. Defined in
// drive/start.cpp.
void initialize();
// Decides the mode. Whether the process is under a search; then the world is there.
bool enter_world();

// Whether the process is under a search. Cheap; decides the mode where needed.
inline bool searching() {
  if (__builtin_expect(world.mode == Mode::undecided, 0)) initialize();
  return world.mode == Mode::searching;
}

// The count has come down to 0: cuts the execution. Defined in drive/native_program.cpp.
void end_of_steps();

// Counts one instrumented operation.
inline void count_step() {
  std::uint64_t left = world.steps_left->load(std::memory_order_relaxed) - 1;
  world.steps_left->store(left, std::memory_order_relaxed);
  if (__builtin_expect(left == 0, 0)) end_of_steps();
}

// The execution that begins may do so many, of which some have been done; 0: no limit.
void limit_steps(std::uint64_t limit, std::uint64_t done = 0);

// The execution may do so many more.
void add_steps(std::uint64_t steps);

// Counts so many at once; false, and none are, where that would cut the execution.
bool leave_steps(std::uint64_t steps);

// The execution ends at its next step. May be called by a signal handler. False: it was to do so already, and
// has not come to one.
bool end_at_next_step();

// Operations counted since limit_steps().
std::uint64_t steps_done();

// Makes that channel this worker's, and the only one that can be used.
void enter_channel(std::uint32_t slot);
// While it is there, another worker's channel can be read, or written too.
class OpenChannel {
 public:
  enum class For : std::uint8_t { reading, writing };
  OpenChannel(std::uint32_t slot, For use);
  ~OpenChannel();
  OpenChannel(const OpenChannel&) = delete;
  OpenChannel& operator=(const OpenChannel&) = delete;

  Channel& operator*() const { return channel_; }
  Channel* operator->() const { return &channel_; }

 private:
  Channel& channel_;
};

// The function of that name that this library stands in front of. Asked once for each; plain processes go
// through it.
void* next_function(const char* name, const char* version = nullptr);

}  // namespace thrum

// Declares, inside an intercepted function, `real`: libc's function of the same name.
#define THRUM_REAL(name) \
  static auto* const real = reinterpret_cast<decltype(&::name)>(::thrum::next_function(#name))

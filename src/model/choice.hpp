// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A choice: a place where an execution can go on in more than one way. Mostly, which thread runs next.
//
// A choice is keyed by who stands there and how far it has come, never by a global step number, so that a
// plan keeps its meaning when unrelated threads do more or less (docs/semantics.md, "Events and scheduling
// points").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "model/thread_names.hpp"

namespace thrum {

enum class ChoiceKind : std::uint8_t {
  thread,  // which thread runs next; the key names the thread that ran last
  waiter,  // which waiter a signal wakes
  value,   // thrum_choose and small nondeterministic inputs
};

struct ChoiceKey {
  ThreadId thread = kMainThread;
  ChoiceKind kind = ChoiceKind::thread;
  std::uint32_t index = 0;  // events that the thread has done so far

  friend bool operator==(const ChoiceKey&, const ChoiceKey&) = default;
};

// By what a thread goes on. Timeouts, signals and spurious wake-ups are no choices of their own: they stand
// among the options of the thread choice.
enum class Via : std::uint8_t {
  run,           // it does what it stands before
  timeout,       // its timed wait expires
  signal,        // it handles a signal that is pending for it
  signal_first,  // likewise, and the signal came before the wait that it stands before, and does not end it
  expiry,        // the thread is a timer, and expires
  spurious,      // its condition wait ends for no reason (--spurious)
};
inline constexpr Via kLastVia = Via::spurious;

struct Option {
  std::uint16_t value = 0;  // the thread or waiter (a ThreadId), or the value
  Via via = Via::run;

  friend bool operator==(const Option&, const Option&) = default;
};

// What the options cost is counted by, and which option costs nothing.
enum class Base : std::uint8_t {
  nonpreemptive,  // stay; after a yield go round; else the lowest id. Costs are preemptions and timeouts
  round_robin,    // stay; else go round. The d-th next thread costs d (delay bounding)
};
inline constexpr std::size_t kBaseCount = static_cast<std::size_t>(Base::round_robin) + 1;

// One choice as it was met in an execution. For thread choices the options are the enabled threads in order
// of their ids, one for which a signal is pending via the signal; then what costs 1 more, likewise: threads
// that run before their pending signal arrives, or whose wait begins after it, threads whose timed wait may
// expire, timers. Where no thread is enabled, there are only those with the earliest deadline. Threads that
// may wake up spuriously stand last.
struct ChoicePoint {
  ChoiceKey key;
  bool running_enabled = false;  // the thread that ran last can go on
  bool yielded = false;          // and gave way of its own will
  std::uint16_t enabled = 0;     // thread choices: how many options, the first ones, are enabled threads
  std::uint16_t round = 0;       // thread choices: the option after the running thread in round-robin order
  std::uint16_t taken = 0;       // the option that the execution went on with
  std::uint16_t cost_before = 0;
  std::uint32_t options_begin = 0;  // in Trace::options
  std::uint16_t options_count = 0;
  std::uint32_t step = 0;  // thread choices that the execution met before, recorded or not
};

// The option that costs nothing: what happens where a plan says nothing. REQUIRES: options are not empty.
std::uint16_t default_option(const ChoicePoint& point, std::span<const Option> options, Base base);

// What taking an option costs: 1 for a preemption, 1 more for a timeout, a timer's expiry or a late signal
// while some thread is enabled, 1 more for a spurious wake-up; under round_robin the number of options
// skipped. A timer takes nobody's turn.
std::uint16_t option_cost(const ChoicePoint& point, std::span<const Option> options, std::uint16_t option,
                          Base base);

}  // namespace thrum

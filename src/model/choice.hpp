// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A choice: a place where an execution can go on in more than one way. Mostly it is which thread runs next.
//
// The key of a choice is the thread that stands there and how far it has come, never a global step number. So
// a plan keeps its meaning when unrelated threads do more or less (docs/semantics.md, "Events and scheduling
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

// How a thread goes on. Timeouts, signals and spurious wake-ups are not choices of their own: they are
// options of the choice which thread runs.
enum class Via : std::uint8_t {
  run,           // it does its pending operation
  timeout,       // its timed wait expires
  signal,        // it handles a signal that is pending for it
  signal_first,  // the same; the signal came before the pending wait, which it does not end
  expiry,        // the thread is a timer, and expires
  spurious,      // its condition wait ends without a reason (--spurious)
};
inline constexpr Via kLastVia = Via::spurious;

struct Option {
  std::uint16_t value = 0;  // the thread or waiter (a ThreadId), or the value
  Via via = Via::run;

  friend bool operator==(const Option&, const Option&) = default;
};

// The base decides how options are counted as costs, and which option is free.
enum class Base : std::uint8_t {
  nonpreemptive,  // stay; after a yield go round; else the first name. Costs are preemptions and timeouts
  round_robin,    // stay; else go round. The d-th next thread costs d (delay bounding)
};
inline constexpr std::size_t kBaseCount = static_cast<std::size_t>(Base::round_robin) + 1;

// One choice as it was met in an execution. For a choice of a thread the options are, in this order: (1) the
// enabled threads by name; via the signal if one is pending. (2) by name, options with 1 added to their cost:
// threads that run before their pending signal arrives, or whose wait begins after it; threads whose timed
// wait may expire; timers. If no thread is enabled, only those with the earliest deadline. (3) threads that
// may wake up spuriously.
struct ChoicePoint {
  ChoiceKey key;
  bool running_enabled = false;  // the thread that ran last is enabled
  bool yielded = false;          // and it has yielded
  std::uint16_t enabled = 0;     // choice of a thread: the first so many options are enabled threads
  std::uint16_t round = 0;  // choice of a thread: the option after the running thread in round-robin order
  std::uint16_t taken = 0;  // the option that was taken
  std::uint16_t cost_before = 0;
  std::uint32_t options_begin = 0;  // in Trace::options
  std::uint16_t options_count = 0;
  std::uint32_t step = 0;  // choices of a thread before this one in the execution, recorded or not
};

// The free option, taken if a plan says nothing. REQUIRES: options are not empty.
std::uint16_t default_option(const ChoicePoint& point, std::span<const Option> options, Base base);

// The cost of an option: 1 for a preemption, 1 more for a timeout, a timer's expiry or a late signal while
// some thread is enabled, 1 more for a spurious wake-up; under round_robin the number of options skipped. A
// timer does not take the turn of a thread.
std::uint16_t option_cost(const ChoicePoint& point, std::span<const Option> options, std::uint16_t option,
                          Base base);

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A random policy at work: it answers the choices of one execution that neither the plan nor the strategy
// answers. Its answers depend only on the plan's Policy and on the program, so that the plan alone reproduces
// the execution.
//
// All random policies have in common:
//   - Each chooses threads in its own way. An event that may end a wait by chance (a timeout, a timer's
//     expiry, a late signal, a spurious wake-up) is a *source* beside the threads (Source below).
//   - The waiter that is woken, and values, are drawn uniformly.
//
// Thread safety: none.
#pragma once

#include <memory>
#include <span>

#include "execution/advisor.hpp"
#include "model/plan.hpp"
#include "model/trace.hpp"
#include "support/random.hpp"

namespace thrum {

class RunningPolicy {
 public:
  virtual ~RunningPolicy() = default;

  // Begins an execution. policy must outlive it.
  virtual void begin(const Policy& policy) = 0;

  // The option to take. REQUIRES: there are several options.
  virtual std::uint16_t choose(const ChoicePoint& point, std::span<const Option> options,
                               Pending& threads) = 0;

  // The execution goes on with this option, whoever chose it. Called at each choice of a thread, even with a
  // single option, and at other choices that have several options.
  virtual void follow(const ChoicePoint&, std::span<const Option>, std::uint16_t /*taken*/,
                      Pending& /*threads*/) {}

  // Whether follow() is needed for each choice of a thread up to the end, even if only one thread is left.
  virtual bool needs_all() const { return false; }

  // The execution has ended.
  virtual void finish(Sampling&) const {}
};

// The source of a step: a thread, or an event that lets a waiting thread go on by chance. Numbers are small
// enough to be indices.
using Source = std::uint32_t;
inline constexpr Source kSourcesPerThread = 8;

inline Source source_of(ThreadId thread) { return thread * kSourcesPerThread; }

inline Source source_of(const ChoicePoint& point, std::span<const Option> options, std::size_t option) {
  static_assert(static_cast<Source>(kLastVia) + 1 < kSourcesPerThread);
  Source way = option < point.enabled ? 0 : 1 + static_cast<Source>(options[option].via);
  return source_of(options[option].value) + way;
}

}  // namespace thrum

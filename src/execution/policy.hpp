// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A random policy at work: it answers the choices of one execution that neither the plan nor the strategy
// answers. All that it does follows from the plan's Policy and the program, so that the plan alone gives the
// execution again.
//
// What each of them has in common:
//   - Thread choices are answered in its own way. Where a wait may run out, a timer expire, a signal be late
//     or a wait end for no reason, whatever brings that about is a *source* beside the threads (Source
//     below).
//   - Which waiter is woken, and which value is chosen, are drawn uniformly.
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

  // The option to take. REQUIRES: there are several.
  virtual std::uint16_t choose(const ChoicePoint& point, std::span<const Option> options,
                               Pending& threads) = 0;

  // Told of the option that the execution goes on with, chosen here or elsewhere, at each thread choice, also
  // where there is one option only, and at the other choices that have several.
  virtual void follow(const ChoicePoint&, std::span<const Option>, std::uint16_t /*taken*/,
                      Pending& /*threads*/) {}

  // Whether it must be told of each thread choice up to the end, even where only one thread is left.
  virtual bool needs_all() const { return false; }

  // The execution has ended.
  virtual void finish(Sampling&) const {}
};

// Who takes a step: a thread, or what lets a waiting one go on unasked. A number for each, small enough for
// an index.
using Source = std::uint32_t;
inline constexpr Source kSourcesPerThread = 8;

inline Source source_of(ThreadId thread) { return thread * kSourcesPerThread; }

inline Source source_of(const ChoicePoint& point, std::span<const Option> options, std::size_t option) {
  static_assert(static_cast<Source>(kLastVia) + 1 < kSourcesPerThread);
  Source way = option < point.enabled ? 0 : 1 + static_cast<Source>(options[option].via);
  return source_of(options[option].value) + way;
}

}  // namespace thrum

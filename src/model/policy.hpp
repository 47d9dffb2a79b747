// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A policy: how an execution goes on if its plan has no departure.
//
// All policies but `base` are random, from a seed; each has its own file in execution/. Besides the seed a
// policy has parameters. Only the policy knows their meaning; all other code stores, passes and shows them by
// the table here.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/choice.hpp"

namespace thrum {

// Whether threads that yield in a loop have to wait for the threads that they starve
// (execution/fair_scheduler.hpp).
enum class Fairness : std::uint8_t {
  off,
  watch,  // they do not; but the execution is cut if a thread starves
  on,
};

// Which threads in loops wait, and for how long (runtime/threads/spin.hpp,
// runtime/threads/round_detector.hpp).
enum class Waiting : std::uint8_t {
  spins,    // after a round that only read: until something that it read is written
  written,  // also after an idle round, which may write: until something that it read is written
  changed,  // after such a round: while everything that it read has its old value
  values,   // after a round that only read: while everything that it read has its old value
};

// Whether threads wait behind idle rounds as well.
constexpr bool waits_when_idle(Waiting waiting) {
  return waiting == Waiting::written || waiting == Waiting::changed;
}

// What becomes of a thread whose round of a waiting loop came to nothing: it came back to where the round
// began, in the same state, and nobody saw what it did (docs/semantics.md, "Loops, fairness, livelock").
enum class Rounds : std::uint8_t {
  repeat,  // it runs more rounds, when it may by Waiting
  block,   // it does no more in this execution
  await,   // the same; and an operation that is known to end such a round at once is not enabled
  merge,   // the same; nor is one that leads to where fewer reads of the same bytes would have led by now
};

// The expected number of a thread's operations.
struct ThreadCount {
  ThreadId thread = kMainThread;
  std::uint32_t count = 0;

  friend bool operator==(const ThreadCount&, const ThreadCount&) = default;
};

struct Policy {
  enum class Kind : std::uint8_t { base, random, pct, pos, surw };
  Kind kind = Kind::base;
  Base base = Base::nonpreemptive;  // also decides how costs are counted
  std::uint64_t seed = 0;
  Fairness fairness = Fairness::off;
  Waiting waiting = Waiting::spins;
  Rounds rounds = Rounds::repeat;
  std::vector<std::uint64_t> parameters{};  // as PolicyRow::parameters names them; missing ones are 0
  std::vector<ThreadCount> counts{};        // if PolicyRow::has_counts; empty: not known yet

  std::uint64_t parameter(std::size_t i) const { return i < parameters.size() ? parameters[i] : 0; }

  friend bool operator==(const Policy&, const Policy&) = default;
};

inline constexpr std::uint32_t kPctDepthMax = 1000;

struct PolicyParameter {
  std::string_view name;  // in traces, and in words
  std::uint64_t max;      // the largest valid number
};

struct PolicyRow {
  Policy::Kind kind;
  std::string_view name;
  std::span<const PolicyParameter> parameters;
  bool has_counts = false;
};

// All policies, by kind.
std::span<const PolicyRow> policies();
const PolicyRow& row_of(Policy::Kind kind);
// nullptr if there is none of that name.
const PolicyRow* find_policy(std::string_view name);
// Whether kind and parameters are possible by the table: for policies that were read.
bool is_possible(const Policy& policy);

}  // namespace thrum

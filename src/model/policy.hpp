// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A policy: how an execution goes on where its plan holds no departure.
//
// Each policy but base is random, by its seed, and stands in a file of its own in execution/. What a policy
// is told besides its seed are its parameters: it alone gives them a meaning, and everything else keeps,
// passes and shows them by the table here.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/choice.hpp"

namespace thrum {

// Whether threads that yield in a loop go behind those that starve meanwhile (execution/fair_scheduler.hpp).
enum class Fairness : std::uint8_t {
  off,
  watch,  // they do not; but the execution is cut where somebody starves
  on,
};

// Which threads wait in loops, and how long (runtime/threads/spin.hpp, runtime/threads/round_detector.hpp).
enum class Waiting : std::uint8_t {
  spins,    // after a round that only read: until something is written that it read
  written,  // after a round that came to nothing, though it may have written: until then, too
  changed,  // after such a round: while all that it read has the value that it had
};

// How many operations a thread is expected to do.
struct ThreadCount {
  ThreadId thread = kMainThread;
  std::uint32_t count = 0;

  friend bool operator==(const ThreadCount&, const ThreadCount&) = default;
};

struct Policy {
  enum class Kind : std::uint8_t { base, random, pct, pos, surw };
  Kind kind = Kind::base;
  Base base = Base::nonpreemptive;  // also: by what costs are counted
  std::uint64_t seed = 0;
  Fairness fairness = Fairness::off;
  Waiting waiting = Waiting::spins;
  std::vector<std::uint64_t> parameters{};  // as PolicyRow::parameters names them; missing ones are 0
  std::vector<ThreadCount> counts{};        // where PolicyRow::has_counts; empty: not known yet

  std::uint64_t parameter(std::size_t i) const { return i < parameters.size() ? parameters[i] : 0; }

  friend bool operator==(const Policy&, const Policy&) = default;
};

inline constexpr std::uint32_t kPctDepthMax = 1000;

struct PolicyParameter {
  std::string_view name;  // in traces, and in words
  std::uint64_t max;      // of a number that can be meant
};

struct PolicyRow {
  Policy::Kind kind;
  std::string_view name;
  std::span<const PolicyParameter> parameters;
  bool has_counts = false;
};

// Every policy there is, by kind.
std::span<const PolicyRow> policies();
const PolicyRow& row_of(Policy::Kind kind);
// nullptr: there is none of that name.
const PolicyRow* find_policy(std::string_view name);
// Whether kind and parameters are those of the table: for policies that were read.
bool is_possible(const Policy& policy);

}  // namespace thrum

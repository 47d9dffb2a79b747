// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan: what to run. A policy, and the points where it is departed from; everything else follows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/choice.hpp"
#include "support/bytes.hpp"

namespace thrum {

// How many operations a thread is expected to do.
struct ThreadCount {
  ThreadId thread = kMainThread;
  std::uint32_t count = 0;

  friend bool operator==(const ThreadCount&, const ThreadCount&) = default;
};

// Whether threads that yield in a loop go behind those that starve meanwhile (search/fair_scheduler.hpp).
enum class Fairness : std::uint8_t {
  off,
  watch,  // they do not; but the execution is cut where somebody starves
  on,
};

// Which threads wait in loops, and how long (runtime/spin.hpp, runtime/round_detector.hpp).
enum class Waiting : std::uint8_t {
  spins,    // after a round that only read: until something is written that it read
  written,  // after a round that came to nothing, though it may have written: until then, too
  changed,  // after such a round: while all that it read has the value that it had
};

// How an execution goes on where the plan holds no departure. All but base are random, by their seed; each
// stands in a file of its own in search/.
struct Policy {
  enum class Kind : std::uint8_t { base, random, pct, pos, surw };
  Kind kind = Kind::base;
  Base base = Base::nonpreemptive;  // also: by what costs are counted
  std::uint64_t seed = 0;
  std::uint32_t depth = 0;            // pct: priorities change at depth - 1 steps ...
  std::uint64_t steps = 0;            // pct: ... of the first so many
  std::uint64_t object = 0;           // surw: the operations on it are sampled uniformly; 0: all operations
  std::vector<ThreadCount> counts{};  // surw: of such operations; empty: not known yet
  Fairness fairness = Fairness::off;  // of any kind
  Waiting waiting = Waiting::spins;   // of any kind

  friend bool operator==(const Policy&, const Policy&) = default;
};
inline constexpr Policy::Kind kLastPolicy = Policy::Kind::surw;
inline constexpr std::uint32_t kPctDepthMax = 1000;

struct Departure {
  ChoiceKey key;
  Option option;

  friend bool operator==(const Departure&, const Departure&) = default;
};

struct Plan {
  Policy policy;
  std::vector<Departure> departures;  // in the order in which the execution meets them

  friend bool operator==(const Plan&, const Plan&) = default;
};

// The bytes hold names, not ids, and so mean the same to any other table.
void write_plan(ByteWriter& out, const Plan& plan, const ThreadNames& names);
// Leaves in.ok() false where the bytes are no plan.
Plan read_plan(ByteReader& in, ThreadNames& names);

// One line for people: "base; 0.1@3 thread=0.2; 0.2@5 timeout=0.1".
std::string to_string(const Plan& plan, const ThreadNames& names);

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waypoints: moments of executions that are kept. Later executions that begin in the same way go on from
// there, and do not repeat the beginning.
//
// The idea. Consecutive executions of a search have much in common. All executions are equal up to the first
// choice among several threads, and a depth-first search goes back to late choices far more often than to
// early ones. So an execution is kept as it was at a choice: the parts of memory that differ from the
// snapshot, the live stacks and thread-local storage, and the runtime's data on the execution. A plan begins
// there if its first departures are those that led there and its next departure comes at that choice or
// later.
//
// Waypoints lie in a row on one path. The first is the first choice among several threads. A later one is set
// where it is likely to pay: if the executions that will begin there save more points, all together, than it
// costs (prefix_forecast.hpp). A waypoint that is not on a plan's path is dropped, and so are those after it.
//
// Only simple states are kept. If a state has more parts (open files, signals, timers, threads on signal
// stacks, watched loops), no waypoint is set. An execution whose events are all recorded runs from the
// beginning. So the confirmation of bugs and the control audit compare runs with and without waypoints.
//
// Tested by programs that are searched with and without waypoints: tests/endtoend/waypoints_test.cpp.
//
// Rejected: copies of a process (fork): 100 us each.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/plan.hpp"
#include "runtime/base/fiber.hpp"
#include "runtime/base/forever.hpp"
#include "runtime/judge/judging.hpp"
#include "runtime/judge/race_judge.hpp"
#include "runtime/shortcuts/prefix_forecast.hpp"
#include "runtime/threads/scheduler.hpp"

namespace thrum {

class Waypoints {
 public:
  constexpr Waypoints() = default;

  // Whether nobody needs to know what the execution did before the plan's newest departure.
  static bool is_plain(Wanted wanted);

  // An execution is about to begin. Returns whether it can begin at a waypoint.
  bool choose(const Plan& plan, bool is_advised, Wanted wanted);
  // Restores the memory of the program and the runtime's data as they were at the waypoint, except the
  // director. REQUIRES: they are restored to the snapshot, except main's thread and thread-local storage.
  // choose() has returned true.
  void restore();
  // The director, which has begun, goes on from the waypoint too. Then: the steps done before the waypoint.
  void lead(Director& director) const;
  std::uint64_t steps() const;

  // Sets a waypoint here, unless the state is too large. Returns once more for each execution that begins
  // here; then the director has to be asked again. again: the point before had the same key.
  void set(ChoiceKey key, bool again);
  // Called by the engine when control comes back: whether set() was the reason. Then it keeps the waypoint
  // and has to switch back.
  bool keep();

  // The execution is over.
  void finish(const Director& director);
  // The snapshot has changed, or plans have another meaning now.
  void forget();

 private:
  struct Waypoint {
    std::vector<Departure> departures;  // that led to the waypoint
    Policy policy;
    bool is_first = false;  // it is the first choice
    ChoiceKey key;          // of the choice
    std::uint32_t cost = 0;
    std::uint64_t steps = 0;
    std::uint64_t memory_taken = 0;
    CallerState caller{};
    bool wrote = false;
    bool passes_over = false;
    Scheduler::Moment scheduler;
    bool is_judged = false;  // it holds the judge's state
    bool is_named = false;   // it holds the names of events
    RaceJudge::Moment races;
    ExecutionNames::Moment names;
    std::vector<std::span<const char>> places;  // where memory differs from the snapshot
    std::vector<char> bytes;                    // the content, in the same order

    std::uint32_t point() const { return scheduler.course.points; }
  };

  void refuse();
  void find_beginning();
  bool is_complete(const Waypoint& waypoint) const;
  std::size_t judged_before(std::size_t waypoint) const;
  static bool is_simple();
  bool is_on_the_way(const Waypoint& waypoint, const Plan& plan) const;
  static bool comes_later(const Waypoint& waypoint, ChoiceKey key);
  static bool collect(Waypoint& waypoint);

  static constexpr std::uint32_t kNever = Director::kNever;
  std::vector<std::unique_ptr<Waypoint>> waypoints_;  // the first used_ are valid
  std::size_t used_ = 0;
  std::size_t begun_ = 0;  // so many lie at or before the beginning of the execution
  PrefixForecast forecast_;
  std::uint32_t refused_ = 0;   // how often a state was too large
  std::uint32_t pause_ = 0;     // executions for which none is set
  const Plan* plan_ = nullptr;  // of the running execution
  bool is_advised_ = false;
  std::size_t known_departures_ = Wanted::kAll;
  bool setting_ = false;  // the engine has to keep the execution
  ChoiceKey key_;
};

extern constinit Forever<Waypoints> the_waypoints;
inline Waypoints& waypoints() { return the_waypoints.value; }

}  // namespace thrum

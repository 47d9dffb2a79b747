// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waypoints: moments of executions from which others that begin in the same way go on, in place of doing all
// that again.
//
// The idea. What a search runs has much in common with what it ran before: all executions do the same up to
// the first choice among several threads, and a depth-first search goes back to late choices far more often
// than to early ones. So an execution is kept as it stood at a choice: what of the program's memory is not as
// in the snapshot, the live stacks and the thread-local storage, and what the runtime knows of the execution.
// A plan whose first departures are those that led there, and whose next one comes at that choice or behind
// it, begins there.
//
// Waypoints lie one behind the other on one way. The first is the first choice among several. A later one is
// set where it is likely to pay: where the executions that will begin there save more points, all together,
// than it costs (prefix_forecast.hpp). One that a plan does not come by is forgotten, and with it those
// behind.
//
// Only what is simple is kept. Where a moment holds more (open files, signals, timers, threads on stacks of
// the kernel, loops that are watched), there is no waypoint. An execution whose events are all recorded runs
// from the beginning; so the confirmation of bugs and the control audit hold the one against the other.
//
// Tested by programs that are searched with and without: tests/endtoend/waypoints_test.cpp.
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

  // Whether of an execution nobody wants to know what happened before the plan's newest departure.
  static bool is_plain(Wanted wanted);

  // An execution is to begin. Whether it can do so at a waypoint.
  bool choose(const Plan& plan, bool is_advised, Wanted wanted);
  // Puts the memory of the program and the runtime as they were there, all but the director. REQUIRES: they
  // are as at the snapshot, but for main's thread and thread-local storage. choose() was true.
  void restore();
  // The director, which has begun, goes on there too. Operations done before: of those that count.
  void lead(Director& director) const;
  std::uint64_t steps() const;

  // Sets one, unless there is more to keep than can be. Comes back to the caller once more for each execution
  // that begins here, and what the director would say is to be asked anew. again: the point before had the
  // same key.
  void set(ChoiceKey key, bool again);
  // For the engine, when it goes on: whether that is because of set(). Then it is to be switched back.
  bool keep();

  // The execution is over.
  void finish(const Director& director);
  // There is another snapshot, or plans mean something else now.
  void forget();

 private:
  struct Waypoint {
    std::vector<Departure> departures;  // that led there
    Policy policy;
    bool is_first = false;  // no choice was met before
    ChoiceKey key;          // of the choice
    std::uint32_t cost = 0;
    std::uint64_t steps = 0;
    std::uint64_t memory_taken = 0;
    CallerState caller{};
    bool wrote = false;
    bool passes_over = false;
    Scheduler::Moment scheduler;
    bool is_judged = false;  // what the judge knew is kept
    bool is_named = false;   // likewise the names of events
    RaceJudge::Moment races;
    ExecutionNames::Moment names;
    std::vector<std::span<const char>> places;  // what is not as in the snapshot
    std::vector<char> bytes;                    // what was there, in the same order

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
  std::vector<std::unique_ptr<Waypoint>> waypoints_;  // the first used_ count
  std::size_t used_ = 0;
  std::size_t begun_ = 0;  // so many lie before the execution's beginning
  PrefixForecast forecast_;
  std::uint32_t refused_ = 0;   // so often
  std::uint32_t pause_ = 0;     // executions in which none is set
  const Plan* plan_ = nullptr;  // of the execution
  bool is_advised_ = false;
  std::size_t known_departures_ = Wanted::kAll;
  bool setting_ = false;  // the engine is to keep the execution
  ChoiceKey key_;
};

extern constinit Forever<Waypoints> the_waypoints;
inline Waypoints& waypoints() { return the_waypoints.value; }

}  // namespace thrum

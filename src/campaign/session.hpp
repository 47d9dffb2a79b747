// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The whole search of a program, from the first execution to confirmed and simplified bugs.
//
// The idea. explore() runs one strategy. A search may need several such runs. It begins again if something
// was learned of the program that changes what executions are (Host::restarts); if a thread starved, so that
// unfair schedules are left out from then on; or if a data race was found whose accesses become scheduling
// points. Earlier executions are counted, and their bugs kept. At the end each bug's schedule is simplified.
//
// A Host provides what only the program's engine knows or can do. The compiled program is one; for a toy
// program the default is enough.
//
// Thread safety: none. Tested by tests/oracle/session_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "campaign/explore.hpp"
#include "campaign/simplify.hpp"
#include "execution/program.hpp"
#include "search/strategy.hpp"

namespace thrum {

struct SessionSettings {
  // Makes a strategy for a run. is_fair: it leaves unfair schedules out. A copy of it may be called after the
  // session's settings are gone, by a worker that searches a part.
  std::function<std::unique_ptr<Strategy>(bool is_fair)> make;
  Limits limits;                // of the whole search; limits.fairness is the initial one
  bool explores_races = false;  // accesses that race become scheduling points, and the search begins again
  std::uint64_t repeat = 1;     // runs the whole search so often, for benchmarks
  bool simplifies = true;
};

class Session {
 public:
  // The parts of a session that an engine provides.
  class Host {
   public:
    struct Run {
      Strategy& strategy;
      const std::function<std::unique_ptr<Strategy>()>& make;  // makes an equal strategy
      Limits limits;
      SearchSoFar from;            // the state to continue from
      const SearchResult& before;  // the runs before this one
      Fairness fairness;
    };

    virtual ~Host() = default;

    // A run begins: the first one, or a new one because the search begins again.
    virtual void begin() {}
    // Something was learned during the run that changes what executions are: the search has to begin again.
    virtual bool restarts() const { return false; }
    // How threads wait in loops, as far as is known.
    virtual Waiting waiting() const { return Waiting::spins; }
    // The accesses of that race are scheduling points from now on.
    virtual void explore_race(const Failure&) {}

    // If another process has saved a search: reads its state into the arguments, and returns its results so
    // far. Nothing if there is no such state.
    virtual std::optional<SearchSoFar> resume(Strategy&, SearchResult& /*before*/, Fairness&) { return {}; }

    // Runs the strategy to its end: alone, as here, or shared with other workers.
    virtual SearchSoFar run(Program& program, Run run);

    // Adds to the bugs that were found, before they are simplified.
    virtual void complete_bugs(SearchResult&) {}
    // The bug's schedule is about to be simplified; false: leave it as it is.
    virtual bool begin_simplifying(const FoundBug&) { return true; }
  };

  // All must outlive the session.
  Session(Program& program, Host& host, const SessionSettings& settings)
      : program_(program), host_(host), settings_(settings) {}

  SearchResult run();

 private:
  SearchResult search_once(SearchResult& before);
  SearchResult search_repeatedly();
  bool learn_races(const SearchResult& result);
  void simplify_bugs(SearchResult& result);
  Limits limits(std::uint64_t executions_before, Fairness fairness) const;

  Program& program_;
  Host& host_;
  const SessionSettings& settings_;
};

}  // namespace thrum

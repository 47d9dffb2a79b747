// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A whole search of a program, from its first execution to bugs that are confirmed and made simple.
//
// The idea. explore() runs one strategy. A search may need several runs of it: it begins again where
// something was learned of the program that changes what executions are (Host::restarts), where a thread
// starved and schedules that are not fair are to be left out from then on, and where a data race was found
// whose accesses are to be scheduling points. What was run before is counted, and its bugs are kept. At the
// end each bug's schedule is made as simple as can be found.
//
// What only the program's engine knows or can do, it gives as a Host: the compiled program is one, and for a
// toy program the default does.
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
  // Makes the strategy anew. is_fair: schedules that are not fair are left out.
  std::function<std::unique_ptr<Strategy>(bool is_fair)> make;
  Limits limits;                // of the whole search; limits.fairness is what it begins with
  bool explores_races = false;  // accesses that race become scheduling points, and the search begins again
  std::uint64_t repeat = 1;     // the whole search, so often, for benchmarks
  bool simplifies = true;
};

class Session {
 public:
  // What an engine gives to a search of its program.
  class Host {
   public:
    struct Run {
      Strategy& strategy;
      const std::function<std::unique_ptr<Strategy>()>& make;  // another one like it
      Limits limits;
      SearchSoFar from;            // where it goes on
      const SearchResult& before;  // the runs before this one
      Fairness fairness;
    };

    virtual ~Host() = default;

    // A run begins: the first one, or the search begins again.
    virtual void begin() {}
    // What was learned during the run changes what executions are: the search is to begin again.
    virtual bool restarts() const { return false; }
    // Which threads wait in loops, as far as is known.
    virtual Waiting waiting() const { return Waiting::spins; }
    // The accesses of that race are scheduling points from now on.
    virtual void explore_race(const Failure&) {}

    // Where another process has saved a search: takes the state into these, and gives what was found so far;
    // nothing where there is no such state.
    virtual std::optional<SearchSoFar> resume(Strategy&, SearchResult& /*before*/, Fairness&) { return {}; }

    // Runs the strategy until it has come to its end: alone, as here, or shared with other workers.
    virtual SearchSoFar run(Program& program, Run run);

    // Something is to be added to the bugs that were found, before they are made simple.
    virtual void complete_bugs(SearchResult&) {}
    // The bug's schedule is to be made simple; false: it is to be left as it is.
    virtual bool begin_simplifying(const FoundBug&) { return true; }
  };

  // All must outlive it.
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

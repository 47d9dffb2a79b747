// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A search, or a part of one, in this process, and its dealings with the other processes that share it
// (protocol/channel.hpp).
//
// The idea. A worker that is to give a part away splits its strategy and copies its process, between two
// executions. The copy has everything: the snapshot, what was learned of the program, all names and
// addresses. It goes on with the part, in a channel of its own, and at its end hands in what it has found and
// what is left, as bytes. The worker that it came from merges that. Then the copy waits for another part, and
// takes it as bytes; one that is large comes as a new copy. So the program's set-up is done once, and nothing
// passes between workers but parts and their results.
//
// A part that comes to its end while parts of it are with others is handed in all the same; they come to
// where it was merged. The first worker waits for what it has given away where it can do nothing else. All
// that is out is called back where the search is to be seen whole: to be put down, or copied in case that it
// dies; or has ended, by a limit, by what one of them found, or because it is to begin anew.
//
// The first worker is copied now and then, when nothing is out; the copy sleeps. If any worker dies, the
// supervisor ends all others and wakes the copy, which goes on from where it was made: so nothing is lost but
// a little time, and nothing is counted twice.
//
// Processes share what lies outside memory, such as files. Programs whose executions change any, or that
// share memory, are searched by one worker (stay_alone()).
//
// Tested by tests/endtoend/workers_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "campaign/explore.hpp"
#include "search/strategy.hpp"

namespace thrum {

// Leaves in the channel how far the search is.
void pass_progress(const Progress& progress);

class SharedSearch {
 public:
  using MakeStrategy = std::function<std::unique_ptr<Strategy>()>;
  using PutDown = std::function<void(const SearchSoFar&)>;

  // make: as the strategy was made. limits: of the whole search. executions_before: those of searches that
  // had to begin anew. put_down: where the search can be put down.
  SharedSearch(Program& program, Strategy& strategy, MakeStrategy make, Limits limits,
               std::uint64_t executions_before, PutDown put_down);

  // As explore_part(), for the whole search; returns when no part is with others.
  SearchSoFar run_whole(SearchSoFar from);

 private:
  SearchSoFar run(SearchSoFar from);
  struct Lent {
    std::uint32_t slot;
    std::uint64_t executions;  // that it may take; 0: there is no limit
  };
  struct Part;  // what a worker begins with that runs one

  bool is_called();
  bool wants_between(bool last);
  void between(SearchSoFar& so_far);
  void note_end(const SearchResult& result);
  static bool is_asked();
  void await(SearchSoFar& so_far);
  void call_back(SearchSoFar& so_far);
  void serve(SearchSoFar& so_far);
  void split(const SearchSoFar& so_far);
  static long copy_with(Part& part);
  static void leave(const Part& part);
  static void take(Part& part);
  void merge(SearchSoFar& so_far);
  void copy();
  bool hand_in(SearchSoFar so_far) const;
  [[noreturn]] static void run_parts();
  static Part* g_part;  // of this worker, or of the copy that is about to begin

  Program& program_;
  Strategy& strategy_;
  MakeStrategy make_;
  Limits limits_;
  std::uint64_t executions_before_;
  PutDown put_down_;
  std::vector<Lent> lent_;
  bool is_whole_ = false;  // not a part
  bool is_calling_back_ = false;
};

}  // namespace thrum

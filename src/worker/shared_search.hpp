// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A search, or a part of one, in this process, shared with the other workers (protocol/channel.hpp).
//
// The idea. To give away a part of the search, a worker splits its strategy and copies its process, between
// two executions. The copy has everything: the snapshot, what was learned of the program, all names and
// addresses. It searches the part, with a channel of its own. At the end it hands in its results and the rest
// of its plans, as bytes, and the worker that gave it the part merges them. Then the copy waits for another
// part, which it gets as bytes; a large part comes as a new copy. So the program is set up once, and only
// parts and their results pass between workers.
//
// A worker that has finished its part hands it in even if other workers still search parts of that part. The
// worker that merged it merges those later. The first worker waits for the parts that it has given away only
// if it has nothing else to do. All parts are called back when the whole search is needed: to save it; to
// copy it in case that a worker dies; or because it has ended, by a limit, by a result of a worker, or to
// begin again.
//
// The first worker is copied now and then, when it has given away no part; the copy sleeps. If any worker
// dies, the supervisor ends all others and wakes the copy, which goes on from that moment. So only a little
// time is lost, and nothing is counted twice.
//
// Processes share everything that lies outside their memory, such as files. If a program's executions change
// such things, or if the program shares memory, one worker searches alone (WorkerProcess::stay_alone()).
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
#include "worker/search_state.hpp"
#include "worker/worker_process.hpp"

namespace thrum {

class SharedSearch {
 public:
  using MakeStrategy = std::function<std::unique_ptr<Strategy>()>;
  using PutDown = std::function<void(const SearchSoFar&)>;

  // make: makes a strategy like `strategy`. limits: of the whole search. executions_before: of searches
  // before this one began again. put_down: saves the search; empty if it cannot be saved. state must outlive
  // every search in this process, and in copies of it.
  SharedSearch(SearchState& state, Strategy& strategy, MakeStrategy make, Limits limits,
               std::uint64_t executions_before, PutDown put_down);

  // Whether a search that does not go in order of cost has to stop in this process, by a limit or for others.
  static bool has_to_stop(WorkerProcess& process);
  // Whether the supervisor waits for an answer.
  static bool is_asked(WorkerProcess& process);

  // explore_part() for the whole search; returns when all parts have been merged.
  SearchSoFar run_whole(SearchSoFar from);

 private:
  SearchSoFar run(SearchSoFar from);
  struct Delegated {
    std::uint32_t slot;
    std::uint64_t executions;  // the most that it may do; 0: no limit
  };
  struct Part;  // a part of the search, as a worker gets it

  bool is_called();
  bool wants_between(bool last);
  void between(SearchSoFar& so_far);
  void note_end(const SearchResult& result);
  void await(SearchSoFar& so_far);
  void call_back(SearchSoFar& so_far);
  void serve(SearchSoFar& so_far);
  void split(const SearchSoFar& so_far);
  bool may_split() const;
  long copy_with(Part& part);
  void leave(const Part& part) const;
  static void take(Part& part);
  void merge(SearchSoFar& so_far);
  void copy();
  bool hand_in(SearchSoFar so_far) const;
  [[noreturn]] static void run_parts();
  static Part* g_part;  // of this worker, or of the copy that is about to begin

  SearchState& state_;
  WorkerProcess& process_;
  Strategy& strategy_;
  MakeStrategy make_;
  Limits limits_;
  std::uint64_t executions_before_;
  PutDown put_down_;
  std::vector<Delegated> delegated_;
  bool is_whole_ = false;  // this is the whole search, not a part
  bool is_calling_back_ = false;
};

}  // namespace thrum

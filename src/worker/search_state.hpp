// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Saves a search in this process so that another process can resume it: everything that outlives an
// execution.
//
// The bytes go to a file that the supervisor has opened (Channel::state_file). This happens between two
// executions, when the supervisor asks for it or when a limit has ended the search. The order is: names of
// threads by id; modules of the process, since the search can only go on if they are the same; layout of
// memory; what the program has loaded in executions; results so far; what was learned of calls, races, locks
// and tests; statistics; the strategy.
//
// Most data is stored under lasting names. Some is not: objects are stored by their addresses. If the
// addresses have changed, as under address-space randomisation, the resumed search drops such data.
//
// Thread safety: one thread. Tested by tests/endtoend/checkpoint_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "campaign/explore.hpp"
#include "search/strategy.hpp"
#include "support/digest.hpp"
#include "worker/worker_process.hpp"

namespace thrum {

class SearchState {
 public:
  // file: the descriptor that the supervisor has given to the worker (Board::state_file), wherever it lies by
  // now; -1: none.
  SearchState(WorkerProcess& process, long file) : process_(process), file_(file) {}

  WorkerProcess& process() const { return process_; }

  // Whether the search has to be saved when the supervisor asks for it.
  bool is_wanted() const { return file_ >= 0; }
  // Whether it has to be saved now. last: a limit has ended it.
  bool wants(bool last);
  // before: the results of searches before this one began again. digest: of all traces.
  void put_down(const SearchSoFar& so_far, const SearchResult& before, Strategy& strategy,
                const Digest& digest, Fairness fairness);

  // Whether a saved search has to be resumed. Asked at the beginning of the first search.
  bool is_there() const;
  // Reads the state into the arguments and into this process, and runs the bugs found once more, which gives
  // them the places and addresses of this process. On failure, returns the reason in one line; else "".
  std::string take_up(SearchSoFar& so_far, SearchResult& before, Strategy& strategy, Digest& digest,
                      Fairness& fairness);

  // put_part(): the results of a part of the search in this process, and the rest of its plans, for the
  // process that merges the part. take_part() reads them into its arguments and into the process. False if
  // the bytes are not of that form.
  void put_part(ByteWriter& out, const SearchSoFar& so_far, Strategy& strategy);
  bool take_part(ByteReader& in, SearchSoFar& so_far, Strategy& strategy);

 private:
  bool shows_again(std::vector<FoundBug>& bugs);
  std::string read(ByteReader& in, SearchSoFar& so_far, SearchResult& before, Strategy& strategy,
                   Digest& digest, Fairness& fairness);

  WorkerProcess& process_;
  long file_;
  bool last_ = false;
};

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A search that is put down in this process, so that another one can take it up: everything that outlives an
// execution.
//
// Its bytes go to a file that the supervisor has opened (Channel::state_file), between two executions, when
// the supervisor asks for them or a limit has ended the search. They hold, in this order: the names of
// threads by id; the modules of the process, since the search goes on only where they are the same; where
// things lie in memory; what the program has loaded in executions; results so far; what was learned of calls,
// races, locks and tests; statistics; and the strategy.
//
// Most of it is said by names that last. Of what is not (objects by their addresses), the search that is
// taken up uses nothing where they are others than before, as under address-space randomisation.
//
// Thread safety: one thread. Tested by tests/endtoend/checkpoint_test.cpp.
#pragma once

#include <functional>
#include <string>

#include "campaign/explore.hpp"
#include "runtime/base/forever.hpp"
#include "search/strategy.hpp"
#include "support/digest.hpp"

namespace thrum {

class SearchState {
 public:
  constexpr SearchState() = default;

  // The process begins: takes the file out of the program's way.
  void initialize();

  // Whether the search is to be put down when it is asked for.
  bool is_wanted() const { return file_ >= 0; }
  // Whether that is so now. last: a limit has ended it.
  bool wants(bool last);
  // before: what was done by searches that had to begin anew. digest: of all traces.
  void put_down(const SearchSoFar& so_far, const SearchResult& before, Strategy& strategy,
                const Digest& digest, Fairness fairness);

  // Whether a search is to be taken up, at the beginning of the first.
  bool is_there() const;
  // Reads the state into those, and into this process. load_library: what Loader::load() takes. Says in one
  // line why that cannot be; empty where it has been done. Then the process has the state before the first
  // choice, and the bugs that were found are to be confirmed.
  std::string take_up(SearchSoFar& so_far, SearchResult& before, Strategy& strategy, Digest& digest,
                      Fairness& fairness, const std::function<void()>& load_library);

  // What a part of the search has found in this process, and what is left of it, for the process that it came
  // from, which takes it: into those, and into what it knows itself. False where the bytes are something
  // else.
  void put_part(ByteWriter& out, const SearchSoFar& so_far, Strategy& strategy);
  bool take_part(ByteReader& in, SearchSoFar& so_far, Strategy& strategy,
                 const std::function<void()>& load_library);

 private:
  std::string read(ByteReader& in, SearchSoFar& so_far, SearchResult& before, Strategy& strategy,
                   Digest& digest, Fairness& fairness, const std::function<void()>& load_library);

  long file_ = -1;
  bool last_ = false;
};

extern constinit Forever<SearchState> the_search_state;
inline SearchState& search_state() { return the_search_state.value; }

}  // namespace thrum

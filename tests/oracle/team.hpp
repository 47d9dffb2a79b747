// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers who take turns in a reduced search, or one that does it alone.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "search/reduction/dpor.hpp"
#include "support/random.hpp"

namespace thrum {

class Team {
 public:
  struct Worker {
    std::unique_ptr<Strategy> search;
    Worker* from = nullptr;     // whose part it is
    std::vector<Event> events;  // of its last execution
    bool waits = false;
    bool is_done = false;

    // What it has run, and learnt.
    void take_down(const Trace& trace);
    std::uint64_t class_of_last() const;
  };

  // shared_by: the seed by which they split, take turns and merge, now sooner and now later; nothing: one has
  // it alone.
  Team(std::unique_ptr<Strategy> search, std::optional<std::uint64_t> shared_by);

  // The worker whose turn it is, with its plan; nullptr: the search is done.
  Worker* next(Plan& plan);

  const Strategy& search() const { return *workers_[0]->search; }
  std::uint64_t parts() const { return parts_; }

 private:
  bool share(Worker& worker);
  bool is_nobody_left() const;

  bool shares_;
  Random random_;
  std::uint64_t split_one_in_ = 1;  // chances
  std::uint64_t merge_one_in_ = 1;
  std::uint64_t parts_ = 0;
  std::vector<std::unique_ptr<Worker>> workers_;  // the first has the whole
};

}  // namespace thrum

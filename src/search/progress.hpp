// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far a search is, for people who wait for it. What is not known is left empty; see docs/strategies.md,
// "Progress and estimates".
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace thrum {

struct Progress {
  std::uint64_t waiting = 0;           // plans that are known and were not run yet
  std::optional<std::uint32_t> level;  // searches in order of cost: the cost of the plans that run now
  // An estimate of the part that is done, of the level, or of the whole search where there are no levels. It
  // never goes back within a level, and is `share` when nothing is left.
  std::optional<double> done;
  std::optional<std::uint64_t> classes;  // seen so far; the search loop counts them
  // Of a search by constraint solving: what may be possible and no execution has shown; questions so far.
  std::optional<std::uint64_t> open{};
  std::optional<std::uint64_t> questions{};
  // Of a search of states: how many were visited, the steps of the present schedule, bytes for what was
  // visited.
  struct States {
    std::uint64_t states = 0;
    std::uint64_t depth = 0;
    std::uint64_t bytes = 0;
  };
  std::optional<States> states{};
  // Of the level, or the search, that is not with other workers. 0: what it has to do is not counted.
  double share = 1;

  // And of another worker of the same search. Who is behind tells the level, and of that one the other has
  // done its share. Which classes both have seen is not known.
  void add(const Progress& other) {
    Progress both = share == 0 ? other : *this;
    both.classes.reset();
    both.waiting = waiting + other.waiting;
    both.open = std::max(open, other.open);
    both.questions = std::max(questions, other.questions);
    if (share == 0 || other.share == 0) {
      *this = both;
      return;
    }
    both.level.reset();
    both.done.reset();
    both.share = share + other.share;
    if (done && other.done && level.has_value() == other.level.has_value()) {
      both.level = std::min(level, other.level);
      both.done =
          (level == both.level ? *done : share) + (other.level == both.level ? *other.done : other.share);
    }
    *this = both;
  }
};

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data races, and uses of freed memory, along executions of the trees. One access at a time is tracked, or
// all plain ones that a thread makes one after the other, which others learn of together: from there on the
// state has besides what was accessed, and who knows of it (access_knowers.hpp). When a thread that does not
// know makes an access that conflicts, that is a race. Of a free that is tracked, any access is too much.
//
// Two states are equal if the same is tracked and the same know of it, whichever access of that kind it was.
// A tracked access is given up where no thread is left that could race with it; and where a thread that knows
// makes an access of the same kind: whatever races with the first one behind that, races with the second one,
// too, which is tracked apart.
//
// Tested by tests/causality/causality_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "causality/access_knowers.hpp"
#include "causality/race_candidates.hpp"
#include "causality/tree_machine.hpp"

namespace thrum {

class RaceTracking {
 public:
  using Node = ThreadTrees::Node;
  using State = TreeMachine::State;
  using Path = std::span<const Node>;  // TreeMachine::path()
  static constexpr std::uint32_t kNowhere = 0xffffffff;
  // From some place in a path on.
  struct Begin {
    std::uint32_t at = kNowhere;
    std::uint32_t tracked = 0;  // number of what is
    Node first = ThreadTrees::kNone;
    Node last = ThreadTrees::kNone;  // the accesses lie between them, in one thread
  };
  enum class Went : std::uint8_t { on, no_race_is_left, to_race };

  // All must outlive it. REQUIRES: the machine has what is in the trees
  RaceTracking(const ThreadTrees& trees, const TreeMachine& machine, const RaceCandidates& candidates);

  // Adds what a state needs besides; nothing is tracked.
  void add_words(State& state) const { state.resize(first_word_ + 1 + knowers_.words(), 0); }
  bool tracks(const State& state) const { return state[first_word_] != 0; }

  // Where in the path something could be tracked from.
  void add_begins(Path path, std::vector<Begin>& begins);
  // The state is that behind the path; what is tracked is still as before it. REQUIRES: something is tracked,
  // or begins to be
  Went go(State& state, Path path, const Begin& begin);

  // Where the race was: the second access.
  Node second() const { return second_; }
  // With the first one, where tracking began; nothing: it was ruled out before, so something is wrong.
  std::optional<RaceCandidates::Pair> pair_from(const Begin& begin) const;
  bool is_use_of_freed(const Begin& begin) const {
    return tracked_[begin.tracked].free != ThreadTrees::kNone;
  }

 private:
  // What matters of an access. 0 stands for those that cannot race.
  using Kind = std::uint32_t;
  struct Kinds {
    Kind own = 0;
    Kind as_update = 0;  // of a read whose operation leaves the value, too
  };
  struct Tracked {
    std::vector<Kind> kinds{};
    Node free = ThreadTrees::kNone;
    std::vector<bool> partners{};  // by kind; of a free, by node
    std::vector<bool> leads{};     // by node: behind it lies a partner
  };

  Kind kind_of(Node node, bool is_update);
  Kind kind_at(Path path, std::size_t place) const;
  bool conflict(Kind a, Kind b) const;
  bool stands_alone(Node node) const;
  std::size_t end_of_group(Path path, std::size_t begin) const;
  std::uint32_t group_at(Path path, std::size_t begin, std::size_t end);
  std::uint32_t number_of(std::vector<Kind> kinds);
  void note_frees();
  void note_lead(Tracked& tracked, Node node) const;
  bool judge(State& state, Path path, std::size_t place);
  bool can_race(const State& state) const;
  const Tracked& tracked(const State& state) const { return tracked_[state[first_word_]]; }

  const ThreadTrees& trees_;
  const TreeMachine& machine_;
  const RaceCandidates& candidates_;
  std::size_t first_word_;
  AccessKnowers knowers_;
  std::map<RaceCandidates::Access, Kind> numbers_;
  std::vector<RaceCandidates::Access> accesses_{{}};  // by kind
  std::unordered_map<Node, Kinds> kinds_;             // of those that might race
  std::vector<Tracked> tracked_{{}};
  std::map<std::vector<Kind>, std::uint32_t> tracked_numbers_;
  std::unordered_map<std::uint64_t, std::uint32_t> groups_;  // what is tracked, by first and last node
  std::unordered_map<Node, std::uint32_t> frees_;            // the same by node
  Node second_ = ThreadTrees::kNone;
};

}  // namespace thrum

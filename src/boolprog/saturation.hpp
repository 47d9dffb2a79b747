// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets that grow to a fixed point, and, where it is asked for, how each of their members came about.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "boolprog/bdd.hpp"
#include "boolprog/flow.hpp"

namespace thrum::bp {

// Why something is in a set.
struct Cause {
  enum class Kind : std::uint8_t {
    begin,   // it was there
    move,    // a step within the frame: move `index` of the instruction at `from`
    back,    // a call at `from` has come back in the same context
    resume,  // a frame that was left in an earlier context has returned to this one, which called at `from`
  };
  Kind kind = Kind::begin;
  Pc from = 0;
  std::uint32_t index = 0;   // move: which; resume: the caller's record in Phase::callers
  std::uint32_t origin = 0;  // resume: of the frame that returned
  Pc entry = 0;              // resume: of its procedure
};

// What was added to a set at once. Whatever it was made of has smaller ranks.
struct Addition {
  std::uint64_t rank = 0;
  Bdd set{};
  Cause cause{};
  Bdd before{};  // what was there already
};

class GrowingSet {
 public:
  const Bdd& all() const { return all_; }
  // What was added since the last call.
  Bdd take_new() { return std::exchange(new_, Bdd()); }
  const std::vector<Addition>& additions() const { return additions_; }

  // What of the set was not there; it is empty where nothing was.
  Bdd add(const Bdd& set) {
    Bdd more = all_ | set;
    if (more == all_) return Bdd();
    all_ = more;
    new_ |= set;
    return set;
  }
  // The same, with its cause. The diagrams that this keeps are many times those of the set.
  Bdd add(const Bdd& set, const Cause& cause, std::uint64_t& rank) {
    Bdd before = all_;
    Bdd fresh = add(set);
    if (!fresh.is_false()) additions_.push_back({++rank, fresh, cause, before});
    return fresh;
  }

  // What had been added before an addition of this rank.
  Bdd before(std::uint64_t rank) const {
    auto next = std::partition_point(additions_.begin(), additions_.end(),
                                     [rank](const Addition& one) { return one.rank < rank; });
    return next == additions_.end() ? all_ : next->before;
  }

 private:
  Bdd all_{};
  Bdd new_{};
  std::vector<Addition> additions_{};
};

// Keys whose sets have something new. The smallest comes first, which is what stands first in the code: so a
// loop is run until nothing new comes of it before what stands behind it.
template <typename Key>
class Worklist {
 public:
  void push(const Key& key) { keys_.insert(key); }
  bool empty() const { return keys_.empty(); }
  Key pop() { return keys_.extract(keys_.begin()).value(); }

 private:
  std::set<Key> keys_;
};

}  // namespace thrum::bp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets that grow to a fixed point and, on request, record the cause of each addition.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "boolprog/bdd.hpp"
#include "boolprog/flow.hpp"

namespace thrum::bp {

// Why states were added to a set.
struct Cause {
  enum class Kind : std::uint8_t {
    begin,   // initial states
    move,    // a step within the frame: move `index` of the instruction at `from`
    back,    // a call at `from` has returned in the same context
    resume,  // a frame left by an earlier context has returned to this one, which called at `from`
  };
  Kind kind = Kind::begin;
  Pc from = 0;
  std::uint32_t index = 0;   // move: which; resume: the caller's record in Phase::callers
  std::uint32_t origin = 0;  // resume: of the frame that returned
  Pc entry = 0;              // resume: of its procedure
};

// States that were added to a set together. They were computed from additions of smaller ranks.
struct Addition {
  std::uint64_t rank = 0;
  Bdd set{};
  Cause cause{};
  Bdd before{};  // the set before this addition
};

class GrowingSet {
 public:
  const Bdd& all() const { return all_; }
  // What was added since the last call.
  Bdd take_new() { return std::exchange(new_, Bdd()); }
  const std::vector<Addition>& additions() const { return additions_; }

  // Adds the states. The result is empty if all were known, and else contains those that were new.
  Bdd add(const Bdd& set) {
    Bdd more = all_ | set;
    if (more == all_) return Bdd();
    all_ = more;
    new_ |= set;
    return set;
  }
  // The same, and records the cause. The recorded diagrams are many times those of the set.
  Bdd add(const Bdd& set, const Cause& cause, std::uint64_t& rank) {
    Bdd before = all_;
    Bdd fresh = add(set);
    if (!fresh.is_false()) additions_.push_back({++rank, fresh, cause, before});
    return fresh;
  }

  // The set before the addition of this rank.
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

// Keys of sets that have new states. The smallest key comes first; keys follow the order of the code. So a
// loop reaches its fixed point before the code after it is run.
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

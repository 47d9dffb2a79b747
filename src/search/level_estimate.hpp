// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which part of a level of a systematic search is done, by Knuth's estimate ("Estimating the efficiency of
// backtrack programs", Mathematics of Computation 29, 1975).
//
// The level weighs 1. The plans that wait when its turn comes weigh the same each. An execution gives each of
// the options of the level that it meets at a choice, the one that it takes among them, an equal part of its
// weight; what is left behind its last choice is done. So what waits and what is done weigh 1 together, at
// all times. REQUIRES: what is pushed while a level is served is served first, the last before the others.
//
// Tested by classes_test.cpp, against searches whose size is known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace thrum {

class LevelEstimate {
 public:
  // A level begins, where so many plans wait.
  void begin(std::size_t waiting) {
    done_ = 0;
    share(waiting);
  }

  // Others wait than before: what is not done is shared anew.
  void share(std::size_t waiting) {
    weights_.clear();
    weight_each_ = waiting == 0 ? 0 : (1 - done_) / static_cast<double>(waiting);
  }

  // The next plan of the level is taken.
  void take() {
    running_ = weight_each_;
    if (weights_.empty()) return;
    running_ = weights_.back();
    weights_.pop_back();
  }

  // At a choice of its execution so many other options of the level were pushed.
  void branch(std::size_t pushed) {
    if (pushed == 0) return;
    running_ /= static_cast<double>(pushed + 1);
    weights_.insert(weights_.end(), pushed, running_);
  }

  // The execution is over.
  void finish() { done_ += running_; }

  // Never goes back while a level lasts. over: nothing of it waits; rounding must neither say nor hide that.
  double done(bool over) const {
    constexpr double kNearlyAll = 1 - 1e-9;
    return over ? 1 : std::min(done_, kNearlyAll);
  }

  // So much of the level was done elsewhere, where so many plans wait.
  void resume(double done, std::size_t waiting) {
    done_ = done;
    share(waiting);
  }
  double done_so_far() const { return done_; }

 private:
  std::vector<double> weights_;  // of what was pushed since the level began
  double weight_each_ = 1;       // of the others
  double running_ = 1;
  double done_ = 0;
};

}  // namespace thrum

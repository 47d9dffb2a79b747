// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which part of a level of a systematic search is done, by Knuth's estimate ("Estimating the efficiency of
// backtrack programs", Mathematics of Computation 29, 1975).
//
// The level weighs 1. The plans that wait when its turn comes weigh the same each. An execution gives each of
// the options of the level that it meets at a choice, the one that it takes among them, an equal part of its
// weight; what is left behind its last choice is done. So what waits and what is done weigh 1 together, at
// all times, with what other workers have. REQUIRES: what is pushed while a level is served is served first,
// the last before the others.
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

  // Others wait than before: what is not done is shared among them.
  void share(std::size_t waiting) {
    weights_.clear();
    weight_each_ = waiting == 0 ? 0 : (whole_ - done_) / static_cast<double>(waiting);
  }

  // Of what waits, so many plans are another worker's from now on.
  void give(LevelEstimate& other, std::size_t given, std::size_t kept) {
    const double left = std::max(whole_ - done_, 0.0);
    const std::size_t all = given + kept;
    other.done_ = 0;
    other.whole_ = all == 0 ? left / 2 : left * static_cast<double>(given) / static_cast<double>(all);
    whole_ -= other.whole_;
    share(kept);
    other.share(given);
  }

  // What another worker had comes here, where so many plans wait then. is_over: nothing of it waits.
  void take_back(const LevelEstimate& other, bool is_over, std::size_t waiting) {
    whole_ += other.whole_;
    done_ += is_over ? other.whole_ : other.done_;
    share(waiting);
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
    return over ? whole_ : std::min(done_, whole_ * kNearlyAll);
  }
  double whole() const { return whole_; }
  double done_so_far() const { return done_; }

  // So much of a part of the level was done elsewhere, where so many plans wait.
  void resume(double done, double whole, std::size_t waiting) {
    done_ = done;
    whole_ = whole;
    share(waiting);
  }

 private:
  std::vector<double> weights_;  // of what was pushed since the level began
  double weight_each_ = 1;       // of the others
  double running_ = 1;
  double done_ = 0;
  double whole_ = 1;  // of the level that is not with other workers
};

}  // namespace thrum

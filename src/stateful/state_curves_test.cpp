// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stateful/state_curves.hpp"

#include <gtest/gtest.h>

#include <map>

#include "support/hash.hpp"

namespace thrum {
namespace {

// Two threads of so many steps each: a state is how far they are. So there are (n + 1)^2 states, and
// (2n)!/(n!)^2 executions.
class Grid final : public StateProgram {
 public:
  explicit Grid(std::uint32_t size) : size_(size) {}

  void reset() override {
    marks_.clear();
    go_to({});
  }
  bool is_over() const override { return options_.empty(); }
  End end() const override { return End::finished; }
  const Failure& failure() const override { return failure_; }
  const ChoicePoint& point() const override { return point_; }
  std::span<const Option> options() const override { return options_; }
  void step(Option option) override {
    Place next = place_;
    ++next.at[option.value];
    next.last = option.value;
    go_to(next);
  }
  StateStep traits() const override { return {}; }
  Mark mark() override {
    marks_.push_back(place_);
    return marks_.size() - 1;
  }
  void undo(Mark mark) override {
    marks_.resize(mark + 1);
    go_to(marks_[mark]);
  }
  StateKey key() override {
    return {mixed(place_.at[0], place_.at[1]), mixed(place_.at[1], place_.at[0] + 7)};
  }
  std::vector<Failure> races() override { return {}; }
  Failure livelock() const override { return {}; }

 private:
  struct Place {
    std::uint32_t at[2] = {};
    std::uint16_t last = 0;
  };
  void go_to(Place place) {
    place_ = place;
    options_.clear();
    for (std::uint16_t thread = 0; thread < 2; ++thread) {
      if (place.at[thread] < size_) options_.push_back({thread, Via::run});
    }
    point_ = {};
    point_.key.thread = place.last;
    point_.enabled = static_cast<std::uint16_t>(options_.size());
    point_.running_enabled = place.at[place.last] < size_;
  }

  std::uint32_t size_;
  Place place_;
  std::vector<Place> marks_;
  ChoicePoint point_;
  std::vector<Option> options_;
  Failure failure_;
};

TEST(StateCurves, CountExecutionsAndStates) {
  Grid program(3);
  std::map<std::string, StateCurve::Point> ends;
  for (const StateCurve& curve : state_curves(program, 100'000, 1, [] { return false; })) {
    std::uint64_t before = 0;
    for (const StateCurve::Point& point : curve.points) {
      EXPECT_GT(point.executions, before);
      before = point.executions;
    }
    ends[curve.name] = curve.points.back();
  }
  EXPECT_EQ(ends.size(), 5u);
  for (const char* const name : {"icb", "dfs", "db:20", "db:40"}) {
    EXPECT_EQ(ends[name].executions, 20u) << name;
    EXPECT_EQ(ends[name].states, 16u) << name;
  }
  EXPECT_EQ(ends["random"].executions, 100'000u);
  EXPECT_EQ(ends["random"].states, 16u);
}

TEST(StateCurves, FewPreemptionsComeFirstAndADepthEndsThere) {
  Grid program(30);
  for (const StateCurve& curve : state_curves(program, 50, 1, [] { return false; })) {
    EXPECT_EQ(curve.points.back().executions, 50u);
    // Of the first 50 executions in depth-first order, all but the last steps are the same.
    if (curve.name == "dfs") {
      EXPECT_LT(curve.points.back().states, 200u);
    } else if (curve.name == "icb") {
      EXPECT_GT(curve.points.back().states, 500u);
    } else if (curve.name == "db:20") {
      EXPECT_LT(curve.points.back().states, 100u);
    }
  }
}

}  // namespace
}  // namespace thrum

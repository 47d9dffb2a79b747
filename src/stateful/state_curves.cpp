// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stateful/state_curves.hpp"

#include <algorithm>
#include <optional>

#include "stateful/visited_table.hpp"
#include "support/random.hpp"

namespace thrum {

namespace {

constexpr std::size_t kStepsMax = 10'000;  // of an execution: an endless one ends there
constexpr double kBetweenPoints = 1.1;
constexpr std::uint32_t kAnyNumber = ~std::uint32_t{0};

// Counts executions, and the states that they come to.
class Counter {
 public:
  Counter(StateProgram& program, std::uint64_t executions, const std::function<bool()>& has_to_stop,
          std::string name)
      : program_(program), executions_max_(executions), has_to_stop_(has_to_stop) {
    curve_.name = std::move(name);
  }

  void see_state() {
    const bool is_state = program_.is_over() || program_.point().key.kind == ChoiceKind::thread;
    if (is_state) states_.raise(program_.key(), 0);
  }
  void end_execution() {
    ++executions_;
    if (static_cast<double>(executions_) < next_point_) return;
    curve_.points.push_back({executions_, states_.size()});
    next_point_ = static_cast<double>(executions_) * kBetweenPoints;
  }
  bool is_over() const { return executions_ >= executions_max_ || has_to_stop_(); }
  StateCurve curve() {
    if (executions_ > 0 && (curve_.points.empty() || curve_.points.back().executions != executions_))
      curve_.points.push_back({executions_, states_.size()});
    return std::move(curve_);
  }

 private:
  StateProgram& program_;
  std::uint64_t executions_max_;
  const std::function<bool()>& has_to_stop_;
  StateCurve curve_;
  VisitedTable states_;
  std::uint64_t executions_ = 0;
  double next_point_ = 1;
};

// Depth first: executions of at most so many preemptions, of which those of exactly `counted` count.
class Walk {
 public:
  Walk(StateProgram& program, Counter& counter, std::uint32_t preemptions,
       std::optional<std::uint32_t> counted, std::size_t depth)
      : program_(program), counter_(counter), preemptions_(preemptions), counted_(counted), depth_(depth) {}

  // Whether the bound has excluded something.
  bool run();

 private:
  struct Level {
    StateProgram::Mark mark = 0;
    ChoicePoint point;
    std::vector<Option> options;
    std::size_t taken = 0;
    std::uint32_t cost = 0;
  };
  void arrive(std::uint32_t cost);

  StateProgram& program_;
  Counter& counter_;
  std::uint32_t preemptions_;
  std::optional<std::uint32_t> counted_;
  std::size_t depth_;
  std::vector<Level> levels_;
};

void Walk::arrive(std::uint32_t cost) {
  const bool counts = !counted_ || cost == *counted_;
  if (counts) counter_.see_state();
  if (program_.is_over() || levels_.size() >= depth_) {
    if (counts) counter_.end_execution();
    return;
  }
  const std::span<const Option> options = program_.options();
  levels_.push_back({program_.mark(), program_.point(), {options.begin(), options.end()}, 0, cost});
}

bool Walk::run() {
  bool excludes = false;
  program_.reset();
  arrive(0);
  while (!levels_.empty() && !counter_.is_over()) {
    Level& level = levels_.back();
    if (level.taken == level.options.size()) {
      levels_.pop_back();
      continue;
    }
    const std::size_t taken = level.taken++;
    const std::uint32_t cost =
        level.cost +
        option_cost(level.point, level.options, static_cast<std::uint16_t>(taken), Base::nonpreemptive);
    if (cost > preemptions_) {
      excludes = true;
      continue;
    }
    const Option option = level.options[taken];
    if (taken > 0) program_.undo(level.mark);
    program_.step(option);
    arrive(cost);
  }
  return excludes;
}

void walk_at_random(StateProgram& program, Counter& counter, std::uint64_t seed) {
  Random random(seed);
  while (!counter.is_over()) {
    program.reset();
    counter.see_state();
    for (std::size_t steps = 0; !program.is_over() && steps < kStepsMax; ++steps) {
      const std::span<const Option> options = program.options();
      program.step(options[random.below(options.size())]);
      counter.see_state();
    }
    counter.end_execution();
  }
}

}  // namespace

std::vector<StateCurve> state_curves(StateProgram& program, std::uint64_t executions, std::uint64_t seed,
                                     const std::function<bool()>& has_to_stop) {
  std::vector<StateCurve> curves;
  const auto count = [&](const std::string& name, const auto& walk) {
    Counter counter(program, executions, has_to_stop, name);
    walk(counter);
    curves.push_back(counter.curve());
  };
  count("icb", [&](Counter& counter) {
    for (std::uint32_t bound = 0; !counter.is_over(); ++bound) {
      if (!Walk(program, counter, bound, bound, kStepsMax).run()) break;
    }
  });
  count("dfs", [&](Counter& counter) { Walk(program, counter, kAnyNumber, {}, kStepsMax).run(); });
  count("random", [&](Counter& counter) { walk_at_random(program, counter, seed); });
  for (const std::size_t depth : {40, 20}) {
    count("db:" + std::to_string(depth),
          [&](Counter& counter) { Walk(program, counter, kAnyNumber, {}, depth).run(); });
  }
  return curves;
}

}  // namespace thrum

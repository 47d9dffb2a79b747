// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statistics of a search: the number of executions of each cost, and how its results grew.
//
// Tested by statistics_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/plan.hpp"
#include "order/class_counter.hpp"
#include "order/local_states.hpp"
#include "order/value_sequences.hpp"

namespace thrum {

// Executions of exactly that cost.
struct LevelCount {
  std::uint64_t executions = 0;
  std::uint64_t classes = 0;        // if classes are counted: those first seen at this cost
  std::uint64_t bugs = 0;           // distinct ones, first found at this cost
  std::optional<double> completed;  // seconds until all executions of at most this cost had been run
};

struct GrowthPoint {
  std::uint64_t executions = 0;
  std::uint64_t classes = 0;  // if they are counted
  double seconds = 0;
  LocalStateCounts local_states{};    // if they are counted
  std::uint64_t value_sequences = 0;  // if they are counted
};

// The statistics of a member of a portfolio.
struct MemberCount {
  std::string name;
  std::uint64_t executions = 0;
  std::uint64_t bugs = 0;  // distinct ones that it found first
  double seconds = 0;
};

struct Statistics {
  Base base = Base::nonpreemptive;   // the base by which costs are counted
  std::vector<LevelCount> levels;    // by cost
  std::vector<MemberCount> members;  // in order of their first turns; empty: one strategy
  std::vector<GrowthPoint> growth;   // after 1, 2, 3, ... executions, then at intervals that grow by a fifth
  bool counts_classes = false;
  std::optional<std::uint64_t> classes;                         // counts_classes; nothing: too many to count
  std::optional<CoverageCount> local_states = std::nullopt;     // nothing: they were not counted
  std::optional<CoverageCount> value_sequences = std::nullopt;  // the same
  std::uint64_t in_vain = 0;  // redundant executions that the strategy broke off
  std::uint64_t waited = 0;   // executions in which threads waited in vain (End::waiting)
  std::uint64_t before = 0;   // executions of searches that had to begin again; not included above
};

// Collects statistics while a search runs.
class StatisticsKeeper {
 public:
  explicit StatisticsKeeper(std::size_t classes_max = ClassCounter::kClassesMax) : classes_(classes_max) {}

  // The most classes that are counted.
  void limit_classes(std::size_t classes_max) { classes_.limit(classes_max); }

  // Takes an execution that counts. order: its partial order. nullptr: it is computed from the trace's
  // events, or, without counts_classes, not at all. none_twice: as in ClassCounter::expect(). Returns whether
  // point() has to be called.
  bool take(const Plan& plan, const Trace& trace, const PartialOrder* order, bool counts_classes,
            bool none_twice = false);
  void point(double seconds);

  // Takes the local states of the execution that take() takes next; with all its events. starts_over: the
  // strategy begins again with it.
  void take_local_states(const Trace& trace, bool starts_over);

  // Takes what threads have read in the execution that take() takes next; with all its events and values.
  void take_values(const Trace& trace) { values_.take(trace, executions_ + 1); }
  // For what has to be counted again: executions whose numbers the caller knows.
  ValueSequences& values() { return values_; }
  const ValueSequences& values() const { return values_; }

  // The class of the execution that was taken last counts from now on; taking another execution does the
  // same. Before that, classes(), result(), save() and merge() do not include it.
  void settle();

  // Whether this execution costs more than all before, by the base of the statistics.
  bool is_dearest(const Plan& plan, const Trace& trace) const {
    return (executions_ == 0 || plan.policy.base == base()) && trace.cost >= statistics_.levels.size();
  }
  Base base() const { return statistics_.base; }

  // Whether that member's turn begins. begin_member(): it begins, when the search has taken so many seconds;
  // end_member(): the turn that was has ended.
  bool is_next_member(std::string_view name) const {
    return member_ == kNone || statistics_.members[member_].name != name;
  }
  void begin_member(std::string_view name, double seconds);
  void end_member(double seconds);

  // All executions of lower cost have been run.
  void complete_below(std::uint32_t cost, double seconds);

  // The execution that was taken last found a distinct bug.
  void take_bug();

  std::optional<std::uint64_t> classes() const;
  // has_all_classes: no class is missing, although not every execution's class was counted.
  Statistics result(double seconds, bool has_all_classes);

  // Adds the statistics of another keeper for the same search. Classes that both saw count once.
  void merge(const StatisticsKeeper& other);

  // Most of the memory in use (ClassCounter).
  std::span<const std::uint64_t> memory() const { return classes_.memory(); }

  // The strategy begins again. From now on the executions so far count as Statistics::before and nowhere
  // else; bugs stay with their levels. Does nothing for a member of a portfolio, which counts for all
  // members.
  void begin_again();

  // From now on events name objects in another way.
  void forget_classes() { classes_.forget(); }

  // load() REQUIRES: no execution was taken.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  void conclude_local_states();
  void conclude_values();

  Statistics statistics_;
  ClassCounter classes_;
  LocalStates local_states_;
  ValueSequences values_;
  std::uint64_t executions_ = 0;
  std::uint64_t next_point_ = 1;
  std::uint32_t cost_ = 0;
  bool is_partial_ = false;     // the classes of some executions were not counted
  std::size_t member_ = kNone;  // index in Statistics::members of the member whose turn it is
  double member_begun_ = 0;
  static constexpr std::size_t kNone = ~std::size_t{0};
};

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a search did, in numbers: how many executions of each cost, and how what it has seen grew.
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

namespace thrum {

// Executions that cost exactly so much.
struct LevelCount {
  std::uint64_t executions = 0;
  std::uint64_t classes = 0;        // of the classes that are counted: those seen here first
  std::uint64_t bugs = 0;           // distinct ones, found here first
  std::optional<double> completed;  // seconds after the beginning all that cost no more had been run
};

struct GrowthPoint {
  std::uint64_t executions = 0;
  std::uint64_t classes = 0;  // where they are counted
  double seconds = 0;
};

// What one of several strategies that take turns did.
struct MemberCount {
  std::string name;
  std::uint64_t executions = 0;
  std::uint64_t bugs = 0;  // distinct ones, that it found first
  double seconds = 0;
};

struct Statistics {
  Base base = Base::nonpreemptive;   // what costs are counted by
  std::vector<LevelCount> levels;    // by cost
  std::vector<MemberCount> members;  // as their first turns came; empty: there is one strategy
  std::vector<GrowthPoint> growth;   // after 1, 2, 3, ... executions, then each a fifth more than the last
  bool counts_classes = false;
  std::optional<std::uint64_t> classes;  // counts_classes; nothing: too many to be counted
  std::uint64_t in_vain = 0;  // executions that the strategy broke off, since they led to nothing new
  std::uint64_t before = 0;   // executions of searches that had to begin anew, in nothing above
};

// Collects them while a search runs.
class StatisticsKeeper {
 public:
  explicit StatisticsKeeper(std::size_t classes_max = ClassCounter::kClassesMax) : classes_(classes_max) {}

  // So many classes are counted at most.
  void limit_classes(std::size_t classes_max) { classes_.limit(classes_max); }

  // An execution that counts. order: its partial order, or nullptr, where it is to be made from the events of
  // the trace or, without counts_classes, not at all. Whether a number is due: then point() wants to be told.
  bool take(const Plan& plan, const Trace& trace, const PartialOrder* order, bool counts_classes);
  void point(double seconds);

  // The class of the execution that was taken last counts from now on, as it does when another one is taken.
  // Before it did, classes(), result(), save() and being merged do not see it.
  void settle();

  // The first execution of a new cost: true where it is dearer than all before, by what they are counted by.
  bool is_dearest(const Plan& plan, const Trace& trace) const {
    return (executions_ == 0 || plan.policy.base == base()) && trace.cost >= statistics_.levels.size();
  }
  Base base() const { return statistics_.base; }

  // The execution that is taken next is of that member. seconds: that the search has taken so far.
  bool is_next_member(std::string_view name) const {
    return member_ == kNone || statistics_.members[member_].name != name;
  }
  void begin_member(std::string_view name, double seconds);

  // All executions that cost less are done.
  void complete_below(std::uint32_t cost, double seconds);

  // A distinct bug was found by the execution that was taken last.
  void take_bug();

  std::optional<std::uint64_t> classes() const;
  // has_all_classes: though not every execution's class was counted, none is missing.
  Statistics result(double seconds, bool has_all_classes);

  // Adds what another keeper saw of the same search. Of classes that both saw, the other's count no more.
  void merge(const StatisticsKeeper& other);

  // Most of what it takes (ClassCounter).
  std::span<const std::uint64_t> memory() const { return classes_.memory(); }

  // The events to come name objects otherwise than those that were taken did.
  void forget_classes() { classes_.forget(); }

  // load() REQUIRES that nothing was taken.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  Statistics statistics_;
  ClassCounter classes_;
  std::uint64_t executions_ = 0;
  std::uint64_t next_point_ = 1;
  std::uint32_t cost_ = 0;
  bool is_partial_ = false;     // some executions' classes were not counted
  std::size_t member_ = kNone;  // of Statistics::members; whose turn it is
  double member_begun_ = 0;
  static constexpr std::size_t kNone = ~std::size_t{0};
};

}  // namespace thrum

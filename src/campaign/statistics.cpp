// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "campaign/statistics.hpp"

#include <algorithm>
#include <utility>

namespace thrum {

namespace {

// The cost of the execution by another base than its plan's.
std::uint32_t cost_by(Base base, const Trace& trace) {
  std::uint32_t cost = 0;
  for (const ChoicePoint& point : trace.choices) {
    std::span<const Option> options = trace.options_of(point);
    if (point.taken != default_option(point, options, base))
      cost += option_cost(point, options, point.taken, base);
  }
  return cost;
}

}  // namespace

bool StatisticsKeeper::take(const Plan& plan, const Trace& trace, const PartialOrder* order,
                            bool counts_classes, bool none_twice) {
  settle();
  if (executions_ == 0) statistics_.base = plan.policy.base;
  cost_ = plan.policy.base == statistics_.base ? trace.cost : cost_by(statistics_.base, trace);
  if (statistics_.levels.size() <= cost_) statistics_.levels.resize(cost_ + std::size_t{1});
  LevelCount& level = statistics_.levels[cost_];
  ++level.executions;
  ++executions_;
  if (member_ != kNone) ++statistics_.members[member_].executions;
  if (trace.end == End::stopped) ++statistics_.in_vain;
  if (trace.end == End::waiting) ++statistics_.waited;
  is_partial_ = is_partial_ || (order == nullptr && !counts_classes);
  if (order != nullptr || counts_classes) {
    statistics_.counts_classes = true;
    if (order == nullptr) {
      level.classes += classes_.take(trace) ? 1 : 0;
    } else if (ClassCounter::has_class(trace)) {
      classes_.expect(*order, none_twice);
    }
  }
  return executions_ == next_point_;
}

void StatisticsKeeper::take_local_states(const Trace& trace, bool starts_over) {
  if (starts_over) local_states_.begin_again();
  local_states_.take(trace);
}

void StatisticsKeeper::settle() {
  if (classes_.settle()) ++statistics_.levels[cost_].classes;
}

void StatisticsKeeper::end_member(double seconds) {
  if (member_ != kNone) statistics_.members[member_].seconds += seconds - member_begun_;
  member_begun_ = seconds;
}

void StatisticsKeeper::begin_member(std::string_view name, double seconds) {
  end_member(seconds);
  std::vector<MemberCount>& members = statistics_.members;
  auto known = std::find_if(members.begin(), members.end(),
                            [&](const MemberCount& member) { return member.name == name; });
  member_ = static_cast<std::size_t>(known - members.begin());
  if (known == members.end()) members.push_back({std::string(name)});
}

void StatisticsKeeper::begin_again() {
  settle();
  if (member_ != kNone) return;
  std::vector<LevelCount>& levels = statistics_.levels;
  while (!levels.empty() && levels.back().bugs == 0) levels.pop_back();
  for (LevelCount& level : levels) level = {0, 0, level.bugs, std::nullopt};
  statistics_.growth.clear();
  statistics_.in_vain = statistics_.waited = 0;
  statistics_.before += std::exchange(executions_, 0u);
  next_point_ = 1;
  is_partial_ = false;
  cost_ = 0;
  classes_.begin_again();
  local_states_.begin_again();
  values_.begin_again();
}

void StatisticsKeeper::take_bug() {
  if (statistics_.levels.size() <= cost_) statistics_.levels.resize(cost_ + std::size_t{1});
  ++statistics_.levels[cost_].bugs;
  if (member_ != kNone) ++statistics_.members[member_].bugs;
}

namespace {

// The growth of two searches that ran side by side.
std::vector<GrowthPoint> grown(const std::vector<GrowthPoint>& a, const std::vector<GrowthPoint>& b) {
  std::vector<GrowthPoint> all;
  GrowthPoint of_a;
  GrowthPoint of_b;
  for (std::size_t i = 0, k = 0; i < a.size() || k < b.size();) {
    const bool takes_a = k == b.size() || (i < a.size() && a[i].seconds <= b[k].seconds);
    const GrowthPoint& next = takes_a ? of_a = a[i++] : of_b = b[k++];
    const LocalStateCounts states = {of_a.local_states.late + of_b.local_states.late,
                                     of_a.local_states.full + of_b.local_states.full};
    all.push_back({of_a.executions + of_b.executions, of_a.classes + of_b.classes, next.seconds, states,
                   of_a.value_sequences + of_b.value_sequences});
  }
  return all;
}

}  // namespace

void StatisticsKeeper::merge(const StatisticsKeeper& other) {
  settle();
  const Statistics& from = other.statistics_;
  std::vector<LevelCount>& levels = statistics_.levels;
  if (levels.size() < from.levels.size()) levels.resize(from.levels.size());
  for (std::size_t i = 0; i < from.levels.size(); ++i) {
    levels[i].executions += from.levels[i].executions;
    levels[i].classes += from.levels[i].classes;
    levels[i].bugs += from.levels[i].bugs;
  }
  statistics_.growth = grown(statistics_.growth, from.growth);
  // It is not known which level saw such a class first.
  std::size_t twice = classes_.merge(other.classes_);
  for (std::size_t i = levels.size(); i-- > 0 && twice > 0;) {
    const std::size_t here = std::min<std::size_t>(twice, levels[i].classes);
    levels[i].classes -= here;
    twice -= here;
  }
  for (GrowthPoint& point : statistics_.growth)
    point.classes = std::min<std::uint64_t>(point.classes, classes_.count().value_or(point.classes));
  local_states_.merge(other.local_states_);
  values_.merge(other.values_, executions_);
  for (const MemberCount& member : from.members) {
    auto known = std::find_if(statistics_.members.begin(), statistics_.members.end(),
                              [&](const MemberCount& one) { return one.name == member.name; });
    if (known == statistics_.members.end()) {
      statistics_.members.push_back(member);
      continue;
    }
    known->executions += member.executions;
    known->bugs += member.bugs;
    known->seconds += member.seconds;
  }
  statistics_.counts_classes = statistics_.counts_classes || from.counts_classes;
  statistics_.in_vain += from.in_vain;
  statistics_.waited += from.waited;
  statistics_.before += from.before;
  executions_ += other.executions_;
  next_point_ = std::max(next_point_, executions_ + 1);
  is_partial_ = is_partial_ || other.is_partial_;
}

void StatisticsKeeper::point(double seconds) {
  constexpr std::uint64_t kPart = 5;
  settle();
  next_point_ = executions_ + executions_ / kPart + 1;
  const LocalStateCounts states = local_states_.is_on() ? local_states_.counts() : LocalStateCounts();
  statistics_.growth.push_back({executions_, classes_.count().value_or(0), seconds, states, values_.count()});
}

void StatisticsKeeper::complete_below(std::uint32_t cost, double seconds) {
  const std::size_t end = std::min<std::size_t>(cost, statistics_.levels.size());
  for (std::size_t i = 0; i < end; ++i) {
    if (!statistics_.levels[i].completed) statistics_.levels[i].completed = seconds;
  }
}

std::optional<std::uint64_t> StatisticsKeeper::classes() const {
  if (!statistics_.counts_classes || is_partial_) return std::nullopt;
  return classes_.count();
}

void StatisticsKeeper::save(ByteWriter& out) const {
  out.put(statistics_.base);
  out.put(static_cast<std::uint32_t>(statistics_.levels.size()));
  for (const LevelCount& level : statistics_.levels) {
    for (std::uint64_t number : {level.executions, level.classes, level.bugs}) out.put(number);
    out.put(level.completed.has_value());
    out.put(level.completed.value_or(0));
  }
  out.put(static_cast<std::uint32_t>(statistics_.growth.size()));
  for (const GrowthPoint& point : statistics_.growth) {
    out.put(point.executions);
    out.put(point.classes);
    out.put(point.seconds);
    out.put(point.local_states.late);
    out.put(point.local_states.full);
    out.put(point.value_sequences);
  }
  out.put(statistics_.counts_classes);
  out.put(statistics_.in_vain);
  out.put(statistics_.waited);
  out.put(statistics_.before);
  out.put(executions_);
  out.put(next_point_);
  out.put(cost_);
  out.put(is_partial_);
  out.put(static_cast<std::uint32_t>(statistics_.members.size()));
  for (const MemberCount& member : statistics_.members) {
    out.put_string(member.name);
    out.put(member.executions);
    out.put(member.bugs);
    out.put(member.seconds);
  }
  out.put(std::uint64_t{member_});
  out.put(member_begun_);
  classes_.save(out);
  local_states_.save(out);
  values_.save(out);
}

void StatisticsKeeper::load(ByteReader& in) {
  statistics_.base = in.get<Base>();
  if (statistics_.base > Base::round_robin) in.fail();
  for (std::uint32_t left = in.get_count(); left > 0; --left) {
    LevelCount& level = statistics_.levels.emplace_back();
    for (std::uint64_t* number : {&level.executions, &level.classes, &level.bugs})
      *number = in.get<std::uint64_t>();
    const bool completed = in.get<bool>();
    const auto seconds = in.get<double>();
    if (completed) level.completed = seconds;
  }
  for (std::uint32_t left = in.get_count(); left > 0; --left) {
    GrowthPoint& point = statistics_.growth.emplace_back();
    point.executions = in.get<std::uint64_t>();
    point.classes = in.get<std::uint64_t>();
    point.seconds = in.get<double>();
    point.local_states.late = in.get<std::uint64_t>();
    point.local_states.full = in.get<std::uint64_t>();
    point.value_sequences = in.get<std::uint64_t>();
  }
  statistics_.counts_classes = in.get<bool>();
  statistics_.in_vain = in.get<std::uint64_t>();
  statistics_.waited = in.get<std::uint64_t>();
  statistics_.before = in.get<std::uint64_t>();
  executions_ = in.get<std::uint64_t>();
  next_point_ = in.get<std::uint64_t>();
  cost_ = in.get<std::uint32_t>();
  is_partial_ = in.get<bool>();
  for (std::uint32_t left = in.get_count(); left > 0; --left) {
    MemberCount& member = statistics_.members.emplace_back();
    member.name = in.get_string();
    member.executions = in.get<std::uint64_t>();
    member.bugs = in.get<std::uint64_t>();
    member.seconds = in.get<double>();
  }
  member_ = in.get<std::uint64_t>();
  if (member_ != kNone && member_ >= statistics_.members.size()) in.fail();
  member_begun_ = in.get<double>();
  classes_.load(in);
  local_states_.load(in);
  values_.load(in);
}

// Where the count has begun again, or several workers have met the same, earlier points are too high.
void StatisticsKeeper::conclude_local_states() {
  statistics_.local_states = local_states_.result();
  std::uint64_t least = statistics_.local_states->count;
  for (auto point = statistics_.growth.rbegin(); point != statistics_.growth.rend(); ++point) {
    least = std::min(least, local_states_.choose(point->local_states));
    point->local_states = {least, least};
  }
}

void StatisticsKeeper::conclude_values() {
  statistics_.value_sequences = values_.result();
  std::uint64_t least = statistics_.value_sequences->count;
  for (auto point = statistics_.growth.rbegin(); point != statistics_.growth.rend(); ++point)
    point->value_sequences = least = std::min(least, point->value_sequences);
}

Statistics StatisticsKeeper::result(double seconds, bool has_all_classes) {
  if (has_all_classes) is_partial_ = false;
  if (is_partial_) statistics_.counts_classes = false;
  statistics_.classes = classes();
  end_member(seconds);
  bool is_told = !statistics_.growth.empty() && statistics_.growth.back().executions == executions_;
  if (executions_ > 0 && !is_told) point(seconds);
  if (local_states_.is_on()) conclude_local_states();
  if (values_.is_on()) conclude_values();
  // The classes of only some executions mean nothing.
  if (statistics_.counts_classes && !statistics_.classes) {
    for (LevelCount& level : statistics_.levels) level.classes = 0;
    while (!statistics_.growth.empty() && statistics_.growth.back().classes == 0)
      statistics_.growth.pop_back();
  }
  return statistics_;
}

}  // namespace thrum

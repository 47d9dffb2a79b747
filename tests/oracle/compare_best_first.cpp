// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/compare_best_first.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <unordered_set>
#include <vector>

#include "campaign/strategies.hpp"
#include "oracle/compare.hpp"
#include "search/frontier/memory_file.hpp"
#include "search/reduction/best_first_dpor.hpp"
#include "search/systematic/best_first.hpp"
#include "search/systematic/systematic.hpp"

namespace thrum {

namespace {

using Names = std::vector<std::string>;

// Each alone, those of the paper's Table 2, and all at once.
const std::vector<Names>& lists() {
  static const std::vector<Names> kLists = [] {
    std::vector<Names> all = {{}, {"mdpor", "pb"}, {"ss", "dpor"}, {"ss", "mdpor"}, {"pb", "rand"}};
    Names every;
    for (const PriorityRow& row : priorities()) {
      all.push_back({std::string(row.name)});
      every.emplace_back(row.name);
    }
    all.push_back(every);
    return all;
  }();
  return kLists;
}

std::string text_of(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text.empty() ? "none" : text;
}

// GAMBIT, Figure 4, by the letter: one list, searched from end to end.
class Model {
 public:
  Model(Base base, std::optional<std::uint32_t> limit, PriorityList list, std::uint64_t seed)
      : base_(base), limit_(limit), list_(std::move(list)), seed_(seed) {
    waiting_.push_back({0, {}});
  }

  std::optional<Plan> next() {
    if (waiting_.empty()) return std::nullopt;
    std::size_t best = 0;
    for (std::size_t i = 1; i < waiting_.size(); ++i) {
      if (waiting_[i].key <= waiting_[best].key) best = i;  // newer ones stand behind
    }
    Plan plan = std::move(waiting_[best].plan);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(best));
    plan.policy.base = base_;
    return plan;
  }

  // REQUIRES: trace has all choices and events.
  void learn(const Plan& plan, const Trace& trace) {
    analysis_.begin(plan, trace);
    Execution execution{plan, trace, analysis_, seed_};
    std::size_t departures = 0;
    for (std::size_t choice = 0; choice < trace.choices.size(); ++choice) {
      const ChoicePoint& point = trace.choices[choice];
      if (departures < plan.departures.size()) {
        if (point.key == plan.departures[departures].key) ++departures;
        continue;
      }
      std::span<const Option> options = trace.options_of(point);
      for (auto option = static_cast<std::uint16_t>(options.size()); option-- > 0;) {
        std::uint32_t cost = point.cost_before + std::uint32_t{option_cost(point, options, option, base_)};
        if (option == point.taken || (limit_ && cost > *limit_)) continue;
        Waiting& child = waiting_.emplace_back();
        child.key = list_.key(execution, choice, option);
        child.plan = plan;
        child.plan.departures.push_back({point.key, options[option]});
      }
    }
  }

 private:
  struct Waiting {
    std::uint64_t key = 0;
    Plan plan;
  };
  Base base_;
  std::optional<std::uint32_t> limit_;
  PriorityList list_;
  std::uint64_t seed_;
  TraceAnalysis analysis_;
  std::vector<Waiting> waiting_;
};

std::string compare_with_model(const ToyCode& code, Strategy& strategy, Model model, std::size_t most) {
  ToyProgram program(code);
  Plan plan;
  Trace trace;
  Trace whole;
  for (std::size_t i = 0; i < most; ++i) {
    std::optional<Plan> expected = model.next();
    if (strategy.next(plan) != expected.has_value()) return "another number of plans than the model's";
    if (!expected) return "";
    expected->policy.waiting = plan.policy.waiting;  // the model says nothing of it
    if (plan != *expected) {
      return "plan " + std::to_string(i + 1) + " is " + to_string(plan, program.names()) + ", the model's " +
             to_string(*expected, program.names());
    }
    program.run(plan, strategy.advisor(), strategy.wanted(), trace);
    strategy.learn(plan, trace);
    program.run(plan, nullptr, Wanted::all_events(), whole);
    model.learn(plan, whole);
  }
  return "";
}

// What a search was like besides what it found.
struct Course {
  std::vector<std::string> schedules;  // in their order
  std::uint64_t spilled = 0;
  std::uint64_t blocked = 0;
  std::string problem;
};

// The whole search of a program, put down and taken up after each so many executions (0: never).
std::string compare_reduced(const ToyCode& code, const Findings& findings,
                            const BestFirstDpor::Settings& settings, std::size_t part, ReductionCount& count,
                            Course& course) {
  ToyProgram program(code);
  auto search = std::make_unique<BestFirstDpor>(settings);
  std::vector<std::string>& schedules = course.schedules;
  Plan plan;
  Trace trace;
  Shown shown;
  program.record_local_states(&shown.local_states);
  if (part != 0) program.begin_again();
  while (search->next(plan)) {
    program.run(plan, search->advisor(), search->wanted(), trace);
    schedules.push_back(program.schedule());
    course.blocked += trace.end == End::stopped ? 1 : 0;
    if (schedules.size() > 2 * findings.executions.size() + 10) return "more executions than there are";
    if (trace.end == End::diverged) return "diverged: " + to_string(plan, program.names());
    if (trace.end != End::stopped) {
      std::string wrong = compare_execution(program, trace, findings, Base::nonpreemptive);
      if (!wrong.empty()) return wrong;
    }
    search->learn(plan, trace);
    if (part != 0 && schedules.size() % part == 0) {
      auto other = std::make_unique<BestFirstDpor>(settings);
      if (!take_up(*search, *other, program.names())) return "cannot be taken up";
      search = std::move(other);
    }
    if (trace.end == End::bug) shown.bugs.insert(bug_of(trace.failure));
    bool deadlock = trace.end == End::bug && trace.failure.kind == BugKind::deadlock;
    if (trace.end != End::finished && !deadlock) continue;
    shown.states.insert(print(program.final_state()));
    PartialOrder order;
    for (const Event& event : trace.events) order.append(event);
    if (!shown.classes.insert(order.fingerprint()).second) ++count.redundant;
  }
  course.spilled = search->reporting().statistics().spilled;
  course.problem = search->reporting().problem();
  if (!course.problem.empty()) return "";  // the memory did not suffice; nothing is claimed
  count.executions += schedules.size();
  count.classes += shown.classes.size();
  count.blocked += course.blocked;
  if (std::string missing = missing_of_all(findings, shown); !missing.empty()) return missing;
  if (!search->guarantee().complete) return "does not claim to be complete";
  const SearchStatistics kept = search->reporting().statistics();
  if (kept.waiting != 0 || kept.nodes != 1) return "something is kept when all is done";
  if (search->sets().size() != 0) return "what was put down is remembered when all is done";
  return "";
}

}  // namespace

std::string compare_best_first_dpor(const ToyCode& code, const Findings& findings, std::uint64_t seed,
                                    ReductionCount& count) {
  for (const Names& names : lists()) {
    const std::string who = "best-first-dpor " + text_of(names);
    BestFirstDpor::Settings settings{*PriorityList::make(names), seed, {}};
    Course course;
    std::string wrong = compare_reduced(code, findings, settings, 0, count, course);
    if (!wrong.empty()) return who + ": " + wrong;
    // The same with little memory, as far as that goes, and in parts.
    settings.fringe = {200 + seed % 16 * 400, MemoryFile::make};
    for (std::size_t part : {std::size_t{0}, static_cast<std::size_t>(1 + seed % 5)}) {
      Course again;
      ReductionCount ignored;
      wrong = compare_reduced(code, findings, settings, part, ignored, again);
      if (!wrong.empty()) return who + (part == 0 ? " with a file: " : " in parts: ") + wrong;
      if (again.problem.empty()) {
        count.spilled += again.spilled;
        if (again.schedules != course.schedules) return who + ": another order with a file, or in parts";
      } else if (!std::equal(again.schedules.begin(), again.schedules.end(), course.schedules.begin())) {
        return who + ": another order with a file that did not suffice";
      }
    }
  }
  return "";
}

std::string compare_best_first(const ToyCode& code, const Findings& findings, std::uint64_t seed) {
  // Bounds take turns: each list meets each of them on some program.
  constexpr std::optional<std::uint32_t> kLimits[] = {std::nullopt, 0, 1, 2};
  std::uint64_t turn = seed;
  for (const Names& names : lists()) {
    std::optional<std::uint32_t> limit = kLimits[turn % 4];
    Base base = turn / 4 % 2 == 0 ? Base::nonpreemptive : Base::round_robin;
    ++turn;
    StrategySettings settings{base, limit, seed};
    settings.priorities = names;
    std::unique_ptr<Strategy> strategy = make_strategy("best-first", settings);
    Promise promise{base, limit, !names.empty() && names[0] == "pb"};
    std::string wrong = compare_search(code, findings, *strategy, promise);
    if (wrong.empty()) continue;
    return "best-first " + text_of(names) + (base == Base::round_robin ? ", delays" : ", preemptions") +
           ", limit " + (limit ? std::to_string(*limit) : "none") + ": " + wrong;
  }
  return "";
}

std::string compare_order(const ToyCode& code, const Findings& findings, std::uint64_t seed) {
  constexpr std::size_t kMost = 150;  // executions: the model is slow
  if (findings.executions.size() > 5'000) return "";
  std::uint64_t turn = seed;
  for (const Names& names : lists()) {
    StrategySettings settings;
    settings.base = turn / 2 % 2 == 0 ? Base::nonpreemptive : Base::round_robin;
    if (turn++ % 3 == 0) settings.limit = 2;
    settings.seed = seed;
    settings.priorities = names;
    for (bool spills : {false, true}) {
      settings.memory_max = spills ? seed % 7 * 100 : 0;
      settings.make_file = spills ? MemoryFile::make : nullptr;
      std::unique_ptr<Strategy> strategy = make_strategy("best-first", settings);
      Model model(settings.base, settings.limit, *PriorityList::make(names), seed);
      std::string wrong = compare_with_model(code, *strategy, std::move(model), kMost);
      if (!wrong.empty()) return "order of " + text_of(names) + (spills ? " with a file: " : ": ") + wrong;
    }
  }
  // icb and dfs are best-first search by cost, and by nothing.
  for (bool cheapest_first : {false, true}) {
    Systematic search(
        {Base::nonpreemptive, 2, cheapest_first, 1'000'000, {seed % 5 * 100, MemoryFile::make}});
    Names names = cheapest_first ? Names{"pb"} : Names{};
    Model model(Base::nonpreemptive, 2, *PriorityList::make(names), seed);
    std::string wrong = compare_with_model(code, search, std::move(model), kMost);
    if (!wrong.empty()) return (cheapest_first ? "order of icb: " : "order of dfs: ") + wrong;
  }
  return "";
}

}  // namespace thrum

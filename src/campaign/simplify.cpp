// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// There are four steps, each with a part of the budget.
//
// 1. Reorder: run the same steps in a cheaper order (linearize.hpp); again after each success of 3.
// 2. If the search has not ruled out fewer preemptions: iterative context bounding below the bug's own count.
//    The first schedule that it finds has the fewest. If it ends without finding the bug, no schedule with
//    fewer shows it.
// 3. Descent: edit the schedule in one place. An edit drops a departure, or takes another option at one
//    choice. The edited plan is followed as far as possible; a departure that is no longer possible is
//    replaced by the default. A plan that shows the bug with less (preemptions, switches) is edited next.
// 4. Proof, by branch and bound over the execution tree. Plans are run in order of the switches up to their
//    last departure; the rest of a schedule can only add to these. When no plan is left with fewer switches
//    than the best schedule has, that number is the minimum.
//
// Example: main starts A and B, and the bug needs "A, B, A". A search in order of preemptions may have found
// it as "A, B" and, since B then waits for C, "C, B, A". Step 3 removes C.
//
// Rejected: delta debugging on the set of departures. Most departures depend on earlier ones. Single edits
// that are followed as far as possible find the same schedule in fewer executions.
//
// Tested against every execution of random programs by tests/oracle/simplify_test.cpp.
#include "campaign/simplify.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include "order/linearize.hpp"
#include "search/reduction/wakeup_tree.hpp"
#include "search/systematic/systematic.hpp"

namespace thrum {

namespace {

constexpr std::size_t kWaitingMax = 200'000;  // plans

struct Price {
  std::uint32_t preemptions = 0;
  std::uint32_t switches = 0;

  friend auto operator<=>(const Price&, const Price&) = default;
};

// Leads an execution close to a given schedule.
class Guide : public Advisor {
 protected:
  static Advice take_or_default(const View& view, const Option* option) {
    if (!option) return {Advice::Kind::take, view.default_option};
    auto found = std::find(view.options.begin(), view.options.end(), *option);
    if (found == view.options.end()) return {Advice::Kind::take, view.default_option};
    return {Advice::Kind::take, static_cast<std::uint16_t>(found - view.options.begin())};
  }
};

// Follows departures as far as they are possible, in any order; else takes the default.
class Follower final : public Guide {
 public:
  explicit Follower(const std::vector<Departure>& departures) : departures_(departures) {}

  Advice at_point(const View& view) override {
    for (const Departure& departure : departures_) {
      if (departure.key != view.point.key) continue;
      auto found = std::find(view.options.begin(), view.options.end(), departure.option);
      if (found != view.options.end()) return take_or_default(view, &departure.option);
    }
    return take_or_default(view, nullptr);
  }

 private:
  const std::vector<Departure>& departures_;
};

// Follows an order of steps; for choices in their middle it follows departures. A step that is not its
// thread's pending operation is skipped: a waiting loop may go round less often than before.
class OrderFollower final : public Guide {
 public:
  OrderFollower(std::vector<Event> order, const std::vector<Departure>& departures)
      : order_(std::move(order)), departures_(departures) {}

  void begin() override {
    left_ = order_;
    seen_ = 0;
  }

  Advice at_point(const View& view) override {
    if (view.point.key.kind != ChoiceKind::thread) {
      auto found = std::find_if(departures_.begin(), departures_.end(),
                                [&](const Departure& departure) { return departure.key == view.point.key; });
      return take_or_default(view, found == departures_.end() ? nullptr : &found->option);
    }
    for (; seen_ < view.trace.events.size(); ++seen_) strike(view.trace.events[seen_]);
    for (const Event& step : left_) {
      const Option option{step.thread, via_of(step)};
      if (std::find(view.options.begin(), view.options.end(), option) == view.options.end()) continue;
      if (option.via == Via::run && !stands_before(view.threads, step)) continue;
      return take_or_default(view, &option);
    }
    return take_or_default(view, nullptr);
  }

 private:
  static bool is_alike(const Event& a, Operation operation, std::uint64_t object) {
    return a.operation == operation && a.object == object;
  }

  static bool stands_before(Pending& threads, const Event& step) {
    for (const PendingOperation& pending : threads.pending()) {
      if (pending.thread == step.thread) return is_alike(step, pending.operation, pending.object);
    }
    return false;
  }

  // Removes the step that was done, and the thread's earlier steps.
  void strike(const Event& done) {
    auto step = std::find_if(left_.begin(), left_.end(), [&](const Event& event) {
      return event.thread == done.thread && is_alike(event, done.operation, done.object);
    });
    if (step == left_.end()) return;
    auto kept =
        std::remove_if(left_.begin(), step, [&](const Event& event) { return event.thread == done.thread; });
    left_.erase(kept, step + 1);
  }

  const std::vector<Event> order_;
  std::vector<Event> left_;  // the steps that are not done yet
  const std::vector<Departure>& departures_;
  std::size_t seen_ = 0;  // number of events
};

class Simplifier {
 public:
  Simplifier(Program& program, FoundBug& bug, const SimplifyBudget& budget)
      : program_(program), bug_(bug), budget_(budget), best_(bug.plan), start_(budget.now()) {}

  void run();

 private:
  struct Waiting {
    std::vector<Departure> departures;
    std::uint32_t switches = 0;  // up to the last departure
    std::uint64_t number = 0;    // order of creation; earlier plans run first
  };
  struct Later {
    bool operator()(const Waiting& a, const Waiting& b) const {
      return std::tie(a.switches, a.number) > std::tie(b.switches, b.number);
    }
  };

  bool execute(const Plan& plan, Advisor* advisor, Wanted wanted = Wanted::all_events());
  bool shows_bug() const { return trace_.end == End::bug && same_bug(trace_.failure, bug_.failure); }
  Price price() const;
  bool take_if_simpler();
  void reorder();
  void rule_out_fewer_preemptions();
  void descend();
  bool descend_once();
  bool try_edited(std::vector<Departure> departures);
  void prove();
  void add_children(const Waiting& parent);
  void finish();

  Program& program_;
  FoundBug& bug_;
  const SimplifyBudget& budget_;
  Plan best_;
  Price best_price_;
  double start_;
  std::uint64_t executions_ = 0;
  std::uint64_t executions_max_ = 0;  // in the present step
  bool lost_ = false;                 // control was lost; the bug does not change
  bool cut_ = false;                  // an execution met a limit, fairness or a race: the bug may lie beyond
  bool proved_ = false;
  Trace trace_;
  std::priority_queue<Waiting, std::vector<Waiting>, Later> waiting_;
  std::uint64_t numbers_ = 0;
  bool dropped_ = false;  // plans were dropped, for lack of room
  Plan fair_;             // the running plan
};

// False if the budget is used up or control was lost. Else the trace is valid.
bool Simplifier::execute(const Plan& plan, Advisor* advisor, Wanted wanted) {
  bool ended =
      executions_ >= executions_max_ || budget_.out_of_time() || budget_.now() - start_ > budget_.seconds;
  if (lost_ || ended) return false;
  ++executions_;
  fair_ = plan;
  fair_.policy.fairness = bug_.plan.policy.fairness;
  fair_.policy.waiting = bug_.plan.policy.waiting;
  fair_.policy.rounds = bug_.plan.policy.rounds;
  budget_.announce(fair_);
  program_.run(fair_, advisor, wanted, trace_);
  const bool is_cut = is_cut_by_limit(trace_.end);
  const bool ends_at_race = trace_.end == End::bug && trace_.failure.kind == BugKind::data_race &&
                            bug_.failure.kind != BugKind::data_race;
  if (is_cut || trace_.counts.withheld != 0 || trace_.starved || ends_at_race) cut_ = true;
  if (trace_.end == End::diverged || trace_.end == End::uncontrolled) lost_ = true;
  return !lost_;
}

Price Simplifier::price() const {
  std::uint32_t preemptions = 0;
  departures_from_base(trace_, preemptions);
  return {preemptions, count_switches(trace_)};
}

bool Simplifier::take_if_simpler() {
  if (!shows_bug() || price() >= best_price_) return false;
  best_price_ = price();
  std::uint32_t preemptions = 0;
  best_ = departures_from_base(trace_, preemptions);
  return true;
}

void Simplifier::run() {
  executions_max_ = 1;
  if (!execute(best_, nullptr) || !shows_bug()) return;
  best_price_ = price();
  cut_ = false;
  executions_max_ = budget_.executions;
  reorder();
  if (!bug_.minimal) {
    executions_max_ = budget_.executions / 2;
    rule_out_fewer_preemptions();
  }
  executions_max_ = executions_ + (budget_.executions - executions_) / 2;
  descend();
  executions_max_ = budget_.executions;
  prove();
  if (!lost_) finish();
}

// REQUIRES: trace_ is a trace of best_.
void Simplifier::reorder() {
  while (true) {
    std::vector<Event> order = cheapest_order(trace_);
    if (order.empty()) return;
    const std::vector<Departure> departures = best_.departures;
    OrderFollower follower(std::move(order), departures);
    if (!execute(Plan{}, &follower) || !take_if_simpler()) return;
  }
}

void Simplifier::rule_out_fewer_preemptions() {
  if (best_price_.preemptions == 0) {
    bug_.minimal = true;
    return;
  }
  Systematic search({Base::nonpreemptive, best_price_.preemptions - 1, true});
  Plan plan;
  while (search.next(plan)) {
    if (!execute(plan, nullptr, search.wanted())) return;
    search.learn(plan, trace_);
    if (!shows_bug()) continue;
    if (!execute(plan, nullptr)) return;
    take_if_simpler();
    bug_.minimal = !cut_;  // everything that costs less was run before
    return;
  }
  bug_.minimal = !cut_;
}

void Simplifier::descend() {
  while (descend_once()) reorder();
}

// Applies the first edit that makes the best schedule simpler; false if none does.
bool Simplifier::descend_once() {
  if (!execute(best_, nullptr)) return false;
  const Trace from = trace_;
  const std::vector<Departure> departures = best_.departures;
  for (std::size_t i = 0; i < departures.size(); ++i) {
    std::vector<Departure> edited = departures;
    edited.erase(edited.begin() + static_cast<std::ptrdiff_t>(i));
    if (try_edited(std::move(edited))) return true;
  }
  for (const ChoicePoint& point : from.choices) {
    std::span<const Option> options = from.options_of(point);
    for (std::size_t i = 0; i < options.size(); ++i) {
      if (i == point.taken) continue;
      std::uint16_t cost = option_cost(point, options, static_cast<std::uint16_t>(i), Base::nonpreemptive);
      if (cost > best_price_.preemptions) continue;
      std::vector<Departure> edited = departures;
      std::erase_if(edited, [&](const Departure& departure) { return departure.key == point.key; });
      edited.push_back({point.key, options[i]});
      if (try_edited(std::move(edited))) return true;
    }
  }
  return false;
}

bool Simplifier::try_edited(std::vector<Departure> departures) {
  // The plan is announced unchanged, so that a worker that dies here leaves a schedule close to it.
  Follower follower(departures);
  if (!execute(Plan{}, &follower)) return false;
  return take_if_simpler();
}

void Simplifier::prove() {
  waiting_.push({});
  while (!waiting_.empty() && waiting_.top().switches < best_price_.switches) {
    Waiting next = waiting_.top();
    waiting_.pop();
    Plan plan;
    plan.departures = next.departures;
    if (!execute(plan, nullptr)) return;
    const Price before = best_price_;
    take_if_simpler();
    if (best_price_.switches > before.switches) {
      // Fewer preemptions, but more switches: plans that were left out so far may matter now.
      waiting_ = {};
      waiting_.push({});
      continue;
    }
    add_children(next);
  }
  proved_ = !dropped_ && !cut_;
}

// Adds the plans that depart from the execution after the plan's own last departure.
void Simplifier::add_children(const Waiting& parent) {
  std::map<std::pair<ThreadId, std::uint32_t>, std::size_t> positions;  // of each event of a thread
  std::vector<std::uint32_t> switches(trace_.events.size() + 1, 0);     // before each event
  for (std::size_t i = 0; i < trace_.events.size(); ++i) {
    const Event& event = trace_.events[i];
    positions[{event.thread, event.index}] = i;
    bool is_switch = i > 0 && trace_.events[i - 1].thread != event.thread;
    switches[i + 1] = switches[i] + (is_switch ? 1 : 0);
  }
  std::size_t departed = 0;
  for (const ChoicePoint& point : trace_.choices) {
    if (departed < parent.departures.size()) {
      if (parent.departures[departed].key == point.key) ++departed;
      continue;
    }
    std::span<const Option> options = trace_.options_of(point);
    std::uint32_t so_far = 0;
    if (point.key.index > 0) {
      auto last = positions.find({point.key.thread, point.key.index - 1});
      if (last != positions.end()) so_far = switches[last->second + 1];
    }
    for (std::size_t i = 0; i < options.size(); ++i) {
      if (i == point.taken) continue;
      auto option = static_cast<std::uint16_t>(i);
      std::uint32_t cost = point.cost_before + option_cost(point, options, option, Base::nonpreemptive);
      bool leaves =
          point.key.kind == ChoiceKind::thread && point.key.index > 0 && options[i].value != point.key.thread;
      std::uint32_t least = so_far + (leaves ? 1 : 0);
      if (cost > best_price_.preemptions || least >= best_price_.switches) continue;
      if (waiting_.size() >= kWaitingMax) {
        dropped_ = true;
        return;
      }
      std::vector<Departure> departures = parent.departures;
      departures.push_back({point.key, options[i]});
      waiting_.push({std::move(departures), least, ++numbers_});
    }
  }
}

void Simplifier::finish() {
  Plan plan = best_;
  Trace trace;
  if (find_divergence(program_, plan, trace)) return;
  if (trace.end != End::bug || !same_bug(trace.failure, bug_.failure)) return;
  bug_.plan = std::move(plan);
  bug_.failure = trace.failure;
  bug_.trace = std::move(trace);
  bug_.preemptions = best_price_.preemptions;
  // A trace with everything recorded also holds the plain accesses of a race, which may need more switches.
  bug_.switches = count_switches(bug_.trace);
  bug_.switches_minimal = proved_ && bug_.switches == best_price_.switches;
  bug_.simplified = !budget_.out_of_time();
}

}  // namespace

void simplify(Program& program, FoundBug& bug, const SimplifyBudget& budget) {
  Simplifier(program, bug, budget).run();
}

std::uint32_t count_switches(const Trace& trace) {
  std::uint32_t count = 0;
  for (std::size_t i = 1; i < trace.events.size(); ++i)
    count += trace.events[i].thread != trace.events[i - 1].thread ? 1 : 0;
  // A thread that fails may do so before its next event.
  bool fails_elsewhere = trace.end == End::bug && trace.failure.waiters.empty() && !trace.events.empty() &&
                         trace.failure.thread != trace.events.back().thread;
  return count + (fails_elsewhere ? 1 : 0);
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/reads_from_search.hpp"

#include <algorithm>
#include <array>

#include "search/ordered_plan.hpp"

namespace thrum {

namespace {

// Whether a failure, or an assumption that was false, ended the execution though threads could go on.
bool is_cut_by_failure(const Trace& trace) {
  if (trace.end != End::bug) return trace.end == End::assumption;
  const BugKind kind = trace.failure.kind;
  return kind != BugKind::deadlock && kind != BugKind::livelock && kind != BugKind::leak;
}

// Whether what it reads and writes is known: not so of what is too wide, and of plain accesses.
bool has_value(const Event& event) {
  const bool is_atomic = event.operation == Operation::load || event.operation == Operation::store ||
                         event.operation == Operation::read_modify_write ||
                         event.operation == Operation::compare_exchange;
  return is_atomic && event.size <= sizeof event.value;
}

std::uint64_t masked(const Event& event, std::uint64_t value) {
  return event.size < sizeof value ? value & ((std::uint64_t{1} << 8 * event.size) - 1) : value;
}

// Whether a thread does the same; what it reads may be another value.
bool is_same_step(const Event& a, const Event& b) {
  return a.operation == b.operation && a.object == b.object && a.size == b.size;
}

}  // namespace

bool ReadsFromSearch::next(Plan& plan) {
  if (done_) return false;
  if (histories_.size() > histories_max_) forget_histories();
  if (!begun_) {
    begun_ = true;
    task_ = {};
    holds_.set({});
    write(plan);
    return true;
  }
  while (!path_.empty()) {
    Decision& last = path_.back();
    if (!last.branches.empty()) {
      task_ = {std::move(last.branches.back()), true, last.holds};
      last.branches.pop_back();
    } else if (last.needs_hold && !last.was_held) {
      last.was_held = true;
      task_ = {{last.order, Histories::kNone, {}, false}, false, last.holds};
      task_.holds.push_back({last.thread, last.place});
    } else {
      path_.pop_back();
      continue;
    }
    holds_.set(task_.holds);
    write(plan);
    return true;
  }
  done_ = true;
  return false;
}

void ReadsFromSearch::write(Plan& plan) const {
  plan.policy = Policy{};
  plan.policy.rounds = Rounds::block;
  OrderedPlan steps(plan, run_.first_key());
  for (const Number number : task_.branch.order) {
    const bool is_decided = number == kTheRead;
    const Event& event = is_decided ? path_.back().event : histories_[number].event;
    const std::vector<Departure>& choices = is_decided ? task_.branch.choices : histories_[number].choices;
    steps.add(event, choices, is_decided ? event.index + 1 : histories_[number].events_after);
  }
}

void ReadsFromSearch::begin_again() {
  ++counts_.restarts;
  changes_ = locations_.changes();
  histories_ = Histories();
  histories_max_ = settings_.histories_max;
  path_.clear();
  initial_.clear();
  places_.clear();
  numbers_.clear();
  indices_.clear();
  begun_ = false;
}

// The numbers of histories in all decisions.
template <typename Each>
void ReadsFromSearch::for_each_named(Each each) {
  const auto of_order = [&](std::vector<Number>& order) {
    for (Number& number : order) {
      if (number != kTheRead) each(number);
    }
  };
  for (Decision& decision : path_) {
    of_order(decision.order);
    of_order(decision.causes);
    for (Number& number : decision.graph.last()) each(number);
    for (Number& number : decision.base.last()) each(number);
    for (Branch& branch : decision.branches) {
      of_order(branch.order);
      each(branch.source);
    }
  }
}

// Those that no decision names are forgotten: a search shows ever more steps, but its path has few. They
// have the same order as before, so the search goes on as it would have. REQUIRES: the last execution is not
// needed any more
void ReadsFromSearch::forget_histories() {
  const auto is_history = [&](std::uint64_t source) { return source < histories_.size(); };
  std::vector<bool> marks(histories_.size());
  for_each_named([&](Number number) { marks[number] = true; });
  for (const Decision& decision : path_) {
    for (const std::uint64_t source : decision.known) {
      if (is_history(source)) marks[source] = true;
    }
  }
  const std::size_t before = histories_.size();
  const std::vector<Number> renamed = histories_.keep_only(std::move(marks));
  for_each_named([&](Number& number) { number = renamed[number]; });
  for (Decision& decision : path_) {
    std::set<std::uint64_t> known;
    for (const std::uint64_t source : decision.known)
      known.insert(source < before ? renamed[source] : source);
    decision.known = std::move(known);
  }
  numbers_.clear();
  places_.assign(histories_.size(), 0);
  indices_.assign(histories_.size(), Consistency::kNone);
  histories_max_ = std::max(settings_.histories_max, 2 * histories_.size());
}

void ReadsFromSearch::learn(const Plan&, const Trace& trace) {
  was_class_ = false;
  run_.read(trace, locations_);
  if (not_covered_.empty()) not_covered_ = run_.not_covered();
  if (not_covered_.empty() && run_.depends_on_time()) not_covered_ = "waits that may time out";
  if (not_covered_.empty() && run_.several_create()) not_covered_ = "several threads create threads";
  if (locations_.changes() != changes_) return begin_again();
  number_steps();
  if (!learn_values()) return begin_again();
  const Followed how = followed();
  const bool is_whole = how == Followed::all;
  const bool fails = is_cut_by_failure(trace);
  was_class_ = task_.holds.empty() && (is_whole || (how == Followed::part && fails));
  ++(!task_.holds.empty() ? counts_.held : was_class_ ? counts_.classes : counts_.vain);
  if (how == Followed::other) return;
  if (is_whole) grow();
  for (Decision& decision : path_) offer_all(decision);
  look_for_holds(trace);
  if (fails) hold_what_failed(trace, is_whole);
}

void ReadsFromSearch::number_steps() {
  for (const Number number : numbers_) places_[number] = 0;
  numbers_.clear();
  for (Index i = 0; i < run_.size(); ++i) {
    const ReadsFrom::Step& step = run_[i];
    numbers_.push_back(histories_.number_of(step, numbers_));
    if (places_.size() < histories_.size()) places_.resize(histories_.size());
    places_[numbers_[i]] = i + 1;
    const Event& before = histories_[numbers_[i]].event;
    lost_ = lost_ || !is_same_step(before, step.event) || before.outcome != step.event.outcome;
  }
}

// False: some location has not the value that it was thought to have, so what was foretold may be wrong.
bool ReadsFromSearch::learn_values() {
  bool is_as_thought = true;
  for (Index i = 0; i < run_.size(); ++i) {
    const ReadsFrom::Step& step = run_[i];
    if (!step.reads || !has_value(step.event) || without_values_.contains(step.location)) continue;
    const std::uint64_t value = masked(step.event, step.event.value);
    const Number source = step.source == ReadsFrom::kNone ? Histories::kNone : numbers_[step.source];
    if (source == Histories::kNone) initial_.try_emplace(step.location, value);
    const std::optional<std::uint64_t> thought = value_of(source, step.location);
    if (!thought || masked(step.event, *thought) == value) continue;
    without_values_.insert(step.location);
    is_as_thought = false;
  }
  return is_as_thought;
}

// Nothing: not known.
std::optional<std::uint64_t> ReadsFromSearch::value_of(Number source, std::uint32_t location) const {
  if (locations_.is_object(location) || without_values_.contains(location)) return {};
  if (source != Histories::kNone) {
    const Event& event = histories_[source].event;
    return has_value(event) ? std::optional(event.operand) : std::nullopt;
  }
  const auto initial = initial_.find(location);
  return initial != initial_.end() ? std::optional(initial->second) : std::nullopt;
}

// Whether the execution has the steps of the graph that it was planned for, and no thread went on that was
// held.
ReadsFromSearch::Followed ReadsFromSearch::followed() {
  Followed result = Followed::all;
  // A step that had to wait reads something else later.
  const bool may_wait = task_.decides && path_.back().location != Locations::kNone &&
                        locations_.is_object(path_.back().location);
  auto leaves = [&](bool is_strange) {
    lost_ = lost_ || is_strange;
    result = Followed::other;
  };
  for (const Number number : task_.branch.order) {
    const bool is_decided = number == kTheRead;
    const ThreadId thread = is_decided ? path_.back().thread : histories_[number].event.thread;
    const Count place = is_decided ? path_.back().place : histories_[number].place;
    if (run_.steps_of(thread) <= place) {
      if (result == Followed::all) result = Followed::part;
      continue;
    }
    const Index step = run_.step_of(thread, place);
    const Index source = run_[step].source;
    const Number read_from = source == ReadsFrom::kNone ? Histories::kNone : numbers_[source];
    if (is_decided ? !is_same_step(path_.back().event, run_[step].event) || read_from != task_.branch.source
                   : numbers_[step] != number)
      leaves(result == Followed::all && !task_.branch.is_guess && !(is_decided && may_wait));
  }
  for (const Hold& hold : task_.holds) {
    if (run_.steps_of(hold.thread) > hold.steps) leaves(true);
  }
  return result;
}

// The steps of the last execution that are decided by its plan.
ReadsFrom::Cut ReadsFromSearch::decided() const {
  ReadsFrom::Cut cut;
  for (const Number number : task_.branch.order) {
    if (number == kTheRead) {
      cut.reach(path_.back().thread, path_.back().place + 1);
    } else {
      cut.reach(histories_[number].event.thread, histories_[number].place + 1);
    }
  }
  return cut;
}

// Makes the decisions that are left in the last execution, which is a branch of each.
void ReadsFromSearch::grow() {
  ReadsFrom::Cut cut = decided();
  if (task_.decides) {
    const Decision& last = path_.back();
    const Index step = run_.step_of(last.thread, last.place);
    const std::uint32_t first = last.choice == kSource ? 0 : last.choice + 1;
    for (std::uint32_t i = first; i < run_[step].choices.size(); ++i) decide_choice(step, i, cut);
  }
  for (Index step = 0; step < run_.size(); ++step) {
    const std::size_t choices = run_[step].choices.size();
    if (cut.has(run_[step]) || (!run_[step].reads && choices == 0)) continue;
    decide(step, cut);
    cut.join(run_.past(step));
    for (std::uint32_t i = 0; i < choices; ++i) decide_choice(step, i, cut);
  }
}

void ReadsFromSearch::decide(Index step, const ReadsFrom::Cut& cut) {
  Decision& decision = path_.emplace_back();
  decision.thread = run_[step].event.thread;
  decision.place = run_[step].place;
  decision.event = run_[step].event;
  if (run_[step].reads) decision.location = run_[step].location;
  decision.order = order_of(cut);
  decision.graph = graph_of(cut);
  ReadsFrom::Cut base = cut;
  base.join(run_.past_without_source(step));
  decision.base = graph_of(base);
  const Index previous = run_[step].previous;
  decision.base.set(decision.thread, previous == ReadsFrom::kNone ? Histories::kNone : numbers_[previous]);
  decision.causes = histories_[numbers_[step]].causes;
  decision.holds = task_.holds;
  const Index source = run_[step].source;
  decision.known.insert(source == ReadsFrom::kNone ? Histories::kNone : numbers_[source]);
}

// cut: has the step.
void ReadsFromSearch::decide_choice(Index step, std::uint32_t choice, const ReadsFrom::Cut& cut) {
  const std::vector<ReadsFrom::Choice>& choices = run_[step].choices;
  Decision& decision = path_.emplace_back();
  decision.choice = choice;
  decision.thread = run_[step].event.thread;
  decision.place = run_[step].place;
  decision.event = run_[step].event;
  decision.holds = task_.holds;
  Branch branch;
  branch.order = order_of(cut);
  std::replace(branch.order.begin(), branch.order.end(), numbers_[step], kTheRead);
  const Index source = run_[step].source;
  if (source != ReadsFrom::kNone) branch.source = numbers_[source];
  for (std::uint32_t i = 0; i <= choice; ++i) branch.choices.push_back(choices[i].taken);
  for (const Option& option : choices[choice].options) {
    if (option == choices[choice].taken.option) continue;
    branch.choices.back().option = option;
    decision.branches.push_back(branch);
  }
}

// The steps of the last execution that are in the cut, which is closed: as they came is an order of them.
std::vector<Histories::Number> ReadsFromSearch::order_of(const ReadsFrom::Cut& cut) const {
  std::vector<Number> order;
  for (Index step = 0; step < run_.size(); ++step) {
    if (cut.has(run_[step])) order.push_back(numbers_[step]);
  }
  return order;
}

Graph ReadsFromSearch::graph_of(const ReadsFrom::Cut& cut) const {
  Graph graph;
  for (ThreadId thread = 0; thread < cut.threads(); ++thread) {
    if (cut[thread] != 0) graph.set(thread, numbers_[run_.step_of(thread, cut[thread] - 1)]);
  }
  return graph;
}

void ReadsFromSearch::offer_all(Decision& decision) {
  if (decision.location == Locations::kNone) return;
  offer(decision, ReadsFrom::kNone);
  for (Index step = 0; step < run_.size(); ++step) {
    if (run_[step].writes && run_[step].location == decision.location) offer(decision, step);
  }
}

// store: kNone: the initial value.
void ReadsFromSearch::offer(Decision& decision, Index store) {
  const bool is_initial = store == ReadsFrom::kNone;
  if (!is_initial && run_.past(store)[decision.thread] > decision.place) return;
  const Number source = is_initial ? Histories::kNone : numbers_[store];
  // No two steps update the same.
  const Index update = is_initial ? run_.first_update(decision.location) : run_[store].updated_by;
  if (update != ReadsFrom::kNone && writes(decision, source) == Writes::yes &&
      decision.base.has(run_[update].event.thread, run_[update].place, histories_))
    return;
  std::uint64_t name = source;
  if (!settings_.tells_pasts_apart && !is_initial)
    name = std::uint64_t{run_[store].event.thread} << 32 | (run_[store].place + 1) | std::uint64_t{1} << 63;
  if (!decision.known.insert(name).second || !may_read(decision, source)) return;
  Graph graph = decision.base;
  if (!is_initial) graph.join(graph_of(run_.past(store)), histories_);
  plan_branch(decision, graph, source);
}

// False: the step would have to wait there. Others that would have to are found out by running them.
bool ReadsFromSearch::may_read(const Decision& decision, Number source) const {
  if (source == Histories::kNone) return true;
  const Operation operation = decision.event.operation;
  if (operation != Operation::lock && operation != Operation::shared_lock) return true;
  const Event& before = histories_[source].event;
  const bool locks = before.operation == Operation::lock ||
                     (before.operation == Operation::try_lock && before.outcome == Outcome::done);
  return !locks || before.object != decision.event.object || before.thread == decision.thread;
}

// Whether the step, which reads from there, writes as well.
ReadsFromSearch::Writes ReadsFromSearch::writes(const Decision& decision, Number source) const {
  const Operation operation = decision.event.operation;
  if (operation == Operation::load || operation == Operation::racy_load) return Writes::no;
  if (locations_.is_object(decision.location)) return Writes::yes;
  const std::optional<std::uint64_t> value = value_of(source, decision.location);
  if (!value || !has_value(decision.event)) return Writes::unknown;
  return outcome_on(decision.event, *value) == Outcome::done ? Writes::yes : Writes::no;
}

void ReadsFromSearch::plan_branch(Decision& decision, const Graph& graph, Number source) {
  const Writes writes_too = writes(decision, source);
  Branch branch;
  branch.source = source;
  Consistency::Answer answer = order(decision, graph, source, writes_too != Writes::no, branch.order);
  if (writes_too == Writes::unknown && answer == Consistency::Answer::impossible) {
    branch.is_guess = true;
    answer = order(decision, graph, source, false, branch.order);
  }
  if (answer == Consistency::Answer::undecided) ++counts_.undecided;
  if (answer == Consistency::Answer::ordered) decision.branches.push_back(std::move(branch));
}

// The graph's steps, and the step that is decided, as the last execution had them, with that one behind its
// source.
std::vector<Histories::Number> ReadsFromSearch::by_preference(const Graph& graph, const Decision& decision,
                                                              Number source) const {
  std::vector<std::array<std::uint32_t, 3>> steps;  // where it stands, behind that, its number
  auto where = [&](Number number) {
    return places_[number] != 0 ? places_[number] : run_.size() + 1 + histories_[number].place;
  };
  for (ThreadId thread = 0; thread < graph.threads(); ++thread) {
    for (Number each = graph[thread]; each != Histories::kNone; each = histories_[each].previous)
      steps.push_back({where(each), 0, each});
  }
  std::uint32_t behind = source != Histories::kNone ? where(source) : 0;
  if (graph[decision.thread] != Histories::kNone) behind = std::max(behind, where(graph[decision.thread]));
  steps.push_back({behind, 1, kTheRead});
  std::sort(steps.begin(), steps.end());
  std::vector<Number> numbers;
  for (const auto& step : steps) numbers.push_back(step[2]);
  return numbers;
}

Consistency::Answer ReadsFromSearch::order(const Decision& decision, const Graph& graph, Number source,
                                           bool writes_too, std::vector<Number>& order) {
  ++counts_.checks;
  const std::vector<Number> steps = by_preference(graph, decision, source);
  indices_.resize(std::max(indices_.size(), histories_.size()), Consistency::kNone);
  for (Index i = 0; i < steps.size(); ++i) {
    if (steps[i] != kTheRead) indices_[steps[i]] = i;
  }
  std::vector<Consistency::Node> nodes(steps.size());
  std::vector<std::uint32_t> local;  // locations, by their number in the check
  auto number_of = [&](std::uint32_t location) {
    const auto number = std::find(local.begin(), local.end(), location) - local.begin();
    if (number == std::ssize(local)) local.push_back(location);
    return static_cast<std::uint32_t>(number);
  };
  for (Index i = 0; i < steps.size(); ++i) {
    Consistency::Node& node = nodes[i];
    if (steps[i] == kTheRead) {
      node.thread = decision.thread;
      node.location = number_of(decision.location);
      node.reads = true;
      node.writes = writes_too;
      if (source != Histories::kNone) node.source = indices_[source];
      for (const Number cause : decision.causes) node.causes.push_back(indices_[cause]);
      continue;
    }
    const Histories::Entry& entry = histories_[steps[i]];
    node.thread = entry.event.thread;
    node.reads = entry.reads;
    node.writes = entry.writes;
    if (node.reads || node.writes) node.location = number_of(entry.location);
    if (entry.source != Histories::kNone) node.source = indices_[entry.source];
    for (const Number cause : entry.causes) node.causes.push_back(indices_[cause]);
  }
  for (const Number step : steps) {
    if (step != kTheRead) indices_[step] = Consistency::kNone;
  }
  const Consistency::Answer answer = consistency_.check(nodes, settings_.cuts_max);
  if (answer != Consistency::Answer::ordered) return answer;
  order.clear();
  for (const Index i : consistency_.order()) order.push_back(steps[i]);
  return answer;
}

bool ReadsFromSearch::is_held(ThreadId thread) const {
  return std::any_of(task_.holds.begin(), task_.holds.end(), [&](const Hold& hold) {
    return hold.thread == thread && run_.steps_of(thread) >= hold.steps;
  });
}

void ReadsFromSearch::look_for_holds(const Trace& trace) {
  if (!settings_.holds) return;
  for (Decision& decision : path_) decision.needs_hold = decision.needs_hold || needs_hold(decision, trace);
}

// Whether some step of another thread reads what the decided step has written, or waits for it, though it
// need not come after it.
bool ReadsFromSearch::needs_hold(const Decision& decision, const Trace& trace) const {
  if (decision.location == Locations::kNone || run_.steps_of(decision.thread) <= decision.place) return false;
  const Index decided = run_.step_of(decision.thread, decision.place);
  if (!run_[decided].writes) return false;
  const bool is_object = locations_.is_object(decision.location);
  for (Index i = decided + 1; i < run_.size(); ++i) {
    const ReadsFrom::Step& step = run_[i];
    if (step.location != decision.location || step.event.thread == decision.thread) continue;
    if (is_object ? !run_.past(i).has(run_[decided]) : step.source != decided) continue;
    if (!run_.causal(i).has(run_[decided])) return true;
  }
  return std::any_of(trace.pending.begin(), trace.pending.end(), [&](const PendingOperation& pending) {
    return pending.thread != decision.thread && !is_held(pending.thread) &&
           locations_.find(event_of(pending)) == decision.location &&
           !run_.causal_of_next(pending.thread).has(run_[decided]);
  });
}

// A failure came when the last of the steps was done that the thread's failing needs: its own last one, and
// those of threads that it has joined. What the others can do while one of them is held was not seen.
void ReadsFromSearch::hold_what_failed(const Trace& trace, bool is_whole) {
  if (!settings_.holds) return;
  const ThreadId failed = trace.end == End::bug ? trace.failure.thread : trace.last;
  const ReadsFrom::Cut needed = run_.causal_of_next(failed);
  std::vector<Index> last;
  for (ThreadId thread = 0; thread < run_.threads(); ++thread) {
    const Count steps = run_.steps_of(thread);
    if (steps != 0 && needed[thread] == steps) last.push_back(run_.step_of(thread, steps - 1));
  }
  for (const Index step : last) {
    const bool is_needed_before = std::any_of(last.begin(), last.end(), [&](Index other) {
      return other != step && run_.causal(other).has(run_[step]);
    });
    if (!is_needed_before) hold(step, is_whole);
  }
}

// Everything is explored once more with the step's thread held before it, as far as it is not decided that
// the step is done.
void ReadsFromSearch::hold(Index step, bool is_whole) {
  for (Decision& decision : path_) {
    if (decision.choice != kSource || decision.thread != run_[step].event.thread ||
        decision.place != run_[step].place)
      continue;
    decision.needs_hold = true;
    return;
  }
  if (!is_whole) return;
  ReadsFrom::Cut cut = decided();
  for (Index i = 0; i < run_.size(); ++i) {
    if (run_[i].reads || !run_[i].choices.empty()) cut.join(run_.past(i));
  }
  if (cut.has(run_[step])) return;
  decide(step, cut);
  path_.back().location = Locations::kNone;
  path_.back().needs_hold = true;
}

Guarantee ReadsFromSearch::guarantee() const {
  Guarantee guarantee;
  guarantee.exhausted = done_ && problem().empty();
  guarantee.covers = Covers::assertions;
  return guarantee;
}

std::string ReadsFromSearch::problem() const {
  if (is_lost()) return "internal: an execution left the reads-from class that it was planned for";
  if (!not_covered_.empty())
    return "classes by reads-from do not cover " + not_covered_ + "; take --strategy dpor";
  if (counts_.undecided == 0) return "";
  return std::to_string(counts_.undecided) + (counts_.undecided == 1 ? " class" : " classes") + " undecided";
}

Progress ReadsFromSearch::progress() {
  Progress progress;
  for (const Decision& decision : path_) progress.waiting += decision.branches.size();
  if (done_) progress.done = 1;
  return progress;
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/mcr_classic.hpp"

#include <algorithm>
#include <chrono>
#include <unordered_map>

namespace thrum {

// All that is asked of one execution.
class McrClassic::Questions {
 public:
  using Node = ThreadTrees::Node;
  using Literal = Solver::Literal;
  using Branch = TracePath::Branch;

  Questions(const TracePath& path, const Seed& seed, const Settings& settings, Terms& terms,
            const InitialState& initial);

  // Each branch behind the seed, with each value that it did not have.
  std::vector<Question> all(const std::shared_ptr<const TracePath>& path, const Seed& seed) const;

  Solver::Answer ask(const Question& question);
  // If it can: the seed that makes it so.
  Seed seed_of(const Question& question);
  Plan plan() { return encoding_.plan_of(encoding_.steps()); }

  std::uint64_t queries() const { return encoding_.queries(); }
  const std::string& not_covered() const { return encoding_.not_covered(); }

 private:
  void do_whole_steps();
  void begin_with(const Seed& seed, bool keeps_order);
  Node target_of(const Question& question) const;
  std::vector<Literal> assumptions_of(const Question& question);
  const Branch& branch(const Question& question) const {
    return path_.branches(question.thread)[question.branch];
  }
  bool is_decision(const Branch& branch) const {
    return trees_[branch.place].kind == ThreadTrees::Kind::decision;
  }

  const TracePath& path_;
  const ThreadTrees& trees_;
  Solver::Limit limit_;
  TraceEncoding encoding_;
  std::vector<Node> steps_;                     // of all threads
  std::unordered_map<Node, Literal> is_asked_;  // by decision: it may have another value
  std::vector<bool> is_in_seed_;                // by node
};

McrClassic::Questions::Questions(const TracePath& path, const Seed& seed, const Settings& settings,
                                 Terms& terms, const InitialState& initial)
    : path_(path),
      trees_(path.trees()),
      limit_(settings.limit),
      encoding_(Deciding::values, path, terms, initial, settings.make_solver(terms)),
      is_in_seed_(trees_.size(), false) {
  for (ThreadId thread = 0; thread < path.threads(); ++thread) {
    for (const Node step : path.steps(thread)) steps_.push_back(step);
  }
  do_whole_steps();
  begin_with(seed, settings.keeps_order);
}

// A read gives what it gave, but for the one that is asked about.
void McrClassic::Questions::do_whole_steps() {
  NodeEncoding& nodes = encoding_.nodes();
  for (ThreadId thread = 0; thread < path_.threads(); ++thread) {
    for (const Branch& branch : path_.branches(thread)) {
      if (!is_decision(branch)) continue;
      const Literal is_asked = nodes.solver().make_literal();
      is_asked_.emplace(branch.place, is_asked);
      nodes.add({-nodes.executed(branch.place), nodes.executed(branch.taken), is_asked});
    }
  }
}

void McrClassic::Questions::begin_with(const Seed& seed, bool keeps_order) {
  NodeEncoding& nodes = encoding_.nodes();
  std::vector<std::vector<Node>> steps;
  for (ThreadId thread = 0; thread < path_.threads(); ++thread) steps.push_back(path_.steps(thread));
  std::vector<std::size_t> done(steps.size(), 0);
  Node last = ThreadTrees::kNone;
  for (const ThreadId thread : seed.order) {
    const Node step = steps[thread][done[thread]++];
    is_in_seed_[step] = true;
    nodes.add({nodes.executed(step)});
    if (keeps_order && last != ThreadTrees::kNone) nodes.add({nodes.precedes(last, step)});
    last = step;
  }
  for (std::size_t thread = 0; thread < seed.ways.size(); ++thread) {
    const std::size_t branches =
        seed.ways[thread].values.size() + (seed.ways[thread].excluded.empty() ? 0 : 1);
    const std::span<const Branch> own = path_.branches(static_cast<ThreadId>(thread));
    for (const Branch& branch : own.first(branches)) nodes.add({nodes.executed(branch.taken)});
  }
  for (const Node step : steps_) {
    if (keeps_order && last != ThreadTrees::kNone && !is_in_seed_[step])
      nodes.add({-nodes.executed(step), nodes.precedes(last, step)});
  }
}

std::vector<McrClassic::Question> McrClassic::Questions::all(const std::shared_ptr<const TracePath>& path,
                                                             const Seed& seed) const {
  std::vector<Question> questions;
  for (ThreadId thread = 0; thread < path_.threads(); ++thread) {
    const ThreadWay way = thread < seed.ways.size() ? seed.ways[thread] : ThreadWay{};
    const std::span<const Branch> own = path_.branches(thread);
    for (std::size_t i = way.values.size() + (way.excluded.empty() ? 0 : 1); i < own.size(); ++i) {
      std::vector<std::uint64_t> values = own[i].others;
      bool is_all = true;
      if (is_decision(own[i])) {
        const Node read = trees_[own[i].place].parent;
        values = encoding_.data().values(read);
        is_all = encoding_.data().knows_initial(read);
      }
      for (const std::uint64_t value : values) {
        if (value != own[i].value) questions.push_back({path, seed, thread, i, value});
      }
      if (!is_all) questions.push_back({path, seed, thread, i, {}});
    }
  }
  return questions;
}

// The decision; of an operation, the way that it did not go.
McrClassic::Questions::Node McrClassic::Questions::target_of(const Question& question) const {
  const Branch& own = branch(question);
  if (is_decision(own)) return own.place;
  Node way = trees_[own.place].first_child;
  while (trees_[way].kind != ThreadTrees::Kind::event || way_of(trees_.operation(way)) != question.value)
    way = trees_[way].next_sibling;
  return way;
}

// That comes last, and with another value.
std::vector<Solver::Literal> McrClassic::Questions::assumptions_of(const Question& question) {
  NodeEncoding& nodes = encoding_.nodes();
  std::vector<Literal> assumptions = encoding_.needs();
  for (const auto& [decision, is_asked] : is_asked_) {
    const bool is_target = decision == branch(question).place;
    assumptions.push_back(is_target ? is_asked : -is_asked);
  }
  const Node target = target_of(question);
  assumptions.push_back(nodes.executed(target));
  if (is_decision(branch(question))) {
    const Node read = trees_[target].parent;
    if (question.value) {
      assumptions.push_back(encoding_.data().gives(read, *question.value));
    } else {
      for (const std::uint64_t value : encoding_.data().values(read))
        assumptions.push_back(-encoding_.data().gives(read, value));
    }
  }
  const Literal is_last = nodes.solver().make_literal();
  for (const Node step : steps_) {
    if (step != trees_[target].step)
      nodes.add({-is_last, -nodes.executed(step), nodes.precedes(step, target)});
  }
  assumptions.push_back(is_last);
  return assumptions;
}

// First without all steps that it may not need, then with those that the solver's cores name.
Solver::Answer McrClassic::Questions::ask(const Question& question) {
  const std::vector<Literal> always = assumptions_of(question);
  const Node target = target_of(question);
  std::vector<Literal> left_out;
  for (Node node = 0; node < trees_.size(); ++node) {
    const bool is_needed = is_in_seed_[node] || node == trees_[target].step || trees_.is_before(node, target);
    if (trees_.begins_step(node) && !is_needed && trees_[node].parent != ThreadTrees::kNone)
      left_out.push_back(-encoding_.nodes().executed(node));
  }
  for (;;) {
    std::vector<Literal> assumptions = always;
    assumptions.insert(assumptions.end(), left_out.begin(), left_out.end());
    const Solver::Answer answer = encoding_.solve(assumptions, limit_);
    if (answer != Solver::Answer::unsatisfiable) return answer;
    const std::vector<Literal>& core = encoding_.solver().core();
    const auto is_in_core = [&](Literal literal) { return std::ranges::count(core, literal) != 0; };
    if (std::erase_if(left_out, is_in_core) == 0) return answer;
  }
}

McrClassic::Seed McrClassic::Questions::seed_of(const Question& question) {
  NodeEncoding& nodes = encoding_.nodes();
  const auto is_executed = [&](Node node) { return nodes.solver().is_true(nodes.executed(node)); };
  Seed seed;
  for (const Node step : encoding_.steps()) {
    if (trees_[step].kind == ThreadTrees::Kind::event) seed.order.push_back(trees_[step].thread);
  }
  for (ThreadId thread = 0; thread < path_.threads(); ++thread) {
    ThreadWay& way = seed.ways.emplace_back();
    const std::span<const Branch> own = path_.branches(thread);
    for (std::size_t i = 0; i < own.size() && is_executed(own[i].taken); ++i)
      way.values.push_back(own[i].value);
    if (thread != question.thread) continue;
    if (question.value) {
      way.values.push_back(*question.value);
    } else {
      way.excluded = encoding_.data().values(trees_[branch(question).place].parent);
    }
  }
  return seed;
}

Wanted McrClassic::wanted() const {
  return {Wanted::kChoices | Wanted::kEvents | Wanted::kAccesses, Wanted::From::start, 0};
}

std::string McrClassic::problem() const {
  if (!not_covered_.empty()) return not_covered_;
  return "the published algorithm may miss values (docs/causality.md)";
}

SearchStatistics McrClassic::statistics() const {
  CausalityStatistics own;
  own.restarts = counts_.restarts;
  own.undecided = counts_.unknown + counts_.missed;
  own.queries = counts_.queries;
  own.satisfiable = counts_.satisfiable;
  own.unknown = counts_.unknown;
  own.unsatisfiable = own.queries - own.satisfiable - own.unknown;
  own.seconds = counts_.seconds;
  SearchStatistics statistics;
  statistics.causality = own;
  return statistics;
}

bool McrClassic::next(Plan& plan) {
  if (!begun_) {
    begun_ = true;
    plan = {};
    return true;
  }
  if (work_.empty()) return false;
  running_ = std::move(work_.back());
  work_.pop_back();
  plan = running_.plan;
  return true;
}

void McrClassic::learn(const Plan&, const Trace& trace) {
  if (trace.grew) begin_again();
  const auto begin = std::chrono::steady_clock::now();
  ask_about(trace);
  counts_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Accesses are missing in the executions before. This one was run for none of the seeds.
void McrClassic::begin_again() {
  ++counts_.restarts;
  initial_ = InitialState();
  work_.clear();
  pushed_.clear();
  running_ = Work();
}

void McrClassic::ask_about(const Trace& trace) {
  const auto path = std::make_shared<const TracePath>(Deciding::values, initial_, terms_, trace);
  if (not_covered_.empty()) not_covered_ = path->not_covered();
  if (!not_covered_.empty()) {
    work_.clear();
    return;
  }
  if (path->goes(running_.seed.ways)) {
    Questions questions(*path, running_.seed, settings_, terms_, initial_);
    not_covered_ = questions.not_covered();
    if (!not_covered_.empty()) return work_.clear();
    for (const Question& question : questions.all(path, running_.seed)) ask(question, questions);
    counts_.queries += questions.queries();
    return;
  }
  ++counts_.missed;
  pushed_.erase(running_.seed.ways);
  if (initial_.size() == running_.known) return;
  const Question again = running_.question;
  Questions questions(*again.path, again.seed, settings_, terms_, initial_);
  ask(again, questions);
  counts_.queries += questions.queries();
}

void McrClassic::ask(const Question& question, Questions& questions) {
  const Solver::Answer answer = questions.ask(question);
  counts_.unknown += answer == Solver::Answer::unknown ? 1 : 0;
  if (answer != Solver::Answer::satisfiable) return;
  ++counts_.satisfiable;
  Work work{questions.plan(), questions.seed_of(question), question, initial_.size()};
  if (pushed_.insert(work.seed.ways).second) work_.push_back(std::move(work));
}

}  // namespace thrum

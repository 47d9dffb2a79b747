// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/causality_search.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "causality/list_decisions.hpp"
#include "causality/planned_steps.hpp"
#include "support/check.hpp"
#include "support/hash.hpp"
#include "support/members.hpp"

namespace thrum {

namespace {

constexpr std::uint64_t kBytesOfState = 64;  // that was met

// What the search does next must not hang on how fast the machine is. So these stand for time: what is done
// in a second, on a virtual machine with two slow processors (bench/causality). Executions of the program may
// be faster or slower by ten times.
constexpr double kStatesASecond = 1e6;
constexpr double kWorkASecond = 8e6;  // of the solver
constexpr double kClausesASecond = 1e6;
constexpr double kExecutionsASecond = 2e5;
// A walk, and what an execution takes longer since all of it is recorded.
constexpr double kPlanSeconds = 2e-4;
constexpr double kSolverSeconds = 0.03;    // to make it
constexpr double kQuestionSeconds = 0.02;  // most take less
constexpr double kTurnSeconds = 0.25;      // of the solver, where it takes turns with the states, at first

// Or frees it, or does so where nothing orders the two: then the judge sees a data race.
bool uses_freed(const Trace& trace) {
  if (trace.end != End::bug) return false;
  const BugKind kind = trace.failure.kind;
  return kind == BugKind::use_after_free || kind == BugKind::double_free || kind == BugKind::data_race;
}

bool is_stuck(const Trace& trace) {
  const BugKind kind = trace.failure.kind;
  return trace.end == End::bug && (kind == BugKind::deadlock || kind == BugKind::livelock);
}

}  // namespace

CausalitySearch::CausalitySearch(Settings settings)
    : settings_(std::move(settings)),
      team_(std::make_shared<CausalityTeam>(settings_.may_be_helped)),
      terms_(settings_.terms ? settings_.terms : &own_terms_),
      knowledge_(settings_.deciding, *terms_, settings_.make_solver, settings_.limit.interrupt,
                 settings_.clauses_at_once),
      walk_(knowledge_.trees(), knowledge_.initial()),
      states_(knowledge_.trees(), knowledge_.initial()),
      states_max_(settings_.states_max),
      question_seconds_(settings_.seconds_at_first > 0 ? kQuestionSeconds : kTurnSeconds),
      seconds_granted_(settings_.seconds_at_first) {
  if (!settings_.sees_plain) problem_ = "plain accesses are not seen where data races are ignored";
}

CausalitySearch::CausalitySearch(Settings settings, std::shared_ptr<CausalityTeam> team)
    : CausalitySearch(std::move(settings)) {
  team_ = std::move(team);
  member_ = team_->join(settings_.limit.interrupt);
  if (const std::string beginning = team_->beginning(); !beginning.empty()) {
    ByteReader in(beginning);
    load_members(in, members(*this));
    THRUM_CHECK(in.ok());
    counts_ = {};
  }
  begun_ = true;
  walk_.set_random_state(mixed(walk_.random_state(), member_));
}

std::unique_ptr<CausalitySearch> CausalitySearch::helper(Interrupt* interrupt) const {
  THRUM_CHECK(settings_.may_be_helped && settings_.deciding == Deciding::values);
  Settings own = settings_;
  own.limit.interrupt = interrupt;
  return std::unique_ptr<CausalitySearch>(new CausalitySearch(std::move(own), team_));
}

Wanted CausalitySearch::wanted() const {
  Wanted::Set what = Wanted::kChoices | Wanted::kEvents | Wanted::kAccesses;
  if (settings_.deciding == Deciding::terms) what |= Wanted::kTerms | Wanted::kDecisions;
  return {what, Wanted::From::start, 0};
}

template <typename Question>
Solver::Answer CausalitySearch::ask_about(const Question& question) {
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t work = encoding().solver().work();
  Solver::Limit limit = settings_.limit;
  const bool states_may_say = !leads() || (!knows_all_states() && can_look_at_states());
  const bool may_be_cut = settings_.seconds_at_first > 0 || states_may_say;
  const std::uint32_t work_most = limit.work == 0 ? UINT32_MAX : limit.work;
  const double work_now = std::min(question_seconds_ * kWorkASecond, static_cast<double>(work_most));
  if (may_be_cut) limit.work = static_cast<std::uint32_t>(work_now);
  const std::uint64_t others = trees().bytes();
  if (settings_.memory_max != ~std::uint64_t{0})
    limit.bytes = settings_.memory_max - std::min(others, settings_.memory_max - 1);
  const Solver::Answer answer = encoding().solve(question, limit);
  is_cut_ = may_be_cut && limit.work < work_most && answer == Solver::Answer::unknown && !is_interrupted() &&
            !encoding().solver().lacked_memory();
  if (is_cut_) question_seconds_ *= 2;
  counts_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  counts_.work += encoding().solver().work() - work;
  ++counts_.queries;
  switch (answer) {
    case Solver::Answer::satisfiable: ++counts_.satisfiable; break;
    case Solver::Answer::unsatisfiable: ++counts_.unsatisfiable; break;
    case Solver::Answer::unknown: ++counts_.unknown; break;
  }
  return answer;
}

bool CausalitySearch::is_open(Node node) const { return !std::ranges::binary_search(given_up_, node); }

// A target that can be reached, with its execution in the solver; none: there is none, or nobody knows, or
// others ask. What the solver gives up on is asked again in smaller groups. By then it may have lost clauses,
// so it is made again.
CausalitySearch::Target CausalitySearch::ask() {
  if (leads()) team_->let_solvers_ask();
  while (true) {
    std::vector<Target> open;
    std::vector<Node> nodes;
    for (const Target& target : encoding().targets()) {
      if (!is_open(target.node) || std::ranges::find(unsolved_, target.node) != unsolved_.end()) continue;
      open.push_back(target);
      nodes.push_back(target.node);
    }
    open_ = open.size();
    CausalityTeam::Share share = team_->share_of(member_, nodes);
    waits_ = share.targets.empty() && share.others_ask;
    if (share.targets.empty() || is_interrupted()) return {};
    share.targets.resize(std::min(share.targets.size(), group_max_));
    std::erase_if(open, [&](const Target& target) {
      return std::ranges::find(share.targets, target.node) == share.targets.end();
    });
    const Solver::Answer answer = ask_about(std::span<const Target>(open));
    if (answer == Solver::Answer::satisfiable) return encoding().reached(open);
    if (answer == Solver::Answer::unsatisfiable) {
      team_->settle(member_, share.targets);
      continue;
    }
    if (is_interrupted()) return {};
    const bool lacks_memory = encoding().solver().lacked_memory();
    if (!is_cut_ && (open.size() == 1 || lacks_memory)) {
      give_up_on("something that a thread might do");
      unsolved_.push_back(open[0].node);
      if (lacks_memory || settings_.ends_undecided) return {};
    }
    knowledge_.spoil_encoding();
    if (is_cut_) return {};
    group_max_ = std::max<std::size_t>(open.size() / 2, 1);
  }
}

// Asked when nothing else is left: an execution that ends by the misuse of a lock.
bool CausalitySearch::ask_for_misuse() {
  FinalStates& ends = encoding().final_states();
  for (const Node known : misuses_) ends.exclude_misuse(known);
  if (!ends.can_be_misused() || !is_possible(ends.is_misuse())) return false;
  misuse_ = ends.misuse();
  return true;
}

// Asked then: an execution that ends in a deadlock that none has shown.
bool CausalitySearch::ask_for_deadlock() {
  FinalStates& ends = encoding().final_states();
  for (const std::set<std::uint64_t>& known : deadlocks_) ends.exclude_deadlock(known);
  for (const std::vector<Node>& lasts : in_vain_) ends.exclude_vain(lasts);
  return is_possible(ends.is_deadlock());
}

// Asked then: an execution that uses memory behind its end.
bool CausalitySearch::ask_for_use_of_freed() {
  FreedQuery& freed = encoding().freed();
  const std::optional<Solver::Literal> some = freed.some_use(uses_of_freed_);
  if (!some || !is_possible(Encoding::WithStops{*some})) return false;
  freed_ = freed.found();
  freed_places_ = FreedQuery::places_of(trees(), freed_);
  return true;
}

// Of a race that was shown, or denied, another one of the same operations is not looked for.
bool CausalitySearch::ask_for_race() {
  RaceQuery& races = encoding().races();
  for (const RaceQuery::Pair& known : races_) races.exclude(known);
  const std::optional<Solver::Literal> some = races.some_race();
  if (!some || !is_possible(Encoding::WithStops{*some})) return false;
  race_ = races.found();
  return true;
}

bool CausalitySearch::ask_for_path() {
  if (!settings_.all_paths) return false;
  FinalStates& ends = encoding().final_states();
  for (const std::vector<Node>& known : paths_) ends.exclude(known);
  return is_possible(ends.is_maximal());
}

template <typename Question>
bool CausalitySearch::is_possible(const Question& question) {
  const Solver::Answer answer = ask_about(question);
  if (answer == Solver::Answer::unknown && !is_interrupted() && !is_cut_)
    give_up_on("what threads might do together");
  if (is_cut_) knowledge_.spoil_encoding();
  return answer == Solver::Answer::satisfiable;
}

constexpr const char* kTooLittleMemory = "what is known of the program does not fit into --search-memory";

void CausalitySearch::give_up_on(const char* what) {
  problem_ =
      encoding().solver().lacked_memory() ? kTooLittleMemory : std::string("the solver gave up on ") + what;
}

void CausalitySearch::look_at_memory() {
  if (leads() && problem_.empty() && knowledge_.bytes() + team_->bytes_besides() > settings_.memory_max)
    problem_ = kTooLittleMemory;
}

bool CausalitySearch::is_interrupted() const {
  return settings_.limit.interrupt != nullptr && settings_.limit.interrupt->is_raised();
}

std::string CausalitySearch::problem() const {
  return is_interrupted() && problem_.empty() ? "it was interrupted while the solver was at work" : problem_;
}

// Whether data races or uses of freed memory have to be looked for, as far as the trees alone say.
bool CausalitySearch::may_race() const {
  const RaceCandidates candidates(trees());
  return (settings_.races && !candidates.races().empty()) || !candidates.uses_of_freed().empty();
}

bool CausalitySearch::next(Plan& plan) {
  while (true) {
    team_->rest(member_);
    const std::uint64_t seen = team_->changes();
    catch_up();
    take_back();
    plan = Plan{};
    task_ = Task::target;
    target_ = ThreadTrees::kNone;
    waits_ = is_announcing_ = false;
    const bool found = find(plan);
    team_->tell(member_, counts_, knowledge_.bytes());
    if (found) {
      planned_behind_ = knowledge_.changes();
      team_->runs_for(member_, target_);
      return true;
    }
    if (done_ && leads() && settings_.waits) team_->end_questions();
    team_->rest(member_);
    waits_ = waits_ && !is_interrupted();
    if (!waits_ || !settings_.waits) return false;
    team_->await_change(seen, settings_.limit.interrupt);
  }
}

bool CausalitySearch::find(Plan& plan) {
  if (done_) return false;
  if (!begun_) {
    begun_ = true;
    plan.policy.rounds = Rounds::block;
    return true;
  }
  look_at_memory();
  is_cut_ = false;
  if (!leads()) return help(plan);
  bool found = false;
  do {
    is_cut_ = false;
    found = lead(plan);
    if (is_cut_) team_->rest(member_);
  } while (!found && is_cut_);
  return found;
}

bool CausalitySearch::lead(Plan& plan) {
  if (problem_.empty() && (take_offer(plan) || find_by_walk(plan) || find_among_states(plan))) return true;
  if (waits_) return false;
  const bool needs_no_solver =
      knows_all_states() && !settings_.all_paths && (is_free_of_races() || !may_race());
  if (!needs_no_solver && problem_.empty() && can_be_encoded() && announces(seconds_of_question(), plan))
    return true;
  if (!needs_no_solver) begin_to_ask();
  if (problem_.empty() && !knows_all_states() && !is_interrupted() && find_target(plan)) return true;
  std::vector<Node> steps;
  if (problem_.empty() && !waits_ && !is_cut_ && !is_denied_ && !needs_no_solver && !is_interrupted())
    steps = ask_for_more();
  if (is_cut_) return false;
  if (!steps.empty()) plan = knowledge_.plan_of(steps);
  if (is_interrupted()) {
    knowledge_.spoil_encoding();
    return false;
  }
  done_ = !waits_ && steps.empty() && team_->close();
  waits_ = steps.empty() && !done_;
  if (done_ && problem_.empty() && (is_denied_ || !given_up_.empty()))
    problem_ = "executions did not do what was foreseen";
  return !steps.empty();
}

bool CausalitySearch::help(Plan& plan) {
  done_ = team_->is_closed();
  if (done_) return false;
  waits_ = true;
  if (trees().size() == 0) return false;
  if (problem_.empty() && (take_offer(plan) || find_by_walk(plan))) return true;
  if (team_->may_solvers_ask() && can_be_encoded()) {
    begin_to_ask();
    if (problem_.empty() && !is_interrupted() && find_target(plan)) return true;
  }
  if (is_interrupted()) knowledge_.spoil_encoding();
  waits_ = true;
  return false;
}

void CausalitySearch::begin_to_ask() {
  if (!problem_.empty() || is_interrupted()) return;
  if (can_be_encoded()) {
    encoding();
    problem_ = knowledge_.problem();
    look_at_memory();
  } else {
    problem_ = "there are too many writes that reads may come behind, and too many states";
  }
}

bool CausalitySearch::find_target(Plan& plan) {
  target_ = ask().node;
  if (target_ == ThreadTrees::kNone) return false;
  plan = knowledge_.plan_of(encoding().steps_up_to(target_));
  return true;
}

// Whether a walk has found something. Where walks go astray, they are of no use; and the rarer they find
// something, the shorter they are.
bool CausalitySearch::find_by_walk(Plan& plan) {
  constexpr std::uint64_t kStepsMin = 500;
  constexpr std::uint64_t kStepsMax = 20'000;  // about a millisecond
  constexpr std::uint64_t kStrayedMax = 8;
  const bool strays = counts_.strayed >= kStrayedMax && counts_.strayed > counts_.walked / 4;
  if (!settings_.walks || settings_.deciding != Deciding::values || strays) return false;
  const std::vector<Node> steps = walk_.find(walk_steps_);
  walk_steps_ = steps.empty() ? std::max(walk_steps_ / 2, kStepsMin) : std::min(walk_steps_ * 2, kStepsMax);
  if (steps.empty()) return false;
  task_ = Task::walk;
  ++counts_.walked;
  write_steps(plan, trees(), steps, [&](Node signal) { return walk_.chosen_by(signal); });
  return true;
}

// Whether what comes next costs more than has been told. Then that is told, with the first execution once
// more.
bool CausalitySearch::announces(double seconds, Plan& plan) {
  if (settings_.seconds_at_first == 0 || seconds <= seconds_granted_) return false;
  seconds_granted_ = seconds;
  is_announcing_ = true;
  plan = Plan{};
  plan.policy.rounds = Rounds::block;
  return true;
}

// With all that comes before it.
double CausalitySearch::seconds_of_question() const {
  const bool has_solver = knowledge_.encodings() > 0;
  return question_seconds_ + seconds_to_encode() + (has_solver ? 0 : kSolverSeconds);
}

double CausalitySearch::seconds_to_encode() const {
  const double clauses =
      expected_clauses(trees(), settings_.clauses_at_once) - static_cast<double>(knowledge_.clauses());
  return std::max(clauses, 0.0) / kClausesASecond;
}

// Whether more of the states can be looked at, and there is something to be seen.
bool CausalitySearch::can_look_at_states() const {
  const bool is_possible =
      settings_.states_max != 0 && settings_.deciding == Deciding::values && !settings_.all_paths;
  const std::uint64_t states_max = std::min(settings_.states_most, settings_.memory_max / kBytesOfState / 2);
  const bool has_seen_all = looked_at_ == knowledge_.changes() && !were_too_many_;
  return is_possible && knows_races_ && states_max_ <= states_max && !has_seen_all;
}

// If that has led to nothing for as long as the solver takes, it is the solver's turn, unless there would be
// too many clauses for it.
bool CausalitySearch::is_turn_of_states() const {
  constexpr double kFreeSeconds = 0.02;
  const double in_vain = static_cast<double>(states_in_vain_) / kStatesASecond;
  const double of_solver = static_cast<double>(counts_.work) / kWorkASecond;
  return can_look_at_states() && !is_interrupted() &&
         (in_vain <= of_solver + seconds_to_encode() + kFreeSeconds || !can_be_encoded());
}

bool CausalitySearch::can_be_encoded() const {
  return expected_clauses(trees(), settings_.clauses_at_once) <= settings_.clauses_max;
}

TreeStates::Known CausalitySearch::known_of_states() const {
  return {[this](Node node) { return is_open(node); }, &misuses_, &deadlocks_, &in_vain_,
          settings_.limit.interrupt};
}

void CausalitySearch::look_at_states() {
  looked_at_ = knowledge_.changes();
  const TreeStates::Answer answer = states_.explore(states_max_, known_of_states());
  counts_.states += states_.states();
  were_too_many_ = answer == TreeStates::Answer::too_many;
  are_all_states_known_ = answer == TreeStates::Answer::all && states_.news().empty();
  if (!were_too_many_ || !states_.news().empty()) return;
  states_max_ *= 2;
  states_in_vain_ += states_.states();
}

// All that is new is run. Then the states are looked at again; and where nothing new is left, the ends that
// were found among them are run.
bool CausalitySearch::find_among_states(Plan& plan) {
  while (!knows_all_states()) {
    waits_ = team_->others_are_ahead(member_);  // there is more to look at soon
    if (waits_) return false;
    if (!is_turn_of_states()) break;
    if (announces(static_cast<double>(states_max_) / kStatesASecond, plan)) return true;
    look_at_states();
    team_->offer(std::exchange(states_.news(), {}));
    if (take_offer(plan)) return true;
  }
  return knows_all_states() &&
         (take_found(plan, states_.misuses(), Task::misuse) ||
          take_found(plan, states_.deadlocks(), Task::deadlock) || find_race_among_states(plan));
}

// Looked for as long as none was found. Where there are too many states with what is tracked, the solver is
// asked.
bool CausalitySearch::find_race_among_states(Plan& plan) {
  constexpr std::uint64_t kTimesMax = 16;  // so many states for each that was looked at before
  if (raced_at_ == knowledge_.changes() || !races_.empty() || !uses_of_freed_.empty()) return false;
  const RaceCandidates candidates(trees());
  if (!settings_.races || candidates.empty()) return false;
  const std::uint64_t states = states_.states();
  if (announces(static_cast<double>(states) / kStatesASecond, plan)) return true;
  raced_at_ = knowledge_.changes();
  const std::uint64_t states_max = std::max(states_max_, kTimesMax * states);
  const TreeStates::Answer answer = states_.find_race(states_max, known_of_states(), candidates);
  counts_.states += states_.states();
  std::optional<TreeStates::Race>& race = states_.race();
  is_free_of_races_ = answer == TreeStates::Answer::all && !race;
  if (!race) return false;
  write_found(plan, race->found, race->is_use_of_freed ? Task::freed : Task::race);
  race_ = {race->first, race->second};
  freed_ = {race->first, race->second};
  freed_places_ = FreedQuery::places_of(trees(), freed_);
  return true;
}

bool CausalitySearch::take_offer(Plan& plan) {
  while (const std::optional<TreeStates::Found> offer = team_->take_offer(member_)) {
    if (!states_.is_new(*offer)) {
      team_->drop_offer(member_);
      continue;
    }
    target_ = offer->node;
    write_found(plan, *offer, Task::target);
    return true;
  }
  return false;
}

bool CausalitySearch::take_found(Plan& plan, std::vector<TreeStates::Found>& found, Task task) {
  if (found.empty()) return false;
  const TreeStates::Found own = std::move(found.back());
  found.pop_back();
  if (task == Task::misuse) misuse_ = own.node;
  write_found(plan, own, task);
  unlearned_ = std::pair(own, task);
  return true;
}

// What was found, and run by a worker that has died.
void CausalitySearch::take_back() {
  if (!unlearned_) return;
  auto& [found, task] = *unlearned_;
  (task == Task::misuse ? states_.misuses() : states_.deadlocks()).push_back(std::move(found));
  unlearned_.reset();
}

void CausalitySearch::write_found(Plan& plan, const TreeStates::Found& found, Task task) {
  task_ = task;
  write_steps(plan, trees(), found.steps, [&](Node signal) { return found.chosen_by(signal); });
}

// Asked when no thread can do anything new by itself: what threads can do together. The steps of an execution
// that shows it; none: there is none.
std::vector<CausalitySearch::Node> CausalitySearch::ask_for_more() {
  task_ = Task::misuse;
  if (!knows_all_states() && ask_for_misuse()) {
    std::vector<Node> steps = encoding().steps();
    steps.push_back(misuse_);
    return steps;
  }
  if (is_cut_) return {};
  task_ = Task::deadlock;
  if (!knows_all_states() && ask_for_deadlock()) return encoding().steps();
  if (is_cut_) return {};
  task_ = Task::freed;
  if (ask_for_use_of_freed()) return encoding().steps_up_to(freed_.access);
  task_ = Task::race;
  if (settings_.races && ask_for_race()) return encoding().steps_up_to(race_.second);
  task_ = Task::path;
  if (ask_for_path()) return encoding().steps();
  return {};
}

// Learns what others have shown.
void CausalitySearch::catch_up() {
  while (const std::shared_ptr<const Trace> trace = team_->next_trace(member_)) take_in(*trace);
  for (const Node target : team_->missed()) {
    if (!is_open(target)) continue;
    given_up_.insert(std::ranges::lower_bound(given_up_, target), target);
    looked_at_ = 0;  // among what was found there it does not count any more
  }
}

// What follows from the trace alone.
CausalitySearch::Shown CausalitySearch::take_in(const Trace& trace) {
  const std::uint64_t known = knowledge_.changes();
  Shown shown;
  shown.begins_again = knowledge_.learn(trace);
  if (shown.begins_again) {
    ++counts_.restarts;
    walk_.forget();
    states_.forget();
    looked_at_ = 0;
    raced_at_ = 0;
    given_up_.clear();
    unsolved_.clear();
    paths_.clear();
    in_vain_.clear();
    misuses_.clear();
    races_.clear();
    task_ = Task::target;
    target_ = ThreadTrees::kNone;
  }
  if (problem_.empty()) problem_ = knowledge_.problem();
  shown.is_new_path = learn_path(trace);
  shown.is_new_deadlock = learn_deadlock(trace);
  shown.is_new = knowledge_.changes() != (shown.begins_again ? 0 : known);
  if (shown.is_new) team_->note_news(member_);
  return shown;
}

void CausalitySearch::learn(const Plan&, const Trace& trace) {
  ++counts_.executions;
  while (!team_->add(member_, trace)) catch_up();
  unlearned_.reset();
  const bool others_came = knowledge_.changes() != planned_behind_;  // they may have shown the same
  const Shown shown = take_in(trace);
  if (shown.begins_again) team_->begin_again();
  if (task_ == Task::race) learn_race(trace);
  const bool is_misuse = trace.end == End::bug && trace.failure.kind == BugKind::lock_misuse;
  // What was not shown is asked for again where more is known now.
  const bool is_use_of_freed = task_ == Task::freed && uses_freed(trace);
  if (task_ == Task::misuse && is_misuse) misuses_.push_back(misuse_);
  if (is_use_of_freed) uses_of_freed_.insert(freed_places_);
  if (shown.is_new) return;
  switch (task_) {
    case Task::walk: ++counts_.strayed; return;
    case Task::target: return others_came || target_ == ThreadTrees::kNone ? void() : give_up();
    case Task::misuse: is_denied_ = is_denied_ || !is_misuse; return;
    case Task::deadlock:
      if (trace.end == End::waiting && in_vain_.insert(lasts()).second) {
        looked_at_ = 0;  // others may wait at the same places
        return;
      }
      is_denied_ = is_denied_ || !(shown.is_new_deadlock || (others_came && is_stuck(trace)));
      return;
    case Task::freed: is_denied_ = is_denied_ || !is_use_of_freed; return;
    case Task::race: return;
    case Task::path: is_denied_ = is_denied_ || !(shown.is_new_path || others_came); return;
  }
}

bool CausalitySearch::learn_path(const Trace& trace) {
  const bool is_deadlock = trace.end == End::bug && trace.failure.kind == BugKind::deadlock;
  const bool is_maximal = trace.end == End::finished || is_deadlock;
  return is_maximal && settings_.all_paths && paths_.insert(lasts()).second;
}

// Where each thread of the last execution was in the end.
std::vector<CausalitySearch::Node> CausalitySearch::lasts() const {
  std::vector<Node> lasts = knowledge_.lasts();
  std::erase(lasts, ThreadTrees::kNone);
  return lasts;
}

bool CausalitySearch::learn_deadlock(const Trace& trace) {
  if (!is_stuck(trace)) return false;
  std::set<std::uint64_t> places;
  for (const Waiter& waiter : trace.failure.waiters) {
    if (waiter.operation != Operation::thread_join) places.insert(waiter.code);
  }
  return deadlocks_.insert(places).second;
}

// The program's own judge says what is a race. It may see another one first.
void CausalitySearch::learn_race(const Trace& trace) {
  const bool is_one = trace.end == End::bug && trace.failure.kind == BugKind::data_race;
  ++(is_one ? counts_.races : counts_.denied);
  if (!is_one) knows_races_ = false;
  races_.push_back(race_);
}

// An execution that showed nothing new was not what the model said.
void CausalitySearch::give_up() {
  ++counts_.missed;
  team_->miss(target_);
  looked_at_ = 0;
  given_up_.insert(std::ranges::lower_bound(given_up_, target_), target_);
}

// How many executions are left nobody can tell: each may show more to ask for.
Progress CausalitySearch::progress() {
  Progress progress;
  if (!leads()) return progress;
  progress.open = open_;
  progress.questions = counts_.queries + team_->counts_of_helpers().queries;
  return progress;
}

// A question that is left takes as long as those before it, with its execution.
Effort CausalitySearch::effort() const {
  const double seconds = static_cast<double>(counts_.states) / kStatesASecond +
                         static_cast<double>(counts_.work) / kWorkASecond +
                         static_cast<double>(knowledge_.clauses()) / kClausesASecond +
                         static_cast<double>(knowledge_.encodings()) * kSolverSeconds +
                         static_cast<double>(counts_.executions) * kPlanSeconds;
  const auto executions = [](double in_seconds) {
    return static_cast<std::uint64_t>(in_seconds * kExecutionsASecond);
  };
  Effort effort{executions(seconds), is_announcing_ ? executions(seconds_granted_) : 0};
  if (open_ && counts_.queries > 0) {
    const double of_one = seconds / static_cast<double>(counts_.queries);
    effort.left = static_cast<double>(executions(static_cast<double>(*open_) * of_one));
  }
  return effort;
}

SearchStatistics CausalitySearch::statistics() const {
  CausalityStatistics own;
  for (Node node = 0; node < trees().size(); ++node) {
    own.decisions += trees()[node].kind == ThreadTrees::Kind::decision ? 1 : 0;
    own.outcomes += trees()[node].kind == ThreadTrees::Kind::outcome ? 1 : 0;
  }
  own.unreachable = is_closed() ? own.decisions : 0;
  own.undecided = given_up_.size() + unsolved_.size();
  own.nodes = trees().size();
  own.clauses = knowledge_.clauses();
  Counts all = counts_;
  if (leads()) all.add(team_->counts_of_helpers());
  own.restarts = all.restarts;
  own.states = all.states;
  own.queries = all.queries;
  own.satisfiable = all.satisfiable;
  own.unsatisfiable = all.unsatisfiable;
  own.unknown = all.unknown;
  own.seconds = all.seconds;
  SearchStatistics statistics;
  statistics.causality = own;
  return statistics;
}

void CausalitySearch::save(ByteWriter& out, const ThreadNames& names) const {
  names.save(out);
  save_members(out, members(*this));
  out.put(walk_.random_state());
}

bool CausalitySearch::load(ByteReader& in, ThreadNames& names) {
  if (!names.load(in)) return false;
  load_members(in, members(*this));
  walk_.set_random_state(in.get<std::uint64_t>());
  if (!in.ok()) return false;
  ByteWriter known;
  save_members(known, members(*this));
  if (settings_.may_be_helped) team_->begin_with(known.take());
  return true;
}

ShownDecisions CausalitySearch::decisions() const {
  std::vector<Node> undecided = given_up_;
  undecided.insert(undecided.end(), unsolved_.begin(), unsolved_.end());
  return list_decisions(trees(), undecided, [&](Node node) { return why_undecided(node); });
}

// Whether a thread can do something else there. What is undecided at one place may lead to another one.
std::string CausalitySearch::why_undecided(Node node) const {
  if (is_closed()) return "";
  if (!is_open(node)) return "an execution did not do what was foreseen";
  if (std::ranges::find(unsolved_, node) != unsolved_.end()) return "the solver gave up";
  if (!done_) return problem_.empty() ? "the search ended before that was known" : problem_;
  const bool is_elsewhere = !given_up_.empty() || !unsolved_.empty() || problem_.empty();
  return is_elsewhere ? "something else is undecided, which may lead to it" : problem_;
}

Guarantee CausalitySearch::guarantee() const {
  Guarantee guarantee;
  guarantee.exhausted = leads() && is_closed();
  guarantee.covers = settings_.races && knows_races_ ? Covers::deadlocks_and_races : Covers::assertions;
  return guarantee;
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unfolding/unfolding_search.hpp"

#include <algorithm>

namespace thrum {

namespace {

bool never_waits(Operation operation) {
  return operation == Operation::load || operation == Operation::store ||
         operation == Operation::read_modify_write || operation == Operation::compare_exchange ||
         operation == Operation::atomic_section;
}

}  // namespace

Prefix::Condition UnfoldingSearch::Marking::at(Slot slot, const Prefix& prefix) const {
  if (slot >= conditions_.size() || conditions_[slot] == kInitial) return prefix.slots().initial(slot);
  return conditions_[slot];
}

void UnfoldingSearch::Marking::set(Slot slot, Condition condition) {
  if (conditions_.size() <= slot) conditions_.resize(slot + std::size_t{1}, kInitial);
  conditions_[slot] = condition;
  if (slot < reads_.size()) reads_[slot].clear();
}

void UnfoldingSearch::Marking::add_read(Slot slot, Prefix::Event read) {
  if (reads_.size() <= slot) reads_.resize(slot + std::size_t{1});
  reads_[slot].push_back(read);
}

std::vector<Prefix::Event> UnfoldingSearch::Marking::reads(Slot slot) const {
  return slot < reads_.size() ? reads_[slot] : std::vector<Prefix::Event>{};
}

void UnfoldingSearch::Marking::clear() {
  conditions_.clear();
  for (std::vector<Prefix::Event>& reads : reads_) reads.clear();
}

Prefix::Slot UnfoldingSearch::slot_of_thread(ThreadId thread) {
  if (thread_slots_.size() <= thread) thread_slots_.resize(thread + std::size_t{1}, kNone);
  if (thread_slots_[thread] == kNone) thread_slots_[thread] = prefix_->open_thread(thread);
  return thread_slots_[thread];
}

Prefix::Slot UnfoldingSearch::slot_of(const Event& event) {
  const std::uint32_t location = locations_.find(event);
  if (location == Locations::kNone) return kNone;
  if (location_slots_.size() <= location) location_slots_.resize(location + std::size_t{1}, kNone);
  if (location_slots_[location] == kNone) location_slots_[location] = prefix_->open_object();
  return location_slots_[location];
}

// Whether the thread, which creates one, takes its turn in the order of creations first. What is known of an
// execution may end between the two.
bool UnfoldingSearch::takes_turn(ThreadId thread, const Marking& marking) {
  if (!orders_creations_) return false;
  const Condition now = marking.at(slot_of_thread(thread), *prefix_);
  const Prefix::Event last = now == kNone ? kNone : prefix_->slots().event(now);
  return last == kNone || !prefix_->is_turn(last) || prefix_->step(last).thread != thread;
}

void UnfoldingSearch::begin_again() {
  ++counts_.restarts;
  for_suite_ = ForSuite::starts_over;
  changes_ = locations_.changes();
  prefix_ = std::make_unique<Prefix>(settings_.mode);
  footprints_ = std::make_unique<FootprintSets>();
  races_ = std::make_unique<RacesBetween>(*prefix_, *footprints_);
  deadlocks_.reset();
  thread_slots_.clear();
  location_slots_.clear();
  targets_.clear();
  behind_late_joins_.clear();
  of_threads_.clear();
  shown_.clear();
  begun_ = begins_again_ = false;
  part_ = part_done_ = 0;
}

bool UnfoldingSearch::next(Plan& plan) {
  if (done_) return false;
  has_too_little_memory_ = prefix_->bytes() > settings_.memory_max;
  if (has_too_little_memory_) return false;
  if (!begun_) task_ = Task::nothing;
  for (;; give_up_task()) {
    done_ = begun_ && !find_task();
    if (done_) return false;
    begun_ = true;
    if (write(plan)) return true;
  }
}

// No order of its events is one in which they can be run.
void UnfoldingSearch::give_up_task() {
  look_for_unknown_order();
  if (task_ == Task::event) prefix_->give_up(target_);
  if (task_ == Task::deadlock) deadlocks_->deny(true);
}

bool UnfoldingSearch::find_task() {
  if (races_->take(race_)) {
    task_ = Task::race;
    return true;
  }
  for (task_ = Task::event; !targets_.empty();) {
    if (settings_.order == Order::random)
      std::swap(targets_[random_.below(targets_.size())], targets_.back());
    target_ = targets_.back().event;
    part_ += targets_.back().part;
    targets_.pop_back();
    if (!prefix_->is_left(target_)) continue;
    if (!is_behind_round(target_)) return true;
    prefix_->give_up(target_);
  }
  if (find_late_join()) return true;
  if (!deadlocks_) deadlocks_ = std::make_unique<Deadlocks>(*prefix_);
  task_ = Task::deadlock;
  return deadlocks_->next(deadlock_);
}

// A join of a thread, whatever that did, that no execution has come to, and that can be.
bool UnfoldingSearch::find_late_join() {
  std::vector<Prefix::Mark> marks;
  for (const Prefix::Event join : prefix_->late_joins()) {
    target_ = join;
    if (prefix_->is_left(join) && !is_behind_round(join) && can_come_to(join, marks)) return true;
  }
  return false;
}

// Whether a thread goes on before the event behind a round that came to nothing.
bool UnfoldingSearch::is_behind_round(Prefix::Event event) const {
  return prefix_->spin_at((*prefix_)[event].before) != nullptr || prefix_->passes_round(prefix_->past(event));
}

// What the slots hold in an execution whose next event it is.
bool UnfoldingSearch::can_come_to(Prefix::Event event, std::vector<Prefix::Mark>& marks) {
  const Prefix::Entry& entry = (*prefix_)[event];
  std::vector<Prefix::Mark> kept = {{prefix_->slots().slot(entry.before), entry.before}};
  if (entry.object != kNone) kept.push_back({prefix_->slots().slot(entry.object), entry.object});
  marks = prefix_->past(event);
  return prefix_->add_ends(marks, kept, entry.object == kNone ? prefix_->next(entry.before).joins : kNone);
}

bool UnfoldingSearch::write(Plan& plan) {
  plan.policy = Policy{};
  plan.policy.rounds = Rounds::block;
  OrderedPlan steps(plan, first_key_);
  planned_steps_ = 0;
  known_.clear();
  std::vector<Prefix::Event> order;
  if (task_ == Task::race) return write_race(steps);
  if (task_ == Task::deadlock) {
    if (!prefix_->order(deadlock_, order)) return false;
    write_steps(steps, order);
  } else if (task_ == Task::event) {
    std::vector<Prefix::Mark> marks;
    can_come_to(target_, marks);
    if (!prefix_->order(marks, order, kNone, prefix_->is_turn(target_) ? target_ : kNone)) return false;
    write_steps(steps, order);
    know(std::move(marks), std::move(order));
    write_steps(steps, {&target_, 1});
  }
  return true;
}

void UnfoldingSearch::Known::clear() {
  order.clear();
  marks.clear();
  events.clear();
}

void UnfoldingSearch::know(std::vector<Prefix::Mark> marks, std::vector<Prefix::Event> order) {
  for (const Prefix::Event event : order) {
    if (prefix_->is_turn(event)) continue;  // a creation is one event of an execution
    const ThreadId thread = prefix_->step(event).thread;
    if (known_.events.size() <= thread) known_.events.resize(thread + std::size_t{1});
    ++known_.events[thread];
  }
  known_.marks = std::move(marks);
  known_.order = std::move(order);
}

// What the slots hold behind the events that are known, and who has read it.
void UnfoldingSearch::begin_marking(Marking& marking) const {
  marking.clear();
  for (const Prefix::Mark& mark : known_.marks) marking.set(mark.slot, mark.condition);
  if (settings_.mode == Mode::contextual) return;
  for (const Prefix::Event event : known_.order) {
    const Prefix::Entry& entry = (*prefix_)[event];
    if (entry.consumes || entry.object == kNone) continue;
    const Slot object = prefix_->slots().slot(entry.object);
    if (marking.at(object, *prefix_) == entry.object) marking.add_read(object, event);
  }
}

bool UnfoldingSearch::write_race(OrderedPlan& steps) {
  prefix_->joins(prefix_->cone_of(race_.first), prefix_->cone_of(race_.second));
  std::vector<Prefix::Mark> marks = prefix_->united();
  const ConditionTrees& slots = prefix_->slots();
  const std::vector<Prefix::Mark> kept = {{slots.slot(race_.first), race_.first},
                                          {slots.slot(race_.second), race_.second}};
  prefix_->add_ends(marks, kept);
  std::vector<Prefix::Event> order;
  if (!order_race(marks, order)) return false;
  write_steps(steps, order);
  return true;
}

// The second thread may fail as soon as it has come to its condition, which ends the execution. So the first
// thread comes to its own before the last event that the second one needs, where some order allows that.
bool UnfoldingSearch::order_race(std::span<const Prefix::Mark> marks, std::vector<Prefix::Event>& order) {
  const std::vector<Prefix::Event> of_first = prefix_->chosen_before(race_.first, marks);
  for (const Prefix::Event held : prefix_->chosen_before(race_.second, marks)) {
    if (!prefix_->order(marks, order, held)) return false;
    const auto behind = std::ranges::find(order, held);
    const auto is_behind = [&](Prefix::Event event) {
      return std::find(behind, order.end(), event) != order.end();
    };
    if (std::ranges::none_of(of_first, is_behind)) return true;
  }
  return prefix_->order(marks, order);
}

void UnfoldingSearch::write_steps(OrderedPlan& steps, std::span<const Prefix::Event> order) {
  for (const Prefix::Event each : order) {
    const Prefix::Entry& entry = (*prefix_)[each];
    // Nobody chooses when a thread is created or joined.
    const Event& step = prefix_->step(each);
    if (!is_visible(step.operation)) continue;
    const bool runs_out = entry.choices == Prefix::kTimeout;
    const Via via = runs_out || step.operation == Operation::sleep ? Via::timeout : Via::run;
    steps.add(step, prefix_->choices(runs_out ? 0 : entry.choices), entry.events_after, via);
    ++planned_steps_;
  }
}

void UnfoldingSearch::learn(const Plan&, const Trace& trace) {
  for (const PendingOperation& pending : trace.pending) {
    if (is_visible(pending.operation)) locations_.learn(next_event_of(pending));
  }
  const std::optional<std::size_t> known = find_known_events(trace);
  if (!known) known_.clear();
  run_.read_steps(trace, locations_, known.value_or(0));
  if (known.value_or(0) == 0) first_key_ = run_.first_key();
  if (not_covered_.empty()) not_covered_ = run_.not_covered();
  if (not_covered_.empty()) not_covered_ = time_.look_at(trace);
  const bool is_unordered = run_.several_create() && !orders_creations_;
  orders_creations_ = orders_creations_ || run_.several_create();
  if (is_unordered || locations_.changes() != changes_) return begin_again();
  if (!known && orders_creations_ && trace.end != End::stopped) not_covered_ = kCreations;
  const std::uint64_t done_before = prefix_->done();
  learn_events(trace);
  settle(trace);
  if (begins_again_) {
    constexpr std::uint32_t kPatience = 8;
    all_read_joined_ = all_read_joined_ || ++restarts_by_joins_ > kPatience;
    return begin_again();
  }
  for_suite_ = prefix_->done() > done_before ? ForSuite::yes : ForSuite::no;
  take_targets();
}

// The part of the search that the execution stood for is divided among itself and what it has found (Knuth,
// "Estimating the efficiency of backtrack programs", 1975).
void UnfoldingSearch::take_targets() {
  std::vector<Prefix::Event>& found = prefix_->targets();
  const double part = task_ == Task::nothing ? 1 : std::exchange(part_, 0.0);
  const double of_each = part / static_cast<double>(found.size() + 1);
  for (const Prefix::Event event : found) targets_.push_back({event, of_each});
  part_done_ += of_each;
  found.clear();
}

// What was not shown may be so in another order.
void UnfoldingSearch::look_for_unknown_order() {
  if (!prefix_->knows_all_orders()) not_covered_ = kCreations;
}

// Whether the execution has shown what it was for.
void UnfoldingSearch::settle(const Trace& trace) {
  const bool is_bug = trace.end == End::bug;
  if (task_ == Task::event && prefix_->is_left(target_)) {
    const Prefix::Entry& target = (*prefix_)[target_];
    const Event& step = prefix_->step(target_);
    if (target.object == kNone && prefix_->next(target.before).joins != kNone)
      return need_all_of_joined(step.thread, prefix_->ended_before(target.before));
    const bool never_waits = target.object == kNone || thrum::never_waits(step.operation);
    // A failure may come first: of a thread that goes on by itself behind a join.
    const bool is_strange =
        never_waits && (trace.end == End::finished || trace.end == End::stopped) && !is_behind_round(target_);
    ++(is_strange ? counts_.lost : counts_.vain);
    look_for_unknown_order();
    const bool waits = may_have_to_wait(step.operation) && !prefix_->next(target.before).timed;
    if (waits) prefix_->block(target_);
    prefix_->give_up(target_);
  } else if (task_ == Task::race || task_ == Task::deadlock) {
    ++counts_.queries;
    const BugKind kind = trace.failure.kind;
    const bool is_it = task_ == Task::race ? kind == BugKind::data_race
                                           : kind == BugKind::deadlock || kind == BugKind::livelock;
    if (!is_bug || !is_it) {
      ++counts_.denied;
      look_for_unknown_order();
      if (task_ == Task::deadlock) deadlocks_->deny(trace.end == End::waiting);
      if (task_ == Task::race && trace.end == End::stopped) races_->give_up();
    } else if (task_ == Task::race) {
      races_->confirm();
    } else {
      deadlocks_->confirm();
    }
  }
}

void UnfoldingSearch::save(ByteWriter& out, const ThreadNames& names) const {
  names.save(out);
  save_members(out, members(*this));
  out.put(random_.state());
  out.put(deadlocks_ != nullptr);
  if (deadlocks_) save_member(out, *deadlocks_);
}

bool UnfoldingSearch::load(ByteReader& in, ThreadNames& names) {
  const bool has_same_ids = names.load(in);
  load_members(in, members(*this));
  random_ = Random(in.get<std::uint64_t>());
  if (in.get<bool>()) {
    deadlocks_ = std::make_unique<Deadlocks>(*prefix_);
    load_member(in, *deadlocks_);
  }
  return has_same_ids && in.ok();
}

Guarantee UnfoldingSearch::guarantee() const {
  Guarantee guarantee;
  guarantee.exhausted = done_ && problem().empty();
  const bool has_all = !races_->has_given_up() && deadlocks_ && !deadlocks_->has_given_up();
  guarantee.covers = has_all ? Covers::deadlocks_and_races : Covers::assertions;
  return guarantee;
}

std::string UnfoldingSearch::problem() const {
  // Then nothing else is a wonder.
  if (!not_covered_.empty()) return "the unfolding does not cover " + not_covered_ + "; take --strategy dpor";
  if (counts_.unforeseen != 0) return "internal: an event was no possible extension";
  if (counts_.lost != 0) return "internal: an execution did not reach the event that it was planned for";
  if (has_too_little_memory_) return "what is known of the program does not fit into --search-memory";
  return "";
}

SearchStatistics UnfoldingSearch::statistics() const {
  UnfoldingStatistics unfolding;
  for (Prefix::Event event = 0; event < prefix_->size(); ++event) {
    const Prefix::Entry& entry = (*prefix_)[event];
    if (entry.is_done && is_visible(prefix_->step(event).operation)) ++unfolding.local_states;
  }
  unfolding.vain = counts_.vain;
  unfolding.restarts = counts_.restarts;
  unfolding.queries = counts_.queries;
  unfolding.denied = counts_.denied;
  unfolding.pairs = prefix_->pairs_tested();
  unfolding.bytes = prefix_->bytes();
  if (shown_.is_on()) unfolding.shown = shown_.describe(*prefix_);
  SearchStatistics statistics;
  statistics.waiting = targets_.size();
  statistics.unfolding = unfolding;
  return statistics;
}

Progress UnfoldingSearch::progress() {
  Progress progress;
  progress.waiting = targets_.size();
  progress.done = estimate();
  return progress;
}

std::optional<double> UnfoldingSearch::estimate() const {
  if (done_) return 1;
  return begun_ ? std::optional(part_done_) : std::nullopt;
}

}  // namespace thrum

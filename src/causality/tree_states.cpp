// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/tree_states.hpp"

#include <algorithm>
#include <utility>

namespace thrum {

TreeStates::Node TreeStates::Found::chosen_by(Node signal) const {
  const auto of_signal = std::ranges::find(chosen, signal, &std::pair<Node, Node>::first);
  return of_signal == chosen.end() ? ThreadTrees::kNone : of_signal->second;
}

TreeStates::Answer TreeStates::explore(std::uint64_t states_max, const Known& known) {
  if (!begin(known, false)) return Answer::not_covered;
  const TreeMachine::Went begun = machine_.start(frames_[0].state);
  if (begun == TreeMachine::Went::to_news) return Answer::not_covered;
  if (begun == TreeMachine::Went::on) enter(frames_[0]);
  while (depth_ > 0) {
    Frame& frame = frames_[depth_ - 1];
    if (frame.next == frame.moves.size()) {
      --depth_;
      continue;
    }
    const Move move = frame.moves[frame.next++];
    if (machine_.is_misuse(frame.state, move.operation)) {
      note_misuse(move.operation);
      continue;
    }
    if (!trees_[move.operation].is_executed) {
      note_news(move.operation);
      continue;
    }
    if (frames_.size() == depth_) frames_.emplace_back();
    Frame& behind = frames_[depth_];
    behind.state = frames_[depth_ - 1].state;
    switch (machine_.step(behind.state, move.operation, move.woken)) {
      case TreeMachine::Went::on: enter(behind); break;
      case TreeMachine::Went::to_news: note_news(machine_.news()); break;
      case TreeMachine::Went::to_the_end: break;
    }
    if (visited_.size() > states_max || is_interrupted()) return Answer::too_many;
  }
  return Answer::all;
}

// Whether all of the trees is known.
bool TreeStates::begin(const Known& known, bool sections_depend) {
  known_ = &known;
  visited_.clear();
  found_.clear();
  found_deadlocks_.clear();
  news_.clear();
  misuses_.clear();
  deadlocks_.clear();
  race_.reset();
  depth_ = 0;
  machine_.extend();
  if (!machine_.not_covered().empty()) return false;
  footprints_.take(sections_depend);
  if (frames_.empty()) frames_.emplace_back();
  return true;
}

bool TreeStates::is_interrupted() const {
  return known_->interrupt != nullptr && visited_.size() % 1024 == 0 && known_->interrupt->is_raised();
}

bool TreeStates::is_new(const Found& found) {
  machine_.extend();
  State state;
  TreeMachine::Went went = machine_.start(state);
  for (std::size_t i = 0; i < found.steps.size() && went == TreeMachine::Went::on; ++i) {
    if (!trees_[found.steps[i]].is_executed) return true;
    went = machine_.step(state, found.steps[i], found.woken[i]);
  }
  return went == TreeMachine::Went::to_news;
}

// Unless the state was met before.
void TreeStates::enter(Frame& frame) {
  const auto* bytes = reinterpret_cast<const char*>(frame.state.data());
  if (!visited_.insert(wide_digest({bytes, frame.state.size() * sizeof(std::uint64_t)})).second) return;
  frame.moves.clear();
  frame.next = 0;
  add_moves(frame);
  ++depth_;
}

void TreeStates::add_moves(Frame& frame) {
  alive_.clear();
  enabled_.clear();
  is_enabled_.assign(machine_.threads(), false);
  bool some_misuse = false;
  for (ThreadId thread = 0; thread < machine_.threads(); ++thread) {
    const Node at = machine_.at(frame.state, thread);
    if (at == ThreadTrees::kNone || machine_.is_over(frame.state, thread)) continue;
    alive_.push_back(thread);
    bool can_do_some = false;
    for (Node next = trees_[at].first_child; next != ThreadTrees::kNone; next = trees_[next].next_sibling) {
      if (trees_[next].kind != ThreadTrees::Kind::event) continue;
      const bool is_misuse = machine_.is_misuse(frame.state, next);
      some_misuse = some_misuse || is_misuse;
      can_do_some = can_do_some || is_misuse || machine_.can_do(frame.state, next);
    }
    if (!can_do_some) continue;
    enabled_.push_back(thread);
    is_enabled_[thread] = true;
  }
  if (enabled_.empty()) return tracking_ != nullptr ? void() : note_stuck(frame.state);
  // Misuse ends the execution, whatever others might do.
  if (some_misuse || !choose_threads(frame.state)) chosen_ = enabled_;
  for (const ThreadId thread : chosen_) add_moves_of(thread, frame);
  for (std::size_t i = frame.moves.size(); i > 1; --i)
    std::swap(frame.moves[i - 1], frame.moves[random_.below(i)]);
}

void TreeStates::add_moves_of(ThreadId thread, Frame& frame) {
  const State& state = frame.state;
  for (Node next = trees_[machine_.at(state, thread)].first_child; next != ThreadTrees::kNone;
       next = trees_[next].next_sibling) {
    if (trees_[next].kind != ThreadTrees::Kind::event) continue;
    if (machine_.is_misuse(state, next)) {
      frame.moves.push_back({next});
      continue;
    }
    if (!machine_.can_do(state, next)) continue;
    machine_.find_sleepers(state, next, sleepers_);
    if (sleepers_.size() < 2) {
      frame.moves.push_back({next});
      continue;
    }
    for (const ThreadId sleeper : sleepers_)
      frame.moves.push_back({next, sleeper, machine_.at(state, sleeper)});
  }
}

// ---- Persistent sets.

// Whether the next step of the thread depends on what the other one may do.
bool TreeStates::depends_on(ThreadId thread, ThreadId other, const State& state) const {
  const StepFootprints::Footprint& theirs = footprints_.behind(machine_.at(state, other));
  for (Node next = trees_[machine_.at(state, thread)].first_child; next != ThreadTrees::kNone;
       next = trees_[next].next_sibling) {
    if (trees_[next].kind == ThreadTrees::Kind::event && footprints_.of_step(next).conflicts_with(theirs))
      return true;
  }
  return false;
}

// The smallest set that is found.
bool TreeStates::choose_threads(const State& state) {
  if (enabled_.size() == 1) return false;
  std::vector<ThreadId> smallest;
  for (const ThreadId first : enabled_) {
    if (!try_from(first, state)) continue;
    if (smallest.empty() || chosen_.size() < smallest.size()) smallest = chosen_;
    if (smallest.size() == 1) break;
  }
  chosen_ = smallest;
  return !chosen_.empty();
}

// With all threads that those in the set depend on. None, if one of them cannot go on, or may end the
// execution: it depends on everything.
bool TreeStates::try_from(ThreadId first, const State& state) {
  chosen_ = {first};
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    const Node at = machine_.at(state, chosen_[i]);
    for (Node next = trees_[at].first_child; next != ThreadTrees::kNone; next = trees_[next].next_sibling) {
      if (trees_[next].kind == ThreadTrees::Kind::event && footprints_.of_step(next).may_end_execution)
        return false;
    }
    for (const ThreadId other : alive_) {
      if (std::ranges::find(chosen_, other) != chosen_.end() || !depends_on(chosen_[i], other, state))
        continue;
      if (!is_enabled_[other]) return false;
      chosen_.push_back(other);
    }
  }
  return true;
}

// ---- Data races.

// As explore() does it. Besides, at each access that could race, a second state is gone into in which it is
// tracked.
//
// Who knows is part of the state, so two steps that can be done in either order must leave the same there,
// too. What they touch (step_footprints.hpp) says so: each bit of access_knowers.hpp belongs to a thread, and
// then only that thread's steps and its creation and join use it (so fences touch nothing); or to an atomic
// value, an object, or all atomic sections, and then only steps use it that touch those.
// Two steps that only read one of them change none of its bits, or add to one that neither of them looks at:
// - loads, and updates that leave the value, pass nothing on; each lets its own thread know
// - who takes or leaves a lock as a reader looks at the last writer's bit and adds to the readers' one
// - who leaves a barrier looks at the bit of the last round, which arrivals change
// All others write: failed tries, signals, and timeouts, too, though they change no bit. Atomic sections do
// so here, whatever they access: by the bit of all of them the second one knows of the first.
// A join lets know what the thread knew at its end, and nobody knows less of it later; so it does not matter
// that it is done in another thread's step.
//
// Plain data does not count, though a plain write makes others forget who knew by what lay there. Where two
// steps that touch the same plain data are not in order by what counts, that is a race. But the first race of
// an execution comes before that matters: if steps that come before it are done in another order, they do
// the same, up to an access that races by then.
TreeStates::Answer TreeStates::find_race(std::uint64_t states_max, const Known& known,
                                         const RaceCandidates& candidates) {
  if (!begin(known, true)) return Answer::not_covered;
  RaceTracking tracking(trees_, machine_, candidates);
  tracking_ = &tracking;
  begins_.assign(1, {});
  Answer answer = Answer::all;
  for (begun_ = 0; begun_ < begins_.size() && answer == Answer::all && !race_; ++begun_)
    answer = find_race_from(begun_, states_max);
  tracking_ = nullptr;
  return answer;
}

TreeStates::Answer TreeStates::find_race_from(std::size_t place, std::uint64_t states_max) {
  depth_ = 0;
  const TreeMachine::Went begun = machine_.start(frames_[0].state);
  tracking_->add_words(frames_[0].state);
  if (place == 0) tracking_->add_begins(machine_.path(), begins_);
  bool is_known = come_to(frames_[0], begun, begins_[place]);
  while (depth_ > 0 && is_known && !race_) {
    Frame& frame = frames_[depth_ - 1];
    if (frame.next == frame.moves.size()) {
      --depth_;
      continue;
    }
    ++frame.next;
    is_known =
        machine_.is_misuse(frame.state, frame.moves[frame.next - 1].operation) || take_move(depth_ - 1);
    if (visited_.size() > states_max || is_interrupted()) return Answer::too_many;
  }
  return is_known ? Answer::all : Answer::not_covered;
}

// False: something is not in the trees.
bool TreeStates::take_move(std::size_t depth) {
  const Move move = frames_[depth].moves[frames_[depth].next - 1];
  if (!trees_[move.operation].is_executed) return false;
  if (frames_.size() == depth + 1) frames_.emplace_back();
  Frame& frame = frames_[depth];
  Frame& behind = frames_[depth + 1];
  behind.state = frame.state;
  const TreeMachine::Went went = machine_.step(behind.state, move.operation, move.woken);
  if (!tracking_->tracks(frame.state) && move.begin.at == RaceTracking::kNowhere) {
    new_begins_.clear();
    tracking_->add_begins(machine_.path(), new_begins_);
    for (const RaceTracking::Begin& begin : new_begins_)
      frame.moves.push_back({move.operation, move.woken, move.waiter, begin});
  }
  return come_to(behind, went, move.begin);
}

bool TreeStates::come_to(Frame& behind, TreeMachine::Went went, const RaceTracking::Begin& begin) {
  if (tracking_->tracks(behind.state) || begin.at != RaceTracking::kNowhere) {
    switch (tracking_->go(behind.state, machine_.path(), begin)) {
      case RaceTracking::Went::on: break;
      case RaceTracking::Went::no_race_is_left: return true;
      case RaceTracking::Went::to_race: return note_race();
    }
  }
  if (went == TreeMachine::Went::on) enter(behind);
  return went != TreeMachine::Went::to_news;
}

RaceTracking::Begin TreeStates::where_tracking_began() const {
  for (std::size_t depth = depth_; depth-- > 0;) {
    const RaceTracking::Begin& begin = frames_[depth].moves[frames_[depth].next - 1].begin;
    if (begin.at != RaceTracking::kNowhere) return begin;
  }
  return begins_[begun_];
}

// False: no such race was expected.
bool TreeStates::note_race() {
  const RaceTracking::Begin begin = where_tracking_began();
  const std::optional<RaceCandidates::Pair> pair = tracking_->pair_from(begin);
  if (!pair) return false;
  std::vector<Found> paths;
  note_path(pair->second, paths);
  race_ = {pair->first, pair->second, tracking_->is_use_of_freed(begin), std::move(paths[0])};
  return true;
}

// ---- What is found.

void TreeStates::note_news(Node target) {
  if (known_->is_open(target) && found_.insert(target).second) note_path(target, news_);
}

void TreeStates::note_misuse(Node operation) {
  const bool is_known = std::ranges::find(*known_->misuses, operation) != known_->misuses->end();
  if (!is_known && found_.insert(operation).second) note_path(operation, misuses_);
}

// The steps are those that are under way in the frames.
void TreeStates::note_path(Node target, std::vector<Found>& found) {
  Found& own = found.emplace_back();
  own.node = target;
  for (std::size_t i = 0; i < depth_; ++i) {
    const Move& move = frames_[i].moves[frames_[i].next - 1];
    own.steps.push_back(move.operation);
    own.woken.push_back(move.woken);
    if (move.waiter != ThreadTrees::kNone) own.chosen.emplace_back(move.operation, move.waiter);
  }
}

// Whether the values that its round has read are there still. A round that writes is looked at by the program
// only.
bool TreeStates::would_find_the_same(const State& state, Node wait) const {
  const Node begin = trees_.round(wait).begin;
  if (begin == ThreadTrees::kNone) return true;
  for (Node node = trees_[wait].parent; node != trees_[begin].parent; node = trees_[node].parent) {
    if (trees_[node].kind == ThreadTrees::Kind::write) return true;
  }
  for (Node node = trees_[wait].parent; node != trees_[begin].parent; node = trees_[node].parent) {
    if (trees_[node].kind == ThreadTrees::Kind::outcome && !machine_.gives(state, node)) return false;
  }
  return true;
}

// Nobody can go on. If some thread is not over, it is a deadlock; but not if it waits in a loop and would go
// on in another round.
void TreeStates::note_stuck(const State& state) {
  std::set<std::uint64_t> places;
  std::vector<Node> lasts;
  bool is_deadlock = false;
  for (ThreadId thread = 0; thread < machine_.threads(); ++thread) {
    const Node at = machine_.at(state, thread);
    if (at == ThreadTrees::kNone) continue;
    lasts.push_back(at);
    if (machine_.is_over(state, thread)) continue;
    if (trees_[at].kind == ThreadTrees::Kind::wait) {
      if (!would_find_the_same(state, at)) return;
      places.insert(trees_.round(at).code);
      is_deadlock = true;
      continue;
    }
    const Node next = trees_.next_of(at);
    if (next == ThreadTrees::kNone) return;
    const Operation operation = trees_.operation(next).operation;
    if (operation == Operation::others_ended) continue;
    is_deadlock = true;
    if (operation != Operation::thread_join) places.insert(trees_.code(next));
  }
  if (!is_deadlock || known_->deadlocks->contains(places) || known_->in_vain->contains(lasts)) return;
  if (!found_deadlocks_.insert(places).second) return;
  note_path(ThreadTrees::kNone, deadlocks_);
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/paths.hpp"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "oracle/interpreter.hpp"
#include "oracle/oracle.hpp"
#include "support/check.hpp"

namespace thrum {

namespace {

// All of a state that says how it can go on, as bytes.
class StateKey {
 public:
  StateKey(const OracleState& state, bool with_clocks) : with_clocks_(with_clocks) {
    for (const OracleThread& thread : state.threads) add_thread(thread);
    for (const FinalState::Objects* objects : {&state.shared, &state.plain, &state.holder, &state.semaphores})
      add_all(*objects);
    add(state.stopped ? 1 : 0);
    if (state.stopped) add(static_cast<int>(state.bug.place));  // which thread failed
    if (!with_clocks) return;
    for (const auto* released : {&state.shared_released, &state.mutex_released, &state.semaphore_released}) {
      for (const Clock& clock : *released) add_all(clock);
    }
    for (const auto* all : {&state.shared_accesses, &state.plain_accesses}) {
      for (const Accesses& accesses : *all) {
        for (const Clock* clock :
             {&accesses.written, &accesses.read, &accesses.written_atomically, &accesses.read_atomically})
          add_all(*clock);
      }
    }
  }

  std::string take() { return std::move(bytes_); }

 private:
  void add(int value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }

  template <typename Values>
  void add_all(const Values& values) {
    for (int value : values) add(value);
  }

  void add_thread(const OracleThread& thread) {
    int flags = 0;
    for (bool flag :
         {thread.created, thread.ended, thread.asleep, thread.woken, thread.timed_out, thread.woke_last})
      flags = flags * 2 + (flag ? 1 : 0);
    add(flags);
    add(thread.at);
    add_all(thread.registers);
    add(static_cast<int>(thread.path_taken.items().size()));
    bytes_ += thread.path_taken.items();
    if (!with_clocks_) return;
    for (const Clock* clock : {&thread.clock, &thread.read_relaxed, &thread.at_last_fence}) add_all(*clock);
  }

  bool with_clocks_;
  std::string bytes_;
};

class PathFinder {
 public:
  PathFinder(const ToyCode& code, const PathSettings& settings, Paths& paths)
      : code_(code),
        interpreter_(code, false,
                     settings.form == PathForm::outcomes ? Interpreter::PathItems::outcomes
                                                         : Interpreter::PathItems::all),
        settings_(settings),
        paths_(paths) {}

  void run() { start({}); }

 private:
  void start(const std::vector<int>& inputs);
  void explore(const OracleState& state);
  void go(const OracleState& state, Move move, int way, const std::vector<int>& inputs);
  std::vector<Move> moves(const OracleState& state) const;
  std::string local_path(const OracleState& state, int thread) const;
  void take_local_paths(const OracleState& state);
  void finish(const OracleState& state);

  // Calls go_on with the inputs and one more, for each value of so many bits.
  template <typename GoOn>
  static void with_each_value(std::vector<int> inputs, int bits, const GoOn& go_on) {
    inputs.push_back(0);
    for (; inputs.back() < 1 << bits; ++inputs.back()) go_on(inputs);
  }

  const ToyCode& code_;
  Interpreter interpreter_;
  const PathSettings& settings_;
  Paths& paths_;
  std::unordered_set<std::string> known_;  // states
};

void PathFinder::start(const std::vector<int>& inputs) {
  const OracleState state = interpreter_.start(inputs);
  if (state.missing_bits == 0) return explore(state);
  with_each_value(inputs, state.missing_bits, [&](const std::vector<int>& more) { start(more); });
}

void PathFinder::go(const OracleState& state, Move move, int way, const std::vector<int>& inputs) {
  OracleState after = state;
  std::string schedule;
  interpreter_.step(after, move, way, schedule, inputs);
  if (after.missing_bits == 0) return explore(after);
  with_each_value(inputs, after.missing_bits,
                  [&](const std::vector<int>& more) { go(state, move, way, more); });
}

void PathFinder::explore(const OracleState& state) {
  if (paths_.gave_up || !known_.insert(StateKey(state, settings_.judge_races).take()).second) return;
  if (settings_.states_max != 0 && known_.size() > settings_.states_max) {
    paths_.gave_up = true;
    return;
  }
  ++paths_.states;
  paths_.racy = paths_.racy || (settings_.judge_races && state.racy);
  take_local_paths(state);
  if (state.stopped) {
    paths_.bugs.insert(state.bug);
    return;
  }
  const std::vector<Move> all = moves(state);
  for (Move move : all) {
    for (int way = 0; way < interpreter_.count_ways(state, move); ++way) go(state, move, way, {});
  }
  if (all.empty()) finish(state);
}

std::vector<Move> PathFinder::moves(const OracleState& state) const {
  std::vector<Move> moves;
  std::vector<int> timed;
  for (int thread = 0; thread < kOracleThreads; ++thread) {
    if (interpreter_.enabled(state, thread)) moves.push_back({thread, Move::Kind::step});
    if (state[thread].asleep && interpreter_.next(state, thread)->opcode == Opcode::timed_wait)
      timed.push_back(thread);
  }
  if (moves.empty() && timed.empty()) return {};
  if (moves.empty()) {
    // Nothing else can run: the earliest deadlines.
    const auto deadline = [&](int thread) { return interpreter_.next(state, thread)->operands[3]; };
    const auto less = [&](int a, int b) { return deadline(a) < deadline(b); };
    const int earliest = deadline(*std::min_element(timed.begin(), timed.end(), less));
    std::erase_if(timed, [&](int thread) { return deadline(thread) != earliest; });
  }
  for (int thread : timed) moves.push_back({thread, Move::Kind::timeout});
  for (int thread = 0; code_.spurious && thread < kOracleThreads; ++thread) {
    if (state[thread].asleep && !state[thread].woke_last) moves.push_back({thread, Move::Kind::spurious});
  }
  return moves;
}

std::string PathFinder::local_path(const OracleState& state, int number) const {
  const OracleThread& thread = state[number];
  LocalPath::Where where = thread.ended ? LocalPath::Where::ended : LocalPath::Where::stands;
  if (state.stopped && state.bug.place == toy_place(number, thread.at)) where = LocalPath::Where::failed;
  return thread.path_taken.text(number, where, static_cast<std::size_t>(thread.at));
}

void PathFinder::take_local_paths(const OracleState& state) {
  for (int thread = 0; thread < kOracleThreads; ++thread) {
    const OracleThread& me = state[thread];
    if (me.created && settings_.form == PathForm::with_values) {
      for (std::string& sequence : sequences_of_values(local_path(state, thread)))
        paths_.sequences_of_values.insert(std::move(sequence));
    }
    if (me.created && !stands_at_join(code_, thread, static_cast<std::size_t>(me.at)))
      paths_.local_paths.insert(local_path(state, thread));
  }
}

void PathFinder::finish(const OracleState& state) {
  const Ending ending = ending_of(interpreter_, state);
  if (ending.has_bug) paths_.bugs.insert(ending.bug);
  std::string path;
  for (int thread = 0; thread < kOracleThreads; ++thread) {
    if (state[thread].created) path += (path.empty() ? "" : "; ") + local_path(state, thread);
  }
  paths_.paths.insert(path);
}

}  // namespace

Paths find_paths(const ToyCode& code, const PathSettings& settings) {
  THRUM_CHECK(code.threads.size() <= kOracleThreads);
  Paths paths;
  PathFinder(code, settings, paths).run();
  return paths;
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/oracle.hpp"

#include <algorithm>

#include "oracle/interpreter.hpp"
#include "support/check.hpp"

namespace thrum {

namespace {

// An execution so far.
struct History {
  std::string schedule;
  int preemptions = 0;
  int delays = 0;
  std::vector<Event> events;
};

class Enumerator {
 public:
  Enumerator(const ToyCode& code, const OracleSettings& settings, Findings& findings)
      : code_(code),
        interpreter_(code, settings.plain_is_visible),
        spurious_(code.spurious),
        settings_(settings),
        findings_(findings) {}

  void run() { explore(interpreter_.start(), 0, {}); }

 private:
  void explore(const OracleState& state, int running, const History& history);
  void finish(const OracleState& state, const History& history);
  void take_local_states(const OracleState& state, const History& history);

  const ToyCode& code_;
  Interpreter interpreter_;
  bool spurious_;
  const OracleSettings& settings_;
  Findings& findings_;
  std::size_t finished_ = 0;  // executions
};

void Enumerator::take_local_states(const OracleState& state, const History& history) {
  for (std::size_t i = 0; i < kOracleThreads; ++i) {
    const OracleThread& thread = state.threads[i];
    if (!thread.created || stands_at_join(code_, static_cast<int>(i), static_cast<std::size_t>(thread.at)))
      continue;
    std::size_t at = thread.ended ? kToyOver : static_cast<std::size_t>(thread.at);
    std::string text = print_local_state(static_cast<int>(i), at, thread.registers);
    auto [known, added] = findings_.local_states.try_emplace(text, history.preemptions);
    if (!added) known->second = std::min(known->second, history.preemptions);
  }
}

void Enumerator::explore(const OracleState& state, int running, const History& history) {
  if (findings_.gave_up) return;
  if (settings_.count_local_states) take_local_states(state, history);
  if (settings_.only_races) {
    findings_.racy = findings_.racy || state.racy;
    if (findings_.racy) return;
  }
  if (state.stopped) return finish(state, history);
  std::vector<int> ready;
  std::vector<int> timed;
  std::vector<int> wakeable;
  for (int thread : interpreter_.by_name(state)) {
    if (interpreter_.enabled(state, thread)) ready.push_back(thread);
    if (state[thread].asleep && interpreter_.next(state, thread)->opcode == Opcode::timed_wait)
      timed.push_back(thread);
    if (spurious_ && state[thread].asleep && !state[thread].woke_last) wakeable.push_back(thread);
  }
  if (ready.empty() && timed.empty()) return finish(state, history);

  if (ready.empty()) {
    // Nothing else can run: the earliest deadline, at no cost.
    auto deadline = [&](int thread) { return interpreter_.next(state, thread)->operands[3]; };
    int earliest = kConstantMax;
    for (int thread : timed) earliest = std::min<int>(earliest, deadline(thread));
    std::erase_if(timed, [&](int thread) { return deadline(thread) != earliest; });
  }

  // Round-robin: the thread that runs and those behind it in order; one that yields goes last; timeouts after
  // all.
  bool can_stay = interpreter_.enabled(state, running);
  bool yields = can_stay && interpreter_.next(state, running)->opcode == Opcode::yield;
  std::vector<int> round = ready;
  auto first = [&](int thread) {
    return yields || !can_stay ? state[thread].path > state[running].path
                               : state[thread].path >= state[running].path;
  };
  std::stable_partition(round.begin(), round.end(), first);

  auto go = [&](Move move, int preemptions, int delays) {
    for (int way = 0; way < interpreter_.count_ways(state, move); ++way) {
      OracleState after = state;
      History longer = history;
      longer.preemptions += preemptions;
      longer.delays += delays;
      Event event = interpreter_.step(after, move, way, longer.schedule);
      if (settings_.count_classes) longer.events.push_back(event);
      explore(after, move.thread, longer);
    }
  };
  auto leaves = [&](int thread) { return thread != running && can_stay && !yields ? 1 : 0; };
  int place = 0;
  for (int thread : round) go({thread, Move::Kind::step}, leaves(thread), place++);
  for (int thread : timed) {
    if (ready.empty()) {
      go({thread, Move::Kind::timeout}, 0, 0);
    } else {
      go({thread, Move::Kind::timeout}, leaves(thread) + 1, place++);
    }
  }
  // Wake-ups for no reason come last, and are not what a deadlock waits for.
  for (int thread : wakeable)
    go({thread, Move::Kind::spurious}, leaves(thread) + 1, ready.empty() ? 1 : place++);
}

void Enumerator::finish(const OracleState& state, const History& history) {
  ++finished_;
  findings_.gave_up = settings_.executions_max != 0 && finished_ > settings_.executions_max;
  findings_.stopped = findings_.stopped || state.stopped;
  if (settings_.only_races) return;
  Ending ending = ending_of(interpreter_, state);
  ending.preemptions = history.preemptions;
  ending.delays = history.delays;
  if (!state.stopped && settings_.count_classes) findings_.classes.insert(name_of_class(history.events));
  if (ending.has_bug) {
    auto [known, added] = findings_.bugs.try_emplace(ending.bug, ending.preemptions);
    if (!added) known->second = std::min(known->second, ending.preemptions);
  }
  ++findings_.by_preemptions[ending.preemptions];
  ++findings_.by_delays[ending.delays];
  findings_.racy = findings_.racy || state.racy;
  findings_.executions.emplace(history.schedule, ending);
}

}  // namespace

Ending ending_of(const Interpreter& interpreter, const OracleState& state) {
  Ending ending{0, 0, state.racy, state.stopped, state.bug, {}};
  if (state.stopped) return ending;
  FinalState& last = ending.state;
  last = {state.shared, state.plain, state.holder, state.semaphores, {}};
  for (std::size_t i = 0; i < kOracleThreads; ++i) {
    const OracleThread& thread = state.threads[i];
    if (!thread.created) continue;
    last.threads[i].status =
        thread.ended ? FinalState::Thread::Status::ended : FinalState::Thread::Status::live;
    last.threads[i].at = static_cast<std::uint8_t>(thread.ended ? 0 : thread.at);
    last.threads[i].in_wait = thread.asleep || thread.woken;
    last.threads[i].registers = thread.registers;
    if (!thread.lives()) continue;
    ending.has_bug = true;
    ending.bug.kind = BugKind::deadlock;
    if (interpreter.next(state, static_cast<int>(i))->opcode != Opcode::join)
      ending.bug.waits.insert(toy_place(static_cast<int>(i), static_cast<int>(thread.at)));
  }
  return ending;
}

// The lexicographically first order of the events in which dependent ones stand as they do here.
std::string name_of_class(const std::vector<Event>& events) {
  std::string text;
  std::vector<bool> done(events.size());
  for (std::size_t count = 0; count < events.size(); ++count) {
    std::size_t best = events.size();
    for (std::size_t i = 0; i < events.size(); ++i) {
      bool free = !done[i];
      for (std::size_t j = 0; j < i && free; ++j) free = done[j] || !dependent(events[j], events[i]);
      if (free && (best == events.size() || events[i].thread < events[best].thread)) best = i;
    }
    done[best] = true;
    const Event& event = events[best];
    text += std::to_string(event.thread) + ':' + std::to_string(static_cast<int>(event.operation)) + ':' +
            std::to_string(event.value) + ' ';
  }
  return text;
}

std::set<std::string> Findings::final_states() const {
  std::set<std::string> states;
  for (const auto& [schedule, ending] : executions) {
    if (!ending.has_bug || ending.bug.kind == BugKind::deadlock) states.insert(print(ending.state));
  }
  return states;
}

Findings enumerate(const ToyCode& code, const OracleSettings& settings) {
  THRUM_CHECK(code.threads.size() <= kOracleThreads);
  Findings findings;
  Enumerator(code, settings, findings).run();
  return findings;
}

}  // namespace thrum

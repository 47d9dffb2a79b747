// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/oracle.hpp"

#include <algorithm>

#include "model/event.hpp"

namespace thrum {

namespace {

// One component for each thread: how far that thread had come.
using Clock = std::array<int, kToyThreads>;

void join(Clock& clock, const Clock& other) {
  for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

// All of it is copied at each step.
struct Thread {
  bool created = false;
  bool ended = false;
  bool asleep = false;
  bool woken = false;
  bool timed_out = false;
  int creator = 0;
  int at = 0;
  int events = 0;
  int children = 0;
  std::array<int, kToyThreads> path{};  // ordinals from main down; 0 behind the last
  std::array<int, kToyRegisters> registers{};
  Clock clock{};

  bool lives() const { return created && !ended; }
};

struct PlainData {
  Clock written{};  // by each thread, last
  Clock read{};
};

struct State {
  std::array<Thread, kToyThreads> threads;
  FinalState::Objects shared{};
  FinalState::Objects plain{};
  FinalState::Objects holder{-1, -1, -1};
  FinalState::Objects semaphores{};
  // What synchronizes with whoever acquires the object next.
  std::array<Clock, kToyObjects> shared_released{};
  std::array<Clock, kToyObjects> mutex_released{};
  std::array<Clock, kToyObjects> semaphore_released{};
  std::array<PlainData, kToyObjects> accesses{};
  bool racy = false;
  bool stopped = false;
  ToyBug bug;
};

// One of the ways in which an execution can go on.
struct Move {
  int thread;
  bool timeout;
};

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
      : code_(code), settings_(settings), findings_(findings) {}

  void run() {
    State state;
    state.threads[0].created = true;
    settle(state, 0);
    explore(state, 0, {});
  }

 private:
  void explore(const State& state, int running, const History& history);
  void finish(const State& state, const History& history);
  const Instruction* next(const State& state, int thread) const;
  bool is_hidden(Opcode opcode) const;
  bool enabled(const State& state, int thread) const;
  std::vector<int> by_name(const State& state) const;
  std::vector<int> sleepers(const State& state, int condition) const;
  int count_ways(const State& state, Move move) const;
  void step(State& state, Move move, int way, History& history) const;
  void execute(State& state, int thread, int way, Event& event, History& history) const;
  void execute_memory(State& state, int thread, Event& event) const;
  void execute_mutex(State& state, int thread, Event& event) const;
  void execute_wait(State& state, int thread, Event& event) const;
  void release(State& state, int thread, int mutex) const;
  void settle(State& state, int thread) const;
  void hidden(State& state, int thread) const;
  void access(State& state, int thread, const Instruction& instruction) const;
  static int value(const State& state, int thread, int operand);
  void fail(State& state, BugKind kind, int thread) const;

  const ToyCode& code_;
  const OracleSettings& settings_;
  Findings& findings_;
};

Thread& at(State& state, int thread) { return state.threads[static_cast<std::size_t>(thread)]; }
const Thread& at(const State& state, int thread) { return state.threads[static_cast<std::size_t>(thread)]; }

const Instruction* Enumerator::next(const State& state, int thread) const {
  const std::vector<Instruction>& list = code_.threads[static_cast<std::size_t>(thread)];
  auto place = static_cast<std::size_t>(at(state, thread).at);
  return place < list.size() ? &list[place] : nullptr;
}

bool Enumerator::is_hidden(Opcode opcode) const {
  if (opcode == Opcode::read || opcode == Opcode::write) return !settings_.plain_is_visible;
  return opcode == Opcode::create || opcode == Opcode::join || opcode == Opcode::equal ||
         opcode == Opcode::unequal || opcode == Opcode::skip;
}

bool Enumerator::enabled(const State& state, int thread) const {
  const Thread& me = at(state, thread);
  if (!me.lives() || me.asleep) return false;
  const Instruction& instruction = *next(state, thread);
  if (me.woken) return state.holder[instruction.operands[1]] == -1;
  if (instruction.opcode == Opcode::lock) return state.holder[instruction.operands[0]] == -1;
  if (instruction.opcode == Opcode::down) return state.semaphores[instruction.operands[0]] > 0;
  return instruction.opcode != Opcode::join;
}

std::vector<int> Enumerator::by_name(const State& state) const {
  std::vector<int> threads;
  for (int i = 0; i < kToyThreads; ++i) {
    if (at(state, i).created) threads.push_back(i);
  }
  std::sort(threads.begin(), threads.end(), [&](int a, int b) { return at(state, a).path < at(state, b).path; });
  return threads;
}

std::vector<int> Enumerator::sleepers(const State& state, int condition) const {
  std::vector<int> found;
  for (int i = 0; i < kToyThreads; ++i) {
    if (at(state, i).asleep && next(state, i)->operands[0] == condition) found.push_back(i);
  }
  return found;
}

void Enumerator::explore(const State& state, int running, const History& history) {
  if (findings_.gave_up) return;
  if (state.stopped) return finish(state, history);
  std::vector<int> ready;
  std::vector<int> timed;
  for (int thread : by_name(state)) {
    if (enabled(state, thread)) ready.push_back(thread);
    if (at(state, thread).asleep && next(state, thread)->opcode == Opcode::timed_wait) timed.push_back(thread);
  }
  if (ready.empty() && timed.empty()) return finish(state, history);

  if (ready.empty()) {
    // Nothing else can run: the earliest deadline, at no cost.
    auto deadline = [&](int thread) { return next(state, thread)->operands[3]; };
    int earliest = kConstantMax;
    for (int thread : timed) earliest = std::min<int>(earliest, deadline(thread));
    std::erase_if(timed, [&](int thread) { return deadline(thread) != earliest; });
  }

  // Round-robin: the thread that runs and those behind it in order; one that yields goes last; timeouts after all.
  bool can_stay = enabled(state, running);
  bool yields = can_stay && next(state, running)->opcode == Opcode::yield;
  std::vector<int> round = ready;
  auto first = [&](int thread) {
    return yields || !can_stay ? at(state, thread).path > at(state, running).path
                               : at(state, thread).path >= at(state, running).path;
  };
  std::stable_partition(round.begin(), round.end(), first);

  auto go = [&](Move move, int preemptions, int delays) {
    for (int way = 0; way < count_ways(state, move); ++way) {
      State after = state;
      History longer = history;
      longer.preemptions += preemptions;
      longer.delays += delays;
      step(after, move, way, longer);
      explore(after, move.thread, longer);
    }
  };
  auto leaves = [&](int thread) { return thread != running && can_stay && !yields ? 1 : 0; };
  int place = 0;
  for (int thread : round) go({thread, false}, leaves(thread), place++);
  for (int thread : timed) {
    if (ready.empty()) {
      go({thread, true}, 0, 0);
    } else {
      go({thread, true}, leaves(thread) + 1, place++);
    }
  }
}

// How many ways the move can go: the waiter that a signal wakes, the value chosen.
int Enumerator::count_ways(const State& state, Move move) const {
  const Instruction& instruction = *next(state, move.thread);
  if (instruction.opcode == Opcode::choose) return instruction.operands[1];
  if (instruction.opcode != Opcode::signal) return 1;
  return std::max(1, static_cast<int>(sleepers(state, instruction.operands[0]).size()));
}

void Enumerator::step(State& state, Move move, int way, History& history) const {
  Thread& me = at(state, move.thread);
  Event event;
  event.thread = static_cast<ThreadId>(move.thread);
  event.index = static_cast<std::uint32_t>(me.events++);
  history.schedule += static_cast<char>('0' + move.thread);
  ++me.clock[static_cast<std::size_t>(move.thread)];
  if (move.timeout) {
    history.schedule += '!';
    event.operation = Operation::timeout;
    event.object = 100u + next(state, move.thread)->operands[0];
    me.asleep = false;
    me.woken = me.timed_out = true;
  } else {
    execute(state, move.thread, way, event, history);
  }
  settle(state, move.thread);
  if (settings_.count_classes) history.events.push_back(event);
}

// Objects of events: variables from 1, plain data from 20, mutexes from 50, condition variables from 100, semaphores
// from 150. Only `dependent` looks at them.
void Enumerator::execute(State& state, int thread, int way, Event& event, History& history) const {
  Thread& me = at(state, thread);
  const Instruction& instruction = *next(state, thread);
  auto [a, b, c, d] = instruction.operands;
  switch (instruction.opcode) {
    case Opcode::lock:
    case Opcode::try_lock:
    case Opcode::unlock: execute_mutex(state, thread, event); break;
    case Opcode::wait:
    case Opcode::timed_wait: execute_wait(state, thread, event); break;
    case Opcode::signal: {
      event.operation = Operation::signal;
      event.object = 100u + a;
      std::vector<int> candidates = sleepers(state, a);
      if (candidates.empty()) break;
      int woken = candidates[static_cast<std::size_t>(way)];
      at(state, woken).asleep = false;
      at(state, woken).woken = true;
      event.value = static_cast<std::uint64_t>(woken) + 1;
      history.schedule += {'>', static_cast<char>('0' + woken)};
      break;
    }
    case Opcode::broadcast:
      event.operation = Operation::broadcast;
      event.object = 100u + a;
      for (int sleeper : sleepers(state, a)) {
        at(state, sleeper).asleep = false;
        at(state, sleeper).woken = true;
      }
      break;
    case Opcode::down:
      event.operation = Operation::semaphore_wait;
      event.object = 150u + a;
      --state.semaphores[a];
      join(me.clock, state.semaphore_released[a]);
      break;
    case Opcode::up:
      event.operation = Operation::semaphore_post;
      event.object = 150u + a;
      ++state.semaphores[a];
      join(state.semaphore_released[a], me.clock);
      break;
    case Opcode::yield: event.operation = Operation::yield; break;
    case Opcode::choose:
      event.operation = Operation::choose;
      me.registers[a] = way;
      event.value = static_cast<std::uint64_t>(way);
      history.schedule += {'=', static_cast<char>('0' + way)};
      break;
    default: execute_memory(state, thread, event);
  }
  // A thread that fell asleep, or failed, stays where it is.
  if (!me.asleep && !state.stopped) ++me.at;
}

void Enumerator::execute_memory(State& state, int thread, Event& event) const {
  Thread& me = at(state, thread);
  const Instruction& instruction = *next(state, thread);
  auto [a, b, c, d] = instruction.operands;
  event.object = 1u + a;
  switch (instruction.opcode) {
    case Opcode::load:
      event.operation = Operation::load;
      me.registers[b] = state.shared[a];
      join(me.clock, state.shared_released[a]);
      break;
    case Opcode::store:
      event.operation = Operation::store;
      state.shared[a] = value(state, thread, b);
      state.shared_released[a] = me.clock;
      break;
    case Opcode::add: {
      event.operation = Operation::read_modify_write;
      int added = value(state, thread, c);
      if (added == 0) event.outcome = Outcome::unchanged;
      me.registers[b] = state.shared[a];
      state.shared[a] += added;
      join(me.clock, state.shared_released[a]);
      state.shared_released[a] = me.clock;
      break;
    }
    case Opcode::cas: {
      event.operation = Operation::compare_exchange;
      bool equal = state.shared[a] == value(state, thread, c);
      join(me.clock, state.shared_released[a]);
      if (equal) {
        state.shared[a] = value(state, thread, d);
        state.shared_released[a] = me.clock;
      } else {
        event.outcome = Outcome::failed;
      }
      me.registers[b] = equal ? 1 : 0;
      break;
    }
    default:
      event.operation = instruction.opcode == Opcode::read ? Operation::plain_load : Operation::plain_store;
      event.object = 20u + a;
      access(state, thread, instruction);
  }
}

void Enumerator::execute_mutex(State& state, int thread, Event& event) const {
  Thread& me = at(state, thread);
  const Instruction& instruction = *next(state, thread);
  auto [a, b, c, d] = instruction.operands;
  event.object = 50u + a;
  if (instruction.opcode == Opcode::unlock) {
    event.operation = Operation::unlock;
    return release(state, thread, a);
  }
  event.operation = instruction.opcode == Opcode::lock ? Operation::lock : Operation::try_lock;
  bool free = state.holder[a] == -1;
  if (instruction.opcode == Opcode::try_lock) me.registers[b] = free ? 1 : 0;
  if (free) {
    state.holder[a] = thread;
    join(me.clock, state.mutex_released[a]);
  } else {
    event.outcome = Outcome::failed;
  }
}

void Enumerator::execute_wait(State& state, int thread, Event& event) const {
  Thread& me = at(state, thread);
  const Instruction& instruction = *next(state, thread);
  auto [condition, mutex, result, deadline] = instruction.operands;
  event.object = 100u + condition;
  event.operand = 50u + mutex;
  if (!me.woken) {
    event.operation = Operation::wait_release;
    me.asleep = true;
    return release(state, thread, mutex);
  }
  event.operation = Operation::wait_reacquire;
  if (me.timed_out) event.outcome = Outcome::timed_out;
  state.holder[mutex] = thread;
  join(me.clock, state.mutex_released[mutex]);
  if (instruction.opcode == Opcode::timed_wait) me.registers[result] = me.timed_out ? 1 : 0;
  me.woken = me.timed_out = false;
}

void Enumerator::release(State& state, int thread, int mutex) const {
  auto m = static_cast<std::size_t>(mutex);
  if (state.holder[m] != thread) return fail(state, BugKind::lock_misuse, thread);
  state.holder[m] = -1;
  state.mutex_released[m] = at(state, thread).clock;
}

// A plain access races with one of another thread that did not happen before it, if one of the two writes.
void Enumerator::access(State& state, int thread, const Instruction& instruction) const {
  Thread& me = at(state, thread);
  auto [a, b, c, d] = instruction.operands;
  bool writes = instruction.opcode == Opcode::write;
  PlainData& data = state.accesses[a];
  for (std::size_t other = 0; other < kToyThreads; ++other) {
    if (other == static_cast<std::size_t>(thread)) continue;
    if (data.written[other] > me.clock[other]) state.racy = true;
    if (writes && data.read[other] > me.clock[other]) state.racy = true;
  }
  (writes ? data.written : data.read)[static_cast<std::size_t>(thread)] = me.clock[static_cast<std::size_t>(thread)];
  if (writes) {
    state.plain[a] = value(state, thread, b);
  } else {
    me.registers[b] = state.plain[a];
  }
}

void Enumerator::settle(State& state, int thread) const {
  while (!state.stopped && at(state, thread).lives()) {
    const Instruction* instruction = next(state, thread);
    if (!instruction) {
      at(state, thread).ended = true;
      // Its creator may stand at the join.
      if (thread != 0) settle(state, at(state, thread).creator);
      return;
    }
    if (!is_hidden(instruction->opcode)) return;
    if (instruction->opcode == Opcode::join && at(state, instruction->operands[0]).lives()) return;
    hidden(state, thread);
  }
}

void Enumerator::hidden(State& state, int thread) const {
  Thread& me = at(state, thread);
  const Instruction& instruction = *next(state, thread);
  auto [a, b, c, d] = instruction.operands;
  ++me.clock[static_cast<std::size_t>(thread)];
  ++me.at;
  switch (instruction.opcode) {
    case Opcode::create: {
      Thread& child = at(state, a);
      child.created = true;
      child.creator = thread;
      child.path = me.path;
      *std::find(child.path.begin(), child.path.end(), 0) = ++me.children;
      child.clock = me.clock;
      settle(state, a);
      break;
    }
    case Opcode::join: join(me.clock, at(state, a).clock); break;
    case Opcode::equal:
    case Opcode::unequal: {
      bool equal = me.registers[a] == value(state, thread, b);
      if (equal == (instruction.opcode == Opcode::equal)) break;
      --me.at;
      fail(state, BugKind::assertion, thread);
      break;
    }
    case Opcode::skip:
      if (me.registers[a] == value(state, thread, b)) me.at += c;
      break;
    default: access(state, thread, instruction);
  }
}

int Enumerator::value(const State& state, int thread, int operand) {
  if (operand < kRegisterOperand) return operand;
  return at(state, thread).registers[static_cast<std::size_t>(operand - kRegisterOperand)];
}

void Enumerator::fail(State& state, BugKind kind, int thread) const {
  state.stopped = true;
  state.bug = {kind, toy_place(thread, at(state, thread).at)};
}

// The lexicographically first order of the events in which dependent ones stand as they do here.
std::string first_linearization(const std::vector<Event>& events) {
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
    text += std::to_string(event.thread) + ':' + std::to_string(event.value) + ' ';
  }
  return text;
}

void Enumerator::finish(const State& state, const History& history) {
  Ending ending{history.preemptions, history.delays, state.stopped, state.bug, {}};
  if (!state.stopped) {
    FinalState& last = ending.state;
    last = {state.shared, state.plain, state.holder, state.semaphores, {}};
    for (std::size_t i = 0; i < kToyThreads; ++i) {
      const Thread& thread = state.threads[i];
      if (!thread.created) continue;
      last.threads[i].status = thread.ended ? FinalState::Thread::Status::ended : FinalState::Thread::Status::live;
      last.threads[i].at = static_cast<std::uint8_t>(thread.ended ? 0 : thread.at);
      last.threads[i].in_wait = thread.asleep || thread.woken;
      last.threads[i].registers = thread.registers;
      if (thread.lives()) {
        ending.has_bug = true;
        ending.bug = {BugKind::deadlock, 0};
      }
    }
    if (settings_.count_classes) findings_.classes.insert(first_linearization(history.events));
  }
  if (ending.has_bug) {
    auto [known, added] = findings_.bugs.try_emplace(ending.bug, ending.preemptions);
    if (!added) known->second = std::min(known->second, ending.preemptions);
  }
  ++findings_.by_preemptions[ending.preemptions];
  ++findings_.by_delays[ending.delays];
  findings_.racy = findings_.racy || state.racy;
  findings_.executions.emplace(history.schedule, ending);
  findings_.gave_up = settings_.executions_max != 0 && findings_.executions.size() > settings_.executions_max;
}

}  // namespace

std::set<std::string> Findings::final_states() const {
  std::set<std::string> states;
  for (const auto& [schedule, ending] : executions) {
    if (!ending.has_bug || ending.bug.kind == BugKind::deadlock) states.insert(print(ending.state));
  }
  return states;
}

Findings enumerate(const ToyCode& code, const OracleSettings& settings) {
  Findings findings;
  Enumerator(code, settings, findings).run();
  return findings;
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/interpreter.hpp"

#include <algorithm>

namespace thrum {

namespace {

void join(Clock& clock, const Clock& other) {
  for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

int value(const OracleState& state, int thread, int operand) {
  if (operand < kRegisterOperand) return operand;
  return state[thread].registers[static_cast<std::size_t>(operand - kRegisterOperand)];
}

int wrapped(std::uint32_t value) { return static_cast<int>(value); }

std::uint32_t number(int value) { return static_cast<std::uint32_t>(value); }

int plus(int a, int b) { return wrapped(number(a) + number(b)); }

void give(OracleState& state, const std::vector<int>& inputs) {
  state.inputs = inputs;
  state.inputs_taken = 0;
  state.missing_bits = 0;
}

// Unordered with something that the thread does now.
bool unordered(const OracleThread& me, const Clock& earlier) {
  for (std::size_t i = 0; i < earlier.size(); ++i) {
    if (earlier[i] > me.clock[i]) return true;
  }
  return false;
}

// An access races with one that did not happen before it, if one of the two writes and one is not atomic. A
// thread's own accesses all happened before.
void judge(OracleState& state, int thread, Accesses& before, bool writes, bool atomic) {
  const OracleThread& me = state[thread];
  if (unordered(me, before.written)) state.racy = true;
  if (!atomic && unordered(me, before.written_atomically)) state.racy = true;
  if (writes && unordered(me, before.read)) state.racy = true;
  if (writes && !atomic && unordered(me, before.read_atomically)) state.racy = true;
  Clock& last = writes ? (atomic ? before.written_atomically : before.written)
                       : (atomic ? before.read_atomically : before.read);
  last[static_cast<std::size_t>(thread)] = me.clock[static_cast<std::size_t>(thread)];
}

// The thread has read what was released at the variable.
void learn(OracleThread& me, const Clock& released, Order order) {
  join(acquires(order) ? me.clock : me.read_relaxed, released);
}

// What the thread's write lets others know.
const Clock& passed_on(const OracleThread& me, Order order) {
  return releases(order) ? me.clock : me.at_last_fence;
}

}  // namespace

OracleState Interpreter::start(const std::vector<int>& inputs) const {
  OracleState state;
  give(state, inputs);
  state[0].created = true;
  settle(state, 0);
  return state;
}

const Instruction* Interpreter::next(const OracleState& state, int thread) const {
  const std::vector<Instruction>& list = code_.threads[static_cast<std::size_t>(thread)];
  auto place = static_cast<std::size_t>(state[thread].at);
  return place < list.size() ? &list[place] : nullptr;
}

bool Interpreter::is_hidden(Opcode opcode) const {
  if (is_plain(opcode)) return !plain_is_visible_;
  switch (opcode) {
    case Opcode::create:
    case Opcode::join:
    case Opcode::equal:
    case Opcode::unequal:
    case Opcode::skip:
    case Opcode::below:
    case Opcode::input:
    case Opcode::sum:
    case Opcode::subtract: return true;
    default: return false;
  }
}

bool Interpreter::enabled(const OracleState& state, int thread) const {
  const OracleThread& me = state[thread];
  if (!me.lives() || me.asleep) return false;
  const Instruction& instruction = *next(state, thread);
  if (me.woken) return state.holder[instruction.operands[1]] == -1;
  if (instruction.opcode == Opcode::lock) return state.holder[instruction.operands[0]] == -1;
  if (instruction.opcode == Opcode::down) return state.semaphores[instruction.operands[0]] > 0;
  return instruction.opcode != Opcode::join;
}

std::vector<int> Interpreter::by_name(const OracleState& state) const {
  std::vector<int> threads;
  for (int i = 0; i < kOracleThreads; ++i) {
    if (state[i].created) threads.push_back(i);
  }
  std::sort(threads.begin(), threads.end(), [&](int a, int b) { return state[a].path < state[b].path; });
  return threads;
}

std::vector<int> Interpreter::sleepers(const OracleState& state, int condition) const {
  std::vector<int> found;
  for (int i = 0; i < kOracleThreads; ++i) {
    if (state[i].asleep && next(state, i)->operands[0] == condition) found.push_back(i);
  }
  return found;
}

int Interpreter::count_ways(const OracleState& state, Move move) const {
  if (move.kind != Move::Kind::step) return 1;
  const Instruction& instruction = *next(state, move.thread);
  if (instruction.opcode == Opcode::choose) return instruction.operands[1];
  if (instruction.opcode != Opcode::signal) return 1;
  return std::max(1, static_cast<int>(sleepers(state, instruction.operands[0]).size()));
}

Event Interpreter::step(OracleState& state, Move move, int way, std::string& schedule,
                        const std::vector<int>& inputs) const {
  give(state, inputs);
  OracleThread& me = state[move.thread];
  Event event;
  event.thread = static_cast<ThreadId>(move.thread);
  event.index = static_cast<std::uint32_t>(me.events++);
  schedule += static_cast<char>('0' + move.thread);
  ++me.clock[static_cast<std::size_t>(move.thread)];
  for (OracleThread& thread : state.threads) {
    if (&thread != &me) thread.woke_last = false;
  }
  if (move.kind != Move::Kind::step) {
    bool timeout = move.kind == Move::Kind::timeout;
    schedule += timeout ? '!' : '~';
    event.operation = timeout ? Operation::timeout : Operation::spurious_wake;
    event.object = 100u + next(state, move.thread)->operands[0];
    me.asleep = false;
    me.woken = true;
    me.timed_out = timeout;
    if (!timeout) me.woke_last = true;
  } else {
    execute(state, move.thread, way, event, schedule);
  }
  settle(state, move.thread);
  return event;
}

// Objects of events: variables from 1, plain data from 20, mutexes from 50, condition variables from 100,
// semaphores from 150. Only `dependent` looks at them.
void Interpreter::execute(OracleState& state, int thread, int way, Event& event,
                          std::string& schedule) const {
  OracleThread& me = state[thread];
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
      state[woken].asleep = false;
      state[woken].woken = true;
      event.value = static_cast<std::uint64_t>(woken) + 1;
      schedule += {'>', static_cast<char>('0' + woken)};
      break;
    }
    case Opcode::broadcast:
      event.operation = Operation::broadcast;
      event.object = 100u + a;
      for (int sleeper : sleepers(state, a)) {
        state[sleeper].asleep = false;
        state[sleeper].woken = true;
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
      note_outcome(me, me.at, way);
      event.value = static_cast<std::uint64_t>(way);
      schedule += {'=', static_cast<char>('0' + way)};
      break;
    case Opcode::fence:
      event.operation = Operation::fence;
      if (acquires(instruction.order)) join(me.clock, me.read_relaxed);
      if (releases(instruction.order)) me.at_last_fence = me.clock;
      break;
    case Opcode::move:
    case Opcode::add_both: execute_section(state, thread, event); break;
    default:
      if (is_plain(instruction.opcode)) {
        execute_plain(state, thread, event);
      } else {
        execute_memory(state, thread, event);
      }
  }
  // A thread that fell asleep, or failed, stays where it is.
  if (!me.asleep && !state.stopped) ++me.at;
}

void Interpreter::execute_section(OracleState& state, int thread, Event& event) const {
  const Instruction& instruction = *next(state, thread);
  auto [a, b, c, d] = instruction.operands;
  OracleThread& me = state[thread];
  event.operation = Operation::atomic_section;
  if (instruction.opcode == Opcode::move) {
    note_value(me, state.shared[a]);
    me.registers[c] = note_value(me, state.shared[b]);
    state.shared[b] = state.shared[a];
    return;
  }
  const int added = value(state, thread, c);
  state.shared[a] = plus(note_value(me, state.shared[a]), added);
  state.shared[b] = plus(note_value(me, state.shared[b]), added);
}

void Interpreter::execute_memory(OracleState& state, int thread, Event& event) const {
  OracleThread& me = state[thread];
  const Instruction& instruction = *next(state, thread);
  auto [a, b, c, d] = instruction.operands;
  if (instruction.opcode == Opcode::load_at || instruction.opcode == Opcode::store_at) {
    a = static_cast<std::uint8_t>(number(me.registers[a]) % 3);
    note_outcome(me, me.at, a);
  }
  event.object = 1u + a;
  switch (instruction.opcode) {
    case Opcode::load:
    case Opcode::load_at:
      event.operation = Operation::load;
      me.registers[b] = note_value(me, state.shared[a]);
      learn(me, state.shared_released[a], instruction.order);
      judge(state, thread, state.shared_accesses[a], false, true);
      break;
    case Opcode::store:
    case Opcode::store_at:
      event.operation = Operation::store;
      judge(state, thread, state.shared_accesses[a], true, true);
      state.shared[a] = value(state, thread, b);
      state.shared_released[a] = passed_on(me, instruction.order);
      break;
    case Opcode::add: {
      event.operation = Operation::read_modify_write;
      int added = value(state, thread, c);
      if (added == 0) event.outcome = Outcome::unchanged;
      me.registers[b] = note_value(me, state.shared[a]);
      state.shared[a] = plus(state.shared[a], added);
      learn(me, state.shared_released[a], instruction.order);
      judge(state, thread, state.shared_accesses[a], true, true);
      // A release sequence goes on: what its head lets others know stays.
      if (added != 0) join(state.shared_released[a], passed_on(me, instruction.order));
      break;
    }
    default: {
      event.operation = Operation::compare_exchange;
      bool equal = note_value(me, state.shared[a]) == value(state, thread, c);
      note_outcome(me, me.at, equal ? 1 : 0);
      learn(me, state.shared_released[a], instruction.order);
      judge(state, thread, state.shared_accesses[a], equal, true);
      if (equal) {
        if (state.shared[a] == value(state, thread, d)) event.outcome = Outcome::unchanged;
        state.shared[a] = value(state, thread, d);
        if (event.outcome == Outcome::done) join(state.shared_released[a], passed_on(me, instruction.order));
      } else {
        event.outcome = Outcome::failed;
      }
      me.registers[b] = equal ? 1 : 0;
    }
  }
}

// As a step of its own.
void Interpreter::execute_plain(OracleState& state, int thread, Event& event) const {
  const Instruction& instruction = *next(state, thread);
  switch (instruction.opcode) {
    case Opcode::read:
    case Opcode::peek:
    case Opcode::read_two: event.operation = Operation::plain_load; break;
    default: event.operation = Operation::plain_store;
  }
  bool variable = instruction.opcode == Opcode::peek || instruction.opcode == Opcode::poke;
  event.object = (variable ? 1u : 20u) + instruction.operands[0];
  event.size = instruction.opcode == Opcode::read_two || instruction.opcode == Opcode::write_two ? 2 : 1;
  plain_access(state, thread, instruction);
}

void Interpreter::execute_mutex(OracleState& state, int thread, Event& event) const {
  OracleThread& me = state[thread];
  const Instruction& instruction = *next(state, thread);
  auto [a, b, c, d] = instruction.operands;
  event.object = 50u + a;
  if (instruction.opcode == Opcode::unlock) {
    event.operation = Operation::unlock;
    return release(state, thread, a);
  }
  event.operation = instruction.opcode == Opcode::lock ? Operation::lock : Operation::try_lock;
  bool free = state.holder[a] == -1;
  if (instruction.opcode == Opcode::try_lock) {
    me.registers[b] = free ? 1 : 0;
    note_outcome(me, me.at, me.registers[b]);
  }
  if (free) {
    state.holder[a] = thread;
    join(me.clock, state.mutex_released[a]);
  } else {
    event.outcome = Outcome::failed;
  }
}

void Interpreter::execute_wait(OracleState& state, int thread, Event& event) const {
  OracleThread& me = state[thread];
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
  if (instruction.opcode == Opcode::timed_wait) {
    me.registers[result] = me.timed_out ? 1 : 0;
    note_outcome(me, me.at, me.registers[result]);
  }
  me.woken = me.timed_out = false;
}

void Interpreter::release(OracleState& state, int thread, int mutex) const {
  auto m = static_cast<std::size_t>(mutex);
  if (state.holder[m] != thread) return fail(state, BugKind::lock_misuse, thread);
  state.holder[m] = -1;
  state.mutex_released[m] = state[thread].clock;
}

void Interpreter::plain_access(OracleState& state, int thread, const Instruction& instruction) const {
  OracleThread& me = state[thread];
  auto [a, b, c, d] = instruction.operands;
  switch (instruction.opcode) {
    case Opcode::read:
      judge(state, thread, state.plain_accesses[a], false, false);
      me.registers[b] = note_value(me, state.plain[a]);
      break;
    case Opcode::write:
      judge(state, thread, state.plain_accesses[a], true, false);
      state.plain[a] = value(state, thread, b);
      break;
    case Opcode::read_two:
      for (std::size_t i : {std::size_t{a}, a + std::size_t{1}})
        judge(state, thread, state.plain_accesses[i], false, false);
      me.registers[b] = note_value(me, state.plain[a]);
      me.registers[b] = plus(me.registers[b], note_value(me, state.plain[a + std::size_t{1}]));
      break;
    case Opcode::write_two:
      for (std::size_t i : {std::size_t{a}, a + std::size_t{1}}) {
        judge(state, thread, state.plain_accesses[i], true, false);
        state.plain[i] = value(state, thread, b);
      }
      break;
    case Opcode::peek:
      judge(state, thread, state.shared_accesses[a], false, false);
      me.registers[b] = note_value(me, state.shared[a]);
      break;
    default:
      judge(state, thread, state.shared_accesses[a], true, false);
      state.shared[a] = value(state, thread, b);
      // No read-modify-write, so it ends release sequences.
      state.shared_released[a] = {};
  }
}

void Interpreter::settle(OracleState& state, int thread) const {
  while (!state.stopped && state[thread].lives()) {
    const Instruction* instruction = next(state, thread);
    if (!instruction) {
      state[thread].ended = true;
      // Its creator may stand at the join.
      if (thread != 0) settle(state, state[thread].creator);
      return;
    }
    if (!is_hidden(instruction->opcode)) return;
    if (instruction->opcode == Opcode::join && state[instruction->operands[0]].lives()) return;
    hidden(state, thread);
  }
}

void Interpreter::hidden(OracleState& state, int thread) const {
  OracleThread& me = state[thread];
  const Instruction& instruction = *next(state, thread);
  auto [a, b, c, d] = instruction.operands;
  ++me.clock[static_cast<std::size_t>(thread)];
  ++me.at;
  switch (instruction.opcode) {
    case Opcode::create: {
      OracleThread& child = state[a];
      child.created = true;
      child.creator = thread;
      child.path = me.path;
      *std::find(child.path.begin(), child.path.end(), 0) = ++me.children;
      child.clock = me.clock;
      settle(state, a);
      break;
    }
    case Opcode::join: join(me.clock, state[a].clock); break;
    default:
      if (is_plain(instruction.opcode)) {
        plain_access(state, thread, instruction);
      } else {
        compute(state, thread, instruction);
      }
  }
}

void Interpreter::compute(OracleState& state, int thread, const Instruction& instruction) const {
  OracleThread& me = state[thread];
  auto [a, b, c, d] = instruction.operands;
  int& target = me.registers[a];
  switch (instruction.opcode) {
    case Opcode::input:
      target = 0;
      if (state.inputs_taken < state.inputs.size()) {
        target = state.inputs[state.inputs_taken++];
      } else if (state.missing_bits == 0) {
        state.missing_bits = b;
      }
      note_value(me, target);
      break;
    case Opcode::sum: target = plus(target, value(state, thread, b)); break;
    case Opcode::subtract: target = wrapped(number(target) - number(value(state, thread, b))); break;
    case Opcode::skip:
    case Opcode::below: {
      bool equal = target == value(state, thread, b);
      bool less = number(target) < number(value(state, thread, b));
      bool leaves_out = instruction.opcode == Opcode::skip ? equal : less;
      note_outcome(me, me.at - 1, leaves_out ? 1 : 0);
      if (leaves_out) me.at += c;
      break;
    }
    default: {
      bool equal = target == value(state, thread, b);
      note_outcome(me, me.at - 1, equal ? 1 : 0);
      if (equal == (instruction.opcode == Opcode::equal)) break;
      --me.at;
      fail(state, BugKind::assertion, thread);
    }
  }
}

void Interpreter::fail(OracleState& state, BugKind kind, int thread) const {
  state.stopped = true;
  state.bug = {kind, toy_place(thread, state[thread].at)};
}

void Interpreter::note_outcome(OracleThread& thread, int at, int outcome) const {
  if (items_ != PathItems::none) thread.path_taken.add_outcome(static_cast<std::size_t>(at), outcome);
}

int Interpreter::note_value(OracleThread& thread, int value) const {
  if (items_ == PathItems::all) thread.path_taken.add_value(value);
  return value;
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each instruction does.
#include "sequentialize/machine.hpp"

#include <algorithm>

namespace thrum::seq::random {

namespace {

int compute(int operation, int left, int right) {
  auto wrap = [](unsigned value) { return static_cast<int>(value); };
  unsigned l = static_cast<unsigned>(left);
  unsigned r = static_cast<unsigned>(right);
  switch (operation) {
    case plus: return wrap(l + r);
    case minus: return wrap(l - r);
    case bit_and: return wrap(l & r);
    case bit_or: return wrap(l | r);
    case bit_xor: return wrap(l ^ r);
    case equal: return left == right ? 1 : 0;
    case different: return left != right ? 1 : 0;
    case less: return left < right ? 1 : 0;
    case at_most: return left <= right ? 1 : 0;
    default: throw NoProgram("no such operator");
  }
}

Frame frame_of(const Machine& machine, int routine) {
  Frame frame;
  frame.routine = routine;
  frame.registers.assign(
      static_cast<std::size_t>(machine.routines.at(static_cast<std::size_t>(routine)).registers), 0);
  return frame;
}

Thread thread_of(const Machine& machine, int routine, int argument) {
  Thread thread;
  thread.frames.push_back(frame_of(machine, routine));
  if (!thread.frames.back().registers.empty()) thread.frames.back().registers[0] = argument;
  return thread;
}

std::size_t at(int number) { return static_cast<std::size_t>(number); }

void create(const Machine& machine, State& state, int thread, const Instruction& i) {
  Frame& frame = state.threads[at(thread)].frames.back();
  if (state.threads.size() >= 8) throw NoProgram("too many threads");
  frame.registers[at(i.a)] = static_cast<int>(state.threads.size());
  int argument = frame.registers[at(i.c)];
  state.threads.push_back(thread_of(machine, i.b, argument));  // the frame's address is old now
  for (std::vector<bool>& each : state.waits) each.push_back(false);
}

void call(const Machine& machine, State& state, int thread, const Instruction& i) {
  Thread& it = state.threads[at(thread)];
  Frame next = frame_of(machine, i.b);
  next.result = i.a;
  for (int p = 0; p < i.d; ++p) next.registers[at(p)] = it.frames.back().registers[at(i.c + p)];
  if (it.frames.size() > 50) throw NoProgram("endless recursion");
  it.frames.push_back(std::move(next));
}

}  // namespace

bool is_at_point(const Machine& machine, const State& state, int thread) {
  const Thread& it = state.threads[at(thread)];
  if (it.frames.empty()) return true;  // its end
  return is_visible(machine.routines[at(it.frames.back().routine)].code[at(it.frames.back().at)].what);
}

State first_state(const Machine& machine) {
  State state;
  state.memory = machine.memory;
  state.owners.assign(at(machine.mutexes), 0);
  state.semaphores = machine.semaphores;
  state.waits.assign(at(machine.conditions), {false});
  state.threads.push_back(thread_of(machine, 0, 0));
  return state;
}

Stop run_local(const Machine& machine, State& state, int thread, int& failed) {
  state.threads[at(thread)].status = Thread::Status::running;
  for (unsigned steps = 0;; ++steps) {
    if (steps > 100000) throw NoProgram("an endless loop");
    Thread& it = state.threads[at(thread)];
    Frame& frame = it.frames.back();
    const Instruction& i = machine.routines[at(frame.routine)].code[at(frame.at)];
    if (is_visible(i.what)) return Stop::point;
    ++frame.at;
    auto& r = frame.registers;
    switch (i.what) {
      case Do::number: r[at(i.a)] = i.b; break;
      case Do::copy: r[at(i.a)] = r[at(i.b)]; break;
      case Do::binary: r[at(i.a)] = compute(i.d, r[at(i.b)], r[at(i.c)]); break;
      case Do::negation: r[at(i.a)] = r[at(i.b)] == 0 ? 1 : 0; break;
      case Do::jump: frame.at = i.b; break;
      case Do::jump_if_not:
        if (r[at(i.a)] == 0) frame.at = i.b;
        break;
      case Do::forget: std::fill(r.begin() + i.a, r.end(), 0); break;
      case Do::assume:
        if (r[at(i.a)] == 0) return Stop::pruned;
        break;
      case Do::fail: failed = i.b; return Stop::failed;
      case Do::atomic_end: --state.atomic; break;
      case Do::call: call(machine, state, thread, i); break;
      case Do::create: create(machine, state, thread, i); return Stop::created;
      case Do::leave:
      case Do::give_back: {
        int value = r[at(i.a)];
        int to = frame.result;
        it.frames.pop_back();
        if (i.what == Do::leave) it.frames.clear();
        if (it.frames.empty()) {
          it.result = value;
          it.status = Thread::Status::finished;
          return Stop::finished;
        }
        it.frames.back().registers[at(to)] = value;
        break;
      }
      default: throw NoProgram("no such instruction");
    }
  }
}

namespace {

// Those that meet by something. True: it was one of them.
bool meet(State& next, int self, const Instruction& i, int& result, bool& blocked, int& failed) {
  auto unlock = [&](int mutex) {
    if (next.owners.at(at(mutex)) != self + 1) failed = kWrongUnlock;
    next.owners[at(mutex)] = 0;
  };
  auto lock = [&](int mutex) {
    blocked = blocked || next.owners.at(at(mutex)) != 0;
    if (!blocked) next.owners[at(mutex)] = self + 1;
  };
  switch (i.what) {
    case Do::lock: lock(i.b); return true;
    case Do::unlock: unlock(i.b); return true;
    case Do::try_lock:
      result = next.owners.at(at(i.b)) == 0 ? 0 : 16;
      if (result == 0) next.owners[at(i.b)] = self + 1;
      return true;
    case Do::sleep:
      unlock(i.c);
      next.waits.at(at(i.b))[at(self)] = true;
      return true;
    case Do::wake:
      blocked = next.waits.at(at(i.b))[at(self)];
      lock(i.c);
      return true;
    case Do::broadcast: next.waits.at(at(i.b)).assign(next.threads.size(), false); return true;
    case Do::down:
      blocked = next.semaphores.at(at(i.b)) == 0;
      if (!blocked) --next.semaphores[at(i.b)];
      return true;
    case Do::try_down:
      result = next.semaphores.at(at(i.b)) == 0 ? -1 : 0;
      if (result == 0) --next.semaphores[at(i.b)];
      return true;
    case Do::up: ++next.semaphores.at(at(i.b)); return true;
    case Do::atomic_begin: ++next.atomic; return true;
    default: return false;
  }
}

// Memory. True: it was that.
bool access(State& next, std::vector<int>& r, const Instruction& i, int& result) {
  auto cell = [&](int in) -> int& { return next.memory.at(at(r[at(in)])); };
  switch (i.what) {
    case Do::read: result = cell(i.b); return true;
    case Do::write: cell(i.a) = r[at(i.b)]; return true;
    case Do::fetch_add:
      result = cell(i.b);
      cell(i.b) = compute(plus, result, r[at(i.c)]);
      return true;
    case Do::fetch_xor:
      result = cell(i.b);
      cell(i.b) = compute(bit_xor, result, r[at(i.c)]);
      return true;
    case Do::exchange:
      result = cell(i.b);
      cell(i.b) = r[at(i.c)];
      return true;
    case Do::compare: {
      int before = cell(i.b);
      result = before == r[at(i.c)] ? 1 : 0;
      if (result == 1) cell(i.b) = r[at(i.d)];
      if (result == 0) r[at(i.c)] = before;
      return true;
    }
    default: return false;
  }
}

bool has_result(Do what) {
  return what == Do::read || what == Do::fetch_add || what == Do::fetch_xor || what == Do::exchange ||
         what == Do::compare || what == Do::try_lock || what == Do::try_down;
}

}  // namespace

bool step(const Machine& machine, const State& state, int thread, std::vector<State>& outcomes, int& failed) {
  State next = state;
  Frame& frame = next.threads[at(thread)].frames.back();
  const Instruction& i = machine.routines[at(frame.routine)].code[at(frame.at)];
  ++frame.at;
  int result = 0;
  bool blocked = false;
  if (i.what == Do::quit) return true;
  if (i.what == Do::signal) {
    bool any = false;
    for (std::size_t t = 0; t < next.threads.size(); ++t) {
      if (!next.waits.at(at(i.b))[t]) continue;
      any = true;
      outcomes.push_back(next);
      outcomes.back().waits[at(i.b)][t] = false;
    }
    if (!any) outcomes.push_back(std::move(next));
    return false;
  }
  if (i.what == Do::join) {
    const Thread& other = next.threads.at(at(frame.registers[at(i.b)]));
    if (other.status != Thread::Status::finished) return false;
    if (i.a >= 0) frame.registers[at(i.a)] = other.result;
  } else if (!meet(next, thread, i, result, blocked, failed)) {
    access(next, frame.registers, i, result);
  }
  if (blocked) return false;
  if (has_result(i.what)) frame.registers[at(i.a)] = result;
  outcomes.push_back(std::move(next));
  return false;
}

void write_down(const State& state, std::string& text) {
  auto put = [&](int value) { text.append(reinterpret_cast<const char*>(&value), sizeof value); };
  put(static_cast<int>(state.threads.size()));
  for (const Thread& each : state.threads) {
    put(static_cast<int>(each.status));
    put(each.result);
    put(static_cast<int>(each.frames.size()));
    for (const Frame& frame : each.frames) {
      put(frame.routine);
      put(frame.at);
      put(frame.result);
      for (int value : frame.registers) put(value);
    }
  }
  for (int value : state.memory) put(value);
  for (int value : state.owners) put(value);
  for (int value : state.semaphores) put(value);
  for (const std::vector<bool>& condition : state.waits) {
    for (bool waits : condition) text += waits ? '1' : '0';
  }
  put(state.atomic);
}

}  // namespace thrum::seq::random

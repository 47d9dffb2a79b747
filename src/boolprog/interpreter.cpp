// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "boolprog/interpreter.hpp"

#include <algorithm>

#include "support/check.hpp"

namespace thrum::bp {

namespace {

using Kind = Instruction::Kind;

constexpr int kChoicesMax = 20;

void put(std::string& key, std::uint32_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) key += static_cast<char>((number >> (8 * i)) & 0xffU);
}

void put(std::string& key, const std::vector<Value>& values) {
  for (Value value : values) put(key, value, 2);
}

}  // namespace

std::string State::key() const {
  std::string key;
  key += atomic ? '1' : '0';
  put(key, globals);
  put(key, static_cast<std::uint32_t>(threads.size()), 4);
  for (const Thread& thread : threads) {
    put(key, static_cast<std::uint32_t>(thread.stack.size()) * 2 + (thread.waits ? 1 : 0), 4);
    for (const Frame& frame : thread.stack) {
      put(key, frame.pc, 4);
      put(key, frame.locals);
    }
  }
  return key;
}

State State::from_key(const std::string& key, const Flow& flow) {
  std::size_t at = 1;
  auto number = [&](int bytes) {
    std::uint32_t result = 0;
    for (int i = 0; i < bytes; ++i)
      result |= static_cast<std::uint32_t>(static_cast<unsigned char>(key[at++])) << (8 * i);
    return result;
  };
  auto values = [&](std::size_t count) {
    std::vector<Value> result;
    while (result.size() < count) result.push_back(static_cast<Value>(number(2)));
    return result;
  };
  State state;
  state.atomic = key[0] == '1';
  state.globals = values(flow.globals.size());
  state.threads.resize(number(4));
  for (Thread& thread : state.threads) {
    std::uint32_t depth = number(4);
    thread.waits = depth % 2 == 1;
    for (std::uint32_t i = 0; i < depth / 2; ++i) {
      Pc pc = number(4);
      thread.stack.push_back({pc, values(flow.procedures[flow.code[pc].procedure].locals.size())});
    }
  }
  return state;
}

Goal goal_of(const Flow& flow, bool assertions, const std::vector<std::string>& labels) {
  Goal goal{assertions, {}};
  for (const std::string& label : labels) {
    std::vector<Pc> places = flow.labelled(label);
    goal.labels.insert(goal.labels.end(), places.begin(), places.end());
  }
  return goal;
}

struct Interpreter::Context {
  const std::vector<Value>* globals = nullptr;
  const std::vector<Value>* locals = nullptr;
  const std::vector<Value>* next_globals = nullptr;
  const std::vector<Value>* next_locals = nullptr;
  // The outcomes of the choices, in the order of evaluation. A choice that is met first is false.
  std::vector<bool> choices{};
  std::size_t met = 0;

  bool choice() {
    if (met == choices.size()) {
      if (met == kChoicesMax)
        throw TooManyOutcomes("more than " + std::to_string(kChoicesMax) + " choices in a statement");
      choices.push_back(false);
    }
    return choices[met++];
  }
  // Goes on to the next outcomes. False: these were the last ones.
  bool advance() {
    met = 0;
    while (!choices.empty() && choices.back()) choices.pop_back();
    if (choices.empty()) return false;
    choices.back() = true;
    return true;
  }
};

Interpreter::Interpreter(const Flow& flow) : flow_(flow) {}

bool Interpreter::evaluate(const Expression& expression, Context& context) const {
  const auto& operands = expression.operands;
  auto operand = [&](std::size_t i) { return evaluate(operands[i], context); };
  switch (expression.kind) {
    case Expression::Kind::constant: return expression.value;
    case Expression::Kind::nondeterministic: return context.choice();
    case Expression::Kind::variable:
      return (expression.variable.is_global ? *context.globals
                                            : *context.locals)[expression.variable.index] != 0;
    case Expression::Kind::next:
      return (expression.variable.is_global ? *context.next_globals
                                            : *context.next_locals)[expression.variable.index] != 0;
    case Expression::Kind::negation: return !operand(0);
    case Expression::Kind::conditional: return operand(0) ? operand(1) : operand(2);
    case Expression::Kind::choose: return operand(0) || (!operand(1) && context.choice());
    default: break;
  }
  bool left = operand(0);
  bool right = operand(1);
  switch (expression.kind) {
    case Expression::Kind::equal: return left == right;
    case Expression::Kind::different:
    case Expression::Kind::exclusive: return left != right;
    case Expression::Kind::conjunction: return left && right;
    case Expression::Kind::disjunction: return left || right;
    default: return !left || right;
  }
}

bool Interpreter::may_hold(const Expression& expression, const State& state, std::uint32_t thread,
                           bool wanted) const {
  Context context{&state.globals, &state.threads[thread].stack.back().locals};
  do {
    if (evaluate(expression, context) == wanted) return true;
  } while (context.advance());
  return false;
}

// Whether the procedure's `enforce` lets the thread go on.
bool Interpreter::is_allowed(const State& state, std::uint32_t thread) const {
  const Frame& top = state.threads[thread].stack.back();
  const Procedure& procedure = flow_.procedures[flow_.code[top.pc].procedure];
  return std::all_of(procedure.enforce.begin(), procedure.enforce.end(),
                     [&](const Expression& condition) { return may_hold(condition, state, thread, true); });
}

void Interpreter::outcomes(const State& state, std::uint32_t thread, const std::vector<Expression>& values,
                           const std::function<void(const std::vector<Value>&, Context&)>& visit) const {
  const std::vector<Value>& locals = state.threads[thread].stack.back().locals;
  Context context{&state.globals, &locals};
  do {
    std::vector<Value> results;
    for (const Expression& value : values) {
      bool thread_value =
          value.kind == Expression::Kind::variable &&
          flow_.declaration(value.variable, flow_.code[state.threads[thread].stack.back().pc].procedure)
              .is_thread;
      if (thread_value) {
        results.push_back((value.variable.is_global ? state.globals : locals)[value.variable.index]);
      } else {
        results.push_back(evaluate(value, context) ? 1 : 0);
      }
    }
    visit(results, context);
  } while (context.advance());
}

// Enumerates the valuations of the variables from `from` on. Variables that hold threads hold none.
void Interpreter::any_values(std::vector<Value>& values, std::size_t from,
                             const std::vector<Declaration>& declared, const std::vector<Value>* wanted,
                             const std::function<void()>& visit) const {
  if (from == declared.size()) return visit();
  const Value values_of_one = declared[from].is_thread ? 1 : 2;
  for (Value value = 0; value < values_of_one; ++value) {
    if (wanted != nullptr && !declared[from].is_thread && (*wanted)[from] != value) continue;
    values[from] = value;
    any_values(values, from + 1, declared, wanted, visit);
  }
}

Frame Interpreter::new_frame(std::uint32_t procedure, const std::vector<Value>& arguments) const {
  Frame frame{flow_.procedures[procedure].entry, arguments};
  frame.locals.resize(flow_.procedures[procedure].locals.size());
  return frame;
}

void Interpreter::begin(const Visit& visit) const {
  State state;
  state.globals.resize(flow_.globals.size());
  if (flow_.init) {
    state.threads.push_back({{new_frame(*flow_.init, {})}});
  } else {
    state = started(std::move(state));
  }
  any_values(state.globals, 0, flow_.globals, nullptr, [&] { with_any_locals(state, visit); });
}

void Interpreter::with_any_locals(State state, const Visit& visit) const {
  std::function<void(std::size_t)> from = [&](std::size_t thread) {
    if (thread == state.threads.size()) return visit(State(state));
    Frame& frame = state.threads[thread].stack[0];
    const auto& declared = flow_.procedures[flow_.code[frame.pc].procedure].locals;
    any_values(frame.locals, 0, declared, nullptr, [&] { from(thread + 1); });
  };
  from(0);
}

State Interpreter::started(State state) const {
  state.threads.clear();
  for (std::uint32_t procedure : flow_.threads) state.threads.push_back({{new_frame(procedure, {})}});
  return state;
}

bool Interpreter::may_switch(const State& state) const {
  return !state.atomic && std::all_of(flow_.atomic_globals.begin(), flow_.atomic_globals.end(),
                                      [&](std::uint32_t global) { return state.globals[global] == 0; });
}

std::uint32_t Interpreter::preemptions(const Execution& execution) const {
  std::uint32_t count = 0;
  const std::vector<Step>& steps = execution.steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::uint32_t next = i + 1 < steps.size() ? steps[i + 1].thread : execution.failing;
    if (next != steps[i].thread && can_step(steps[i].after, steps[i].thread)) ++count;
  }
  return count;
}

bool Interpreter::can_step(const State& state, std::uint32_t thread) const {
  struct Found {};
  try {
    step(state, thread, [](State&&) { throw Found{}; });
  } catch (const Found&) {
    return true;
  } catch (const TooManyOutcomes&) {
    return true;
  }
  return false;
}

bool Interpreter::may_fail(const State& state, std::uint32_t thread) const {
  const Thread& moving = state.threads[thread];
  if (moving.stack.empty() || moving.waits || !is_allowed(state, thread)) return false;
  const Instruction& instruction = flow_.code[moving.stack.back().pc];
  return instruction.kind == Kind::assertion && may_hold(instruction.values[0], state, thread, false);
}

bool Interpreter::is_reached(const Goal& goal, const State& state, std::uint32_t thread) const {
  if (goal.assertions && may_fail(state, thread)) return true;
  const Thread& moving = state.threads[thread];
  if (moving.stack.empty() || moving.waits) return false;
  Pc pc = moving.stack.back().pc;
  return std::find(goal.labels.begin(), goal.labels.end(), pc) != goal.labels.end() &&
         is_allowed(state, thread);
}

void Interpreter::assign(const State& state, std::uint32_t thread, const Visit& visit) const {
  const Instruction& instruction = flow_.code[state.threads[thread].stack.back().pc];
  outcomes(state, thread, instruction.values, [&](const std::vector<Value>& values, Context& context) {
    State next = state;
    Frame& top = next.threads[thread].stack.back();
    for (std::size_t i = 0; i < values.size(); ++i) {
      Variable target = instruction.targets[i];
      (target.is_global ? next.globals : top.locals)[target.index] = values[i];
    }
    context.next_globals = &next.globals;
    context.next_locals = &top.locals;
    if (instruction.constraint && !evaluate(*instruction.constraint, context)) return;
    top.pc = instruction.next[0];
    visit(std::move(next));
  });
}

void Interpreter::call(const State& state, std::uint32_t thread, const Visit& visit,
                       const std::vector<Value>* entered) const {
  const Instruction& instruction = flow_.code[state.threads[thread].stack.back().pc];
  const Procedure& callee = flow_.procedures[instruction.callee];
  outcomes(state, thread, instruction.values, [&](const std::vector<Value>& values, Context&) {
    State next = state;
    next.threads[thread].stack.push_back(new_frame(instruction.callee, values));
    std::size_t depth = next.threads[thread].stack.size() - 1;
    any_values(next.threads[thread].stack[depth].locals, callee.parameters, callee.locals, entered,
               [&] { visit(State(next)); });
  });
}

void Interpreter::give_back(const State& state, std::uint32_t thread, const Visit& visit) const {
  const Instruction& instruction = flow_.code[state.threads[thread].stack.back().pc];
  outcomes(state, thread, instruction.values, [&](const std::vector<Value>& values, Context&) {
    State next = state;
    auto& stack = next.threads[thread].stack;
    stack.pop_back();
    if (stack.empty()) {
      next.atomic = false;
    } else {
      const Instruction& at = flow_.code[stack.back().pc];
      for (std::size_t i = 0; i < at.targets.size(); ++i) {
        (at.targets[i].is_global ? next.globals : stack.back().locals)[at.targets[i].index] = values[i];
      }
      stack.back().pc = at.next[0];
    }
    visit(std::move(next));
  });
}

void Interpreter::start(const State& state, std::uint32_t thread, const Visit& visit,
                        const std::vector<Value>* entered) const {
  const Instruction& instruction = flow_.code[state.threads[thread].stack.back().pc];
  const Procedure& callee = flow_.procedures[instruction.callee];
  outcomes(state, thread, instruction.values, [&](const std::vector<Value>& values, Context&) {
    State next = state;
    Frame child{instruction.entry, state.threads[thread].stack.back().locals};
    if (!instruction.copies_locals) child = new_frame(instruction.callee, values);
    next.threads.push_back({{std::move(child)}});
    Frame& top = next.threads[thread].stack.back();
    top.pc = instruction.next[0];
    if (!instruction.targets.empty()) {
      Variable target = instruction.targets[0];
      (target.is_global ? next.globals : top.locals)[target.index] = static_cast<Value>(next.threads.size());
    }
    if (instruction.copies_locals) return visit(std::move(next));
    std::size_t number = next.threads.size() - 1;
    any_values(next.threads[number].stack[0].locals, callee.parameters, callee.locals, entered,
               [&] { visit(State(next)); });
  });
}

void Interpreter::step(const State& state, std::uint32_t thread, const Visit& visit,
                       const std::vector<Value>* entered) const {
  const Thread& moving = state.threads[thread];
  if (moving.stack.empty() || moving.waits || !is_allowed(state, thread)) return;
  const Instruction& instruction = flow_.code[moving.stack.back().pc];
  auto go_on = [&](Pc pc, const std::function<void(State&)>& change = {}) {
    State next = state;
    next.threads[thread].stack.back().pc = pc;
    if (change) change(next);
    visit(std::move(next));
  };
  switch (instruction.kind) {
    case Kind::skip: return go_on(instruction.next[0]);
    case Kind::assume:
    case Kind::assertion:
      if (may_hold(instruction.values[0], state, thread, true)) go_on(instruction.next[0]);
      return;
    case Kind::assign: return assign(state, thread, visit);
    case Kind::branch:
      for (bool holds : {true, false}) {
        if (may_hold(instruction.values[0], state, thread, holds)) go_on(instruction.next[holds ? 0 : 1]);
      }
      return;
    case Kind::jump:
      for (Pc next : instruction.next) go_on(next);
      return;
    case Kind::call: return call(state, thread, visit, entered);
    case Kind::give_back: return give_back(state, thread, visit);
    case Kind::start_thread: return start(state, thread, visit, entered);
    case Kind::end_thread:
      return go_on(0, [&](State& next) {
        next.threads[thread].stack.clear();
        next.atomic = false;
      });
    case Kind::join: {
      Variable variable = instruction.targets[0];
      Value number = (variable.is_global ? state.globals : moving.stack.back().locals)[variable.index];
      if (number != 0 && state.threads[number - 1U].stack.empty()) go_on(instruction.next[0]);
      return;
    }
    case Kind::atomic_begin: return go_on(instruction.next[0], [](State& next) { next.atomic = true; });
    case Kind::atomic_end: return go_on(instruction.next[0], [](State& next) { next.atomic = false; });
    case Kind::wait:
      return go_on(instruction.next[0], [&](State& next) { next.threads[thread].waits = true; });
    case Kind::broadcast:
      return go_on(instruction.next[0], [](State& next) {
        for (Thread& one : next.threads) one.waits = false;
      });
  }
}

}  // namespace thrum::bp

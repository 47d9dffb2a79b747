// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "boolprog/witness.hpp"

#include <map>

#include "boolprog/backward_run.hpp"
#include "support/check.hpp"

namespace thrum::bp {

namespace {

using Kind = Instruction::Kind;

constexpr std::uint32_t kNobody = ~std::uint32_t{0};
constexpr std::uint64_t kFramesMax = 5000000;  // of all states of an execution

// Combines the runs of the threads to one execution, which the interpreter executes.
class Player {
 public:
  Player(const Transfer& transfer, const ContextSearch& search, const Goal& goal)
      : encoding_(transfer.encoding()),
        flow_(encoding_.flow()),
        transfer_(transfer),
        search_(search),
        goal_(goal),
        interpreter_(flow_),
        node_(*search.failure()),
        boundaries_(node_.contexts) {}

  Execution play() {
    const Phase& failing = node_.contexts == 0 ? *search_.init() : *node_.phases[node_.thread];
    choose_boundaries(failing);
    if (node_.contexts == 0) {
      execution_.in_init = true;
      play_init(BackwardRun(transfer_, failing, boundaries_).to_failure());
    } else {
      find_runs(failing);
      begin();
      for (std::uint32_t context = 1; context <= node_.contexts; ++context) play_context(context);
      execution_.failing = threads_.at(node_.thread);
    }
    THRUM_CHECK(interpreter_.is_reached(goal_, state_, execution_.failing));
    return std::move(execution_);
  }

 private:
  const Phase& phase_of(std::uint32_t thread) const { return *node_.phases[thread]; }

  void choose_boundaries(const Phase& failing) {
    Bdd all = failing.failure()->states;
    if (node_.contexts > 0) all &= node_.schedules;
    for (std::uint32_t k = 1; k < node_.contexts; ++k) {
      std::vector<int> variables;
      for (std::uint32_t i = 0; i < encoding_.globals(); ++i) {
        variables.push_back(encoding_.global_boundary(i, k));
      }
      boundaries_[k] = all.pick(variables);
      for (std::uint32_t i = 0; i < encoding_.globals(); ++i) {
        all &= Bdd::literal(variables[i], boundaries_[k][i]);
      }
    }
  }

  void find_runs(const Phase& failing) {
    for (std::uint32_t thread = 0; thread < node_.phases.size(); ++thread) {
      if (node_.phases[thread] == nullptr) continue;
      const Phase& phase = phase_of(thread);
      BackwardRun back(transfer_, phase, boundaries_);
      runs_[thread] = &phase == &failing ? back.to_failure() : back.to_end(boundaries_[phase.end()]);
    }
    std::shared_ptr<const Node> node = search_.failure();
    schedule_.resize(node_.contexts + 1);
    for (; node->contexts > 0; node = node->parent) schedule_[node->contexts] = node->thread;
  }

  // Starts the program's threads, each with the first locals of its run.
  void begin() {
    const Run& first = runs_.at(schedule_[1]);
    if (search_.init() != nullptr) {
      play_init(BackwardRun(transfer_, *search_.init(), boundaries_).through_init(first.begin.globals));
      execution_.steps.clear();
      state_ = interpreter_.started(state_);
    } else {
      state_ = interpreter_.started(with_globals(first.begin.globals));
    }
    for (std::uint32_t thread = 0; thread < flow_.threads.size(); ++thread) {
      threads_[thread] = thread;
      auto run = runs_.find(thread);
      if (run == runs_.end()) continue;
      state_.threads[thread].stack[0].locals = locals_of(flow_.threads[thread], run->second.begin.locals);
    }
    execution_.first = state_;
  }

  void play_init(const Run& run) {
    state_ = with_globals(run.begin.globals);
    state_.threads.push_back({{{run.entry, locals_of(*flow_.init, run.begin.locals)}}});
    execution_.first = state_;
    for (const RunStep& step : run.steps) take(step, 0, 0);
  }

  State with_globals(const std::vector<bool>& bits) const {
    State state;
    for (std::uint32_t i = 0; i < flow_.globals.size(); ++i) {
      bool value = !flow_.globals[i].is_thread && bits[encoding_.bits({true, i}, 0).first];
      state.globals.push_back(value ? 1 : 0);
    }
    return state;
  }

  // Variables for threads hold none here; the interpreter keeps their values.
  std::vector<Value> locals_of(std::uint32_t procedure, const std::vector<bool>& bits) const {
    std::vector<Value> result;
    const auto& declared = flow_.procedures[procedure].locals;
    for (std::uint32_t i = 0; i < declared.size(); ++i) {
      bool value = !declared[i].is_thread && bits[encoding_.bits({false, i}, procedure).first];
      result.push_back(value ? 1 : 0);
    }
    return result;
  }

  void play_context(std::uint32_t context) {
    std::uint32_t thread = schedule_[context];
    const Run& run = runs_.at(thread);
    const std::vector<bool>* before = context == 1 ? &run.begin.globals : &boundaries_[context - 1];
    for (const RunStep& step : run.steps) {
      if (step.context != context) continue;
      std::uint32_t slot = 0;
      if (flow_.code[step.pc].kind == Kind::start_thread) slot = slot_taken(*before, step.globals);
      take(step, threads_.at(thread), slot);
      before = &step.globals;
    }
  }

  // The slot that is free before the step and taken after it; 0: none.
  std::uint32_t slot_taken(const std::vector<bool>& before, const std::vector<bool>& after) const {
    for (std::uint32_t slot = 1; slot <= encoding_.slots(); ++slot) {
      if (number(encoding_.slot_code(slot), before) == Encoding::kFree &&
          number(encoding_.slot_code(slot), after) != Encoding::kFree) {
        return slot;
      }
    }
    return 0;
  }

  static std::uint32_t number(Bits bits, const std::vector<bool>& values) {
    std::uint32_t result = 0;
    for (std::uint32_t i = 0; i < bits.count; ++i) {
      if (values[bits.first + i]) result |= 1U << i;
    }
    return result;
  }

  // Executes one step. slot: of the thread that it starts.
  void take(const RunStep& step, std::uint32_t thread, std::uint32_t slot) {
    const Instruction& instruction = flow_.code[step.pc];
    THRUM_CHECK(!state_.threads[thread].stack.empty() && state_.threads[thread].stack.back().pc == step.pc);
    std::vector<Value> entered;
    bool enters = instruction.kind == Kind::call;
    if (enters) entered = locals_of(instruction.callee, step.locals);
    auto fixed = static_cast<std::uint32_t>(flow_.threads.size());
    if (slot > 0) {
      threads_[fixed + slot - 1] = static_cast<std::uint32_t>(state_.threads.size());
    }
    if (instruction.kind == Kind::start_thread) {
      // The first locals of a thread that never moves do not matter.
      entered.resize(flow_.procedures[instruction.callee].locals.size());
      auto run = runs_.find(slot == 0 ? kNobody : fixed + slot - 1);
      enters = run != runs_.end();
      if (enters) entered = locals_of(instruction.callee, run->second.begin.locals);
    }
    bool found = false;
    State next;
    interpreter_.step(
        state_, thread,
        [&](State&& candidate) {
          if (found || !agrees(candidate, thread, step)) return;
          if (slot > 0 && enters && !same_values(candidate.threads.back().stack[0], entered)) return;
          found = true;
          next = std::move(candidate);
        },
        entered.empty() ? nullptr : &entered);
    THRUM_CHECK(found && "the interpreter can take the step");
    state_ = std::move(next);
    for (const Thread& one : state_.threads) frames_ += one.stack.size();
    if (frames_ > kFramesMax) throw TraceTooLong("its stacks are too deep to show each step");
    execution_.steps.push_back({thread, step.pc, state_});
  }

  bool agrees(const State& state, std::uint32_t thread, const RunStep& step) const {
    for (std::uint32_t i = 0; i < flow_.globals.size(); ++i) {
      if (flow_.globals[i].is_thread) continue;
      if ((state.globals[i] != 0) != step.globals[encoding_.bits({true, i}, 0).first]) return false;
    }
    const Thread& moved = state.threads[thread];
    if (moved.stack.empty()) return step.to == transfer_.dead();
    const Frame& top = moved.stack.back();
    if (top.pc != step.to) return false;
    return same_values(top, locals_of(flow_.code[top.pc].procedure, step.locals));
  }

  // Compares live locals, except those that hold threads.
  bool same_values(const Frame& frame, const std::vector<Value>& locals) const {
    const auto& declared = flow_.procedures[flow_.code[frame.pc].procedure].locals;
    for (std::uint32_t i = 0; i < declared.size(); ++i) {
      bool matters = !declared[i].is_thread && transfer_.is_live(frame.pc, i);
      if (matters && frame.locals[i] != locals[i]) return false;
    }
    return true;
  }

  const Encoding& encoding_;
  const Flow& flow_;
  const Transfer& transfer_;
  const ContextSearch& search_;
  const Goal& goal_;
  Interpreter interpreter_;
  const Node& node_;
  std::vector<std::vector<bool>> boundaries_;  // from 1
  std::map<std::uint32_t, Run> runs_;
  std::vector<std::uint32_t> schedule_;             // from 1
  std::map<std::uint32_t, std::uint32_t> threads_;  // numbers of the encoding to those of the interpreter
  State state_;
  std::uint64_t frames_ = 0;
  Execution execution_;
};

}  // namespace

Execution witness(const Transfer& transfer, const ContextSearch& search, const Goal& goal) {
  return Player(transfer, search, goal).play();
}

}  // namespace thrum::bp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/waiting_machine.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "oracle/toy_code.hpp"
#include "support/check.hpp"

namespace thrum {

namespace {

std::uint8_t to_byte(int value) { return static_cast<std::uint8_t>(value & 0xff); }

struct WaitingMemory {
  std::uint8_t& cell;
  std::array<std::uint8_t, kWaitingRegisters>& registers;

  std::uint8_t& operator[](int number) const { return registers[static_cast<std::size_t>(number)]; }
};

void access_cell(const WaitingInstruction& instruction, WaitingMemory memory, WaitingAccess& access) {
  const std::uint8_t before = memory.cell;
  switch (instruction.opcode) {
    case WaitingOpcode::load: memory[instruction.a] = before; break;
    case WaitingOpcode::store: memory.cell = to_byte(instruction.a); break;
    case WaitingOpcode::store_register: memory.cell = memory[instruction.a]; break;
    case WaitingOpcode::exchange:
      access.argument = memory.cell = to_byte(instruction.d);
      memory[instruction.a] = before;
      break;
    case WaitingOpcode::fetch_add:
      access.argument = to_byte(instruction.d);
      memory.cell = to_byte(before + instruction.d);
      memory[instruction.a] = before;
      break;
    default:  // the compare-exchanges
      access.argument = memory[instruction.d];
      access.desired = memory[instruction.e];
      access.failed = before != access.argument;
      if (!access.failed) memory.cell = access.desired;
      if (access.failed && instruction.opcode == WaitingOpcode::compare_load) memory[instruction.d] = before;
      memory[instruction.a] = access.failed ? 0 : 1;
  }
  access.writes = instruction.opcode == WaitingOpcode::store ||
                  instruction.opcode == WaitingOpcode::store_register || memory.cell != before;
}

void access_lock(const WaitingInstruction& instruction, WaitingMemory held, WaitingAccess& access) {
  const bool takes = instruction.opcode != WaitingOpcode::unlock;
  if (instruction.opcode == WaitingOpcode::try_lock) {
    access.failed = held.cell != 0;
    held[instruction.a] = access.failed ? 0 : 1;
  }
  held.cell = takes ? 1 : 0;
  access.writes = !access.failed;
}

// Where a hidden instruction leads to. failed: an assertion that fails.
int run_hidden_instruction(const WaitingInstruction& instruction, WaitingLocal& local, bool& failed) {
  auto at = [&](int number) -> std::uint8_t& { return local.registers[static_cast<std::size_t>(number)]; };
  const auto& [opcode, a, b, c, d, e] = instruction;
  const int next = local.at + 1;
  switch (opcode) {
    case WaitingOpcode::set: at(a) = to_byte(b); return next;
    case WaitingOpcode::copy: at(a) = at(b); return next;
    case WaitingOpcode::add: at(a) = to_byte(at(b) + c); return next;
    case WaitingOpcode::sum: at(a) = to_byte(at(b) + at(c)); return next;
    case WaitingOpcode::mask: at(a) = to_byte(at(b) & c); return next;
    case WaitingOpcode::shift: at(a) = to_byte(at(b) >> c); return next;
    case WaitingOpcode::if_equal: return at(a) == to_byte(b) ? c : next;
    case WaitingOpcode::if_unequal: return at(a) != to_byte(b) ? c : next;
    case WaitingOpcode::if_same: return at(a) == at(b) ? c : next;
    case WaitingOpcode::if_different: return at(a) != at(b) ? c : next;
    case WaitingOpcode::jump: return c;
    default: failed = at(a) != to_byte(b); return failed ? local.at : next;
  }
}

}  // namespace

std::string WaitingState::key() const {
  std::string text(cells.begin(), cells.end());
  text.append(held.begin(), held.end());
  for (const Thread& thread : threads) {
    text += thread.ended ? '\1' : '\0';
    text += static_cast<char>(thread.local.at & 0xff);
    text += static_cast<char>(thread.local.at >> 8);
    text.append(thread.local.registers.begin(), thread.local.registers.end());
  }
  return text;
}

std::string print(const WaitingState& state) {
  std::string text;
  for (std::size_t i = 0; i < kWaitingCells; ++i) {
    if (state.cells[i] != 0) text += "x" + std::to_string(i) + "=" + std::to_string(state.cells[i]) + " ";
  }
  for (std::size_t i = 0; i < kWaitingLocks; ++i) {
    if (state.held[i] != 0) text += "m" + std::to_string(i) + " held ";
  }
  for (const WaitingState::Thread& thread : state.threads) {
    text += thread.ended ? "(over" : "(" + std::to_string(thread.local.at);
    for (std::uint8_t value : thread.local.registers) text += " " + std::to_string(value);
    text += ")";
  }
  return text;
}

WaitingState WaitingMachine::start() const {
  WaitingState state;
  state.cells = code_.cells;
  state.threads.resize(code_.threads.size());
  for (std::size_t i = 0; i < state.threads.size() && state.failed == 0; ++i) settle(state, i);
  return state;
}

const WaitingInstruction& WaitingMachine::next(const WaitingState& state, std::size_t thread) const {
  return code_.threads[thread][state.threads[thread].local.at];
}

int WaitingMachine::number(const WaitingState& state, std::size_t thread) const {
  const WaitingInstruction& instruction = next(state, thread);
  if (is_on_lock(instruction.opcode) || instruction.c == kNoIndex) return instruction.b;
  return instruction.b + state.threads[thread].local.registers[static_cast<std::size_t>(instruction.c)];
}

std::uint64_t WaitingMachine::object(const WaitingState& state, std::size_t thread) const {
  const int i = number(state, thread);
  return is_on_lock(next(state, thread).opcode) ? waiting_lock(i) : waiting_cell(i);
}

std::uint8_t WaitingMachine::value(const WaitingState& state, std::size_t thread) const {
  const auto i = static_cast<std::size_t>(number(state, thread));
  return is_on_lock(next(state, thread).opcode) ? state.held.at(i) : state.cells.at(i);
}

bool WaitingMachine::enabled(const WaitingState& state, std::size_t thread) const {
  if (state.threads[thread].ended) return false;
  return next(state, thread).opcode != WaitingOpcode::lock || value(state, thread) == 0;
}

WaitingAccess WaitingMachine::step(WaitingState& state, std::size_t thread) const {
  const WaitingInstruction& instruction = next(state, thread);
  WaitingAccess access;
  access.opcode = instruction.opcode;
  access.object = object(state, thread);
  access.before = value(state, thread);
  const auto i = static_cast<std::size_t>(number(state, thread));
  WaitingLocal& local = state.threads[thread].local;
  if (is_on_lock(instruction.opcode)) {
    access_lock(instruction, {state.held[i], local.registers}, access);
    access.after = state.held[i];
  } else {
    access_cell(instruction, {state.cells[i], local.registers}, access);
    access.after = state.cells[i];
  }
  ++local.at;
  settle(state, thread);
  return access;
}

// Runs up to the next visible instruction.
void WaitingMachine::settle(WaitingState& state, std::size_t thread) const {
  constexpr int kHiddenMax = 1'000;  // a loop without a visible instruction is none of a valid program
  WaitingState::Thread& it = state.threads[thread];
  for (int i = 0; i < kHiddenMax; ++i) {
    const WaitingInstruction& instruction = next(state, thread);
    if (is_visible(instruction.opcode)) return;
    if (instruction.opcode == WaitingOpcode::end) {
      it.ended = true;
      if (instruction.a == 0) it.local.registers.fill(0);
      return;
    }
    bool failed = false;
    it.local.at = static_cast<std::uint16_t>(run_hidden_instruction(instruction, it.local, failed));
    if (failed) state.failed = toy_place(static_cast<int>(thread), it.local.at);
    if (failed) return;
  }
  THRUM_CHECK(!"a loop that does nothing");
}

WaitingMachine::Alone WaitingMachine::run_alone(const WaitingState& from, std::size_t thread) const {
  constexpr std::size_t kStepsMax = 200;
  std::vector<WaitingState> run{from};
  auto local = [&](const WaitingState& state) { return state.threads[thread].local; };
  while (run.size() <= kStepsMax) {
    WaitingState next = run.back();
    const auto steps = static_cast<int>(run.size()) - 1;
    if (!enabled(next, thread))
      return {next.has_memory_of(from) ? Alone::End::blocks : Alone::End::passes, steps};
    step(next, thread);
    if (next.threads[thread].ended || next.failed != 0) return {};
    auto same = std::ranges::find_if(run, [&](const WaitingState& earlier) {
      return local(earlier) == local(next) && earlier.has_memory_of(next);
    });
    if (same == run.end()) {
      run.push_back(std::move(next));
      continue;
    }
    if (std::none_of(same, run.end(), [&](const WaitingState& it) { return it.has_memory_of(from); }))
      return {};
    auto lowest = std::min_element(
        same, run.end(), [&](const WaitingState& a, const WaitingState& b) { return local(a) < local(b); });
    return {Alone::End::circles, static_cast<int>(lowest - run.begin())};
  }
  return {};
}

namespace {

// Whether all that can come behind the state can come back to it.
bool is_hopeless(const WaitingMachine& machine, const WaitingState& state) {
  std::unordered_map<std::string, std::size_t> numbers{{state.key(), 0}};
  std::vector<WaitingState> reached{state};
  std::vector<std::vector<std::size_t>> before{{}};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (std::size_t thread = 0; thread < state.threads.size(); ++thread) {
      WaitingState after = reached[i];
      if (!machine.enabled(after, thread)) continue;
      machine.step(after, thread);
      if (after.failed != 0 || after.threads[thread].ended) return false;
      const auto [known, is_new] = numbers.try_emplace(after.key(), reached.size());
      if (is_new) {
        reached.push_back(after);
        before.emplace_back();
      }
      before[known->second].push_back(i);
    }
  }
  std::vector<bool> comes_back(reached.size());
  std::vector<std::size_t> left{0};
  while (!left.empty()) {
    const std::size_t i = left.back();
    left.pop_back();
    if (comes_back[i]) continue;
    comes_back[i] = true;
    left.insert(left.end(), before[i].begin(), before[i].end());
  }
  return std::find(comes_back.begin(), comes_back.end(), false) == comes_back.end();
}

}  // namespace

WaitingTruth all_states(const WaitingCode& code, std::size_t states_max) {
  const WaitingMachine machine(code);
  WaitingTruth truth;
  std::unordered_set<std::string> seen;
  std::vector<WaitingState> left;
  auto reach = [&](const WaitingState& state) {
    if (state.failed != 0) {
      truth.failed.insert(state.failed);
    } else if (seen.insert(state.key()).second) {
      left.push_back(state);
    }
  };
  reach(machine.start());
  while (!left.empty() && !truth.gave_up) {
    const WaitingState state = std::move(left.back());
    left.pop_back();
    bool is_over = true;
    bool is_stuck = true;
    for (std::size_t i = 0; i < state.threads.size(); ++i) {
      if (state.threads[i].ended) continue;
      is_over = false;
      if (is_stuck) {
        const WaitingMachine::Alone alone = machine.run_alone(state, i);
        is_stuck = alone.end != WaitingMachine::Alone::End::passes && alone.steps == 0;
      }
      if (!machine.enabled(state, i)) continue;
      WaitingState after = state;
      machine.step(after, i);
      reach(after);
    }
    if (is_over) truth.finals.insert(state.key());
    if (is_stuck && !is_over) {
      truth.stuck.insert(state.key());
      if (is_hopeless(machine, state)) truth.hopeless.insert(state.key());
    }
    truth.gave_up = seen.size() > states_max;
  }
  truth.states = seen.size();
  return truth;
}

}  // namespace thrum

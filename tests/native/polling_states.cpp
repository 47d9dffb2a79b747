// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "native/polling_states.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>

namespace thrum {

namespace {

using Instruction = PollingInstruction;
using Code = Instruction::Code;

constexpr std::size_t kThreads = 4;
constexpr std::uint8_t kFree = 255;

struct State {
  std::array<std::uint8_t, kThreads> at{};
  std::array<std::array<std::uint8_t, kPollingRegisters>, kThreads> registers{};
  std::array<std::uint8_t, kPollingObjects> variables{};
  std::array<std::uint8_t, kPollingObjects> holders{kFree, kFree, kFree};

  friend auto operator<=>(const State&, const State&) = default;
};

class Explorer {
 public:
  Explorer(const PollingProgram& program, std::size_t states_max)
      : program_(program), states_max_(states_max) {}

  std::optional<PollingFindings> run() {
    State start;
    for (std::size_t t = 0; t < program_.threads.size(); ++t) {
      // Threads that fail before their first visible operation fail in each execution.
      if (!settle(start, t)) return std::nullopt;
    }
    reach(start, kNone);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (states_.size() > states_max_) return std::nullopt;
      expand(i);
    }
    findings_.stuck = has_states_without(leads_out_);
    findings_.endless = has_states_without(ends_well_);
    for (const PollingEnd& end : ends_) findings_.ends.push_back(end);
    findings_.states = states_.size();
    return findings_;
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  const std::vector<Instruction>& list(std::size_t thread) const { return program_.threads[thread]; }
  bool is_over(const State& state, std::size_t thread) const {
    return state.at[thread] >= list(thread).size();
  }

  void reach(const State& state, std::size_t from) {
    const auto [known, is_new] = numbers_.try_emplace(state, states_.size());
    if (is_new) {
      states_.push_back(&known->first);
      before_.emplace_back();
      leads_out_.push_back(false);
      ends_well_.push_back(false);
    }
    if (from != kNone) before_[known->second].push_back(from);
  }

  // Runs the thread up to its next visible operation. False where an assertion fails on the way.
  bool settle(State& state, std::size_t thread) {
    auto& registers = state.registers[thread];
    for (int i = 0; !is_over(state, thread); ++i) {
      const Instruction& in = list(thread)[state.at[thread]];
      if (in.is_visible()) return true;
      std::uint8_t& reg = registers[in.reg];
      const auto next = static_cast<std::uint8_t>(state.at[thread] + 1);
      switch (in.code) {
        case Code::set: reg = in.value; break;
        case Code::next: reg = static_cast<std::uint8_t>((reg + 1) % in.value); break;
        case Code::check:
          if (reg != in.value) break;
          findings_.checks.insert("check " + std::to_string(thread) + "." + std::to_string(state.at[thread]));
          return false;
        default: break;
      }
      const bool jumps = in.code == Code::jump || (in.code == Code::jump_if && reg == in.value) ||
                         (in.code == Code::jump_unless && reg != in.value);
      state.at[thread] = jumps ? in.target : next;
    }
    return true;
  }

  void expand(std::size_t number) {
    const State state = *states_[number];
    bool moves = false;
    bool all_over = true;
    for (std::size_t t = 0; t < program_.threads.size(); ++t) {
      if (is_over(state, t)) continue;
      all_over = false;
      const Instruction& in = list(t)[state.at[t]];
      if (in.code == Code::lock && state.holders[in.object] != kFree && state.holders[in.object] != t)
        continue;
      moves = true;
      State next = state;
      if (!perform(next, t, in) || !settle(next, t)) {
        leads_out_[number] = ends_well_[number] = true;  // the execution fails, which ends it as well
        continue;
      }
      reach(next, number);
    }
    if (moves) return;
    leads_out_[number] = true;
    if (!all_over) {
      findings_.deadlock = true;
      return;
    }
    ends_well_[number] = true;
    PollingEnd end;
    end.values.assign(state.variables.begin(), state.variables.end());
    for (std::size_t t = 0; t < program_.threads.size(); ++t)
      end.values.insert(end.values.end(), state.registers[t].begin(), state.registers[t].end());
    ends_.insert(end);
  }

  bool perform(State& state, std::size_t thread, const Instruction& in) {
    std::uint8_t& variable = state.variables[in.object];
    std::uint8_t& holder = state.holders[in.object];
    std::uint8_t& reg = state.registers[thread][in.reg];
    switch (in.code) {
      case Code::load: reg = variable; break;
      case Code::store: variable = in.value; break;
      case Code::put: variable = reg; break;
      case Code::add: variable = static_cast<std::uint8_t>(variable + in.value); break;
      case Code::cas:
        reg = variable == in.value ? 1 : 0;
        if (reg == 1) variable = in.other;
        break;
      case Code::try_lock:
        reg = holder == kFree ? 1 : 0;
        if (reg == 1) holder = static_cast<std::uint8_t>(thread);
        break;
      case Code::lock:
        if (holder == thread) return misuse();
        holder = static_cast<std::uint8_t>(thread);
        break;
      default:
        if (holder != thread) return misuse();
        holder = kFree;
    }
    ++state.at[thread];
    return true;
  }

  bool misuse() {
    findings_.misuse = true;
    return false;
  }

  // Whether there are states from which none of those can be reached.
  bool has_states_without(std::vector<bool> reaches) const {
    std::deque<std::size_t> queue;
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (reaches[i]) queue.push_back(i);
    for (; !queue.empty(); queue.pop_front()) {
      for (const std::size_t before : before_[queue.front()]) {
        if (reaches[before]) continue;
        reaches[before] = true;
        queue.push_back(before);
      }
    }
    return std::find(reaches.begin(), reaches.end(), false) != reaches.end();
  }

  const PollingProgram& program_;
  std::size_t states_max_;
  PollingFindings findings_;
  std::set<PollingEnd> ends_;
  std::map<State, std::size_t> numbers_;
  std::vector<const State*> states_;
  std::vector<std::vector<std::size_t>> before_;
  std::vector<bool> leads_out_;  // it is an end of whatever kind, or has one behind it
  std::vector<bool> ends_well_;  // it is an end that is no deadlock, or has one behind it
};

}  // namespace

std::optional<PollingFindings> all_states(const PollingProgram& program, std::size_t states_max) {
  return Explorer(program, states_max).run();
}

}  // namespace thrum

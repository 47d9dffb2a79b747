// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "native/waiting_states.hpp"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "oracle/toy_code.hpp"
#include "oracle/waiting_machine.hpp"

namespace thrum {

namespace {

class WaitingExplorer {
 public:
  WaitingExplorer(const WaitingCode& code, std::size_t states_max)
      : machine_(code), states_max_(states_max) {}

  std::optional<PollingFindings> run() {
    const WaitingState start = machine_.start();
    // It would fail before main has created all threads.
    if (start.failed != 0) return std::nullopt;
    reach(start, {});
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_.size() > states_max_) return std::nullopt;
      expand(i);
    }
    findings_.stuck = has_nodes_without(&Node::leads_out);
    findings_.endless = has_nodes_without(&Node::ends_well);
    findings_.ends.assign(ends_.begin(), ends_.end());
    findings_.states = nodes_.size();
    return findings_;
  }

 private:
  struct Node {
    WaitingState state;
    std::vector<std::size_t> before;
    bool leads_out = false;  // it is an end of whatever kind, or has one behind it
    bool ends_well = false;  // it is an end that is no deadlock, or has one behind it
  };

  void reach(const WaitingState& state, std::optional<std::size_t> from) {
    const auto [known, is_new] = numbers_.try_emplace(state.key(), nodes_.size());
    if (is_new) nodes_.push_back({state, {}});
    if (from) nodes_[known->second].before.push_back(*from);
  }

  void expand(std::size_t number) {
    const WaitingState state = nodes_[number].state;
    bool moves = false;
    for (std::size_t i = 0; i < state.threads.size(); ++i) {
      if (!machine_.enabled(state, i)) continue;
      moves = true;
      WaitingState after = state;
      machine_.step(after, i);
      if (after.failed == 0) {
        reach(after, number);
        continue;
      }
      const std::uint64_t at = after.failed - toy_place(static_cast<int>(i), 0);
      findings_.checks.insert("check " + std::to_string(i) + "." + std::to_string(at));
      nodes_[number].leads_out = nodes_[number].ends_well = true;
    }
    if (moves) return;
    const bool is_over = std::ranges::all_of(state.threads, &WaitingState::Thread::ended);
    nodes_[number].leads_out = true;
    nodes_[number].ends_well = is_over;
    findings_.deadlock = findings_.deadlock || !is_over;
    if (is_over) ends_.insert(end_of(state));
  }

  static PollingEnd end_of(const WaitingState& state) {
    PollingEnd end;
    end.values.assign(state.cells.begin(), state.cells.begin() + kWaitingSourceCells);
    for (const WaitingState::Thread& thread : state.threads)
      end.values.insert(end.values.end(), thread.local.registers.begin(), thread.local.registers.end());
    return end;
  }

  // Whether there are states from which no state that has it can be reached.
  bool has_nodes_without(bool Node::*has) const {
    std::vector<bool> reaches(nodes_.size());
    std::deque<std::size_t> queue;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      reaches[i] = nodes_[i].*has;
      if (reaches[i]) queue.push_back(i);
    }
    for (; !queue.empty(); queue.pop_front()) {
      for (const std::size_t before : nodes_[queue.front()].before) {
        if (reaches[before]) continue;
        reaches[before] = true;
        queue.push_back(before);
      }
    }
    return std::find(reaches.begin(), reaches.end(), false) != reaches.end();
  }

  WaitingMachine machine_;
  std::size_t states_max_;
  PollingFindings findings_;
  std::set<PollingEnd> ends_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::deque<Node> nodes_;
};

}  // namespace

std::optional<PollingFindings> waiting_findings(const WaitingCode& code, std::size_t states_max) {
  return WaitingExplorer(code, states_max).run();
}

}  // namespace thrum

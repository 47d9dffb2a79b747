// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "boolprog/explicit_search.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <unordered_map>

#include "support/check.hpp"

namespace thrum::bp {

namespace {

constexpr std::uint32_t kNoParent = ~std::uint32_t{0};

// A node is a state and the thread that moves in it.
class Search {
 public:
  Search(const Flow& flow, const Goal& goal, const ExplicitLimits& limits)
      : flow_(flow),
        interpreter_(flow),
        goal_(goal),
        limits_(limits),
        begin_(std::chrono::steady_clock::now()) {}

  ExplicitResult run() {
    if (flow_.init) {
      run_init();
    } else {
      interpreter_.begin([this](State&& state) { add_start(std::move(state)); });
    }
    std::size_t first = 0;  // the first node of the level
    std::uint32_t level = 1;
    while (true) {
      std::size_t end = level_from(first);
      result_.states = nodes_.size();
      if (!result_.bug && !result_.cut()) result_.searched = level;
      result_.contexts = result_.bug ? level : result_.searched;
      if (result_.bug || result_.cut_states || result_.cut_seconds) return result_;
      if (level == limits_.contexts) return result_;
      for (std::size_t i = first; i < end; ++i) switch_from(static_cast<std::uint32_t>(i));
      if (nodes_.size() == end) {
        result_.complete = !result_.cut();
        return result_;
      }
      first = end;
      ++level;
    }
  }

 private:
  struct Node {
    const std::string* key;  // in table_
    std::uint32_t parent;
    std::uint32_t thread;
  };

  State state_of(std::uint32_t node) const { return State::from_key(*nodes_[node].key, flow_); }

  void add_start(State&& state) {
    for (std::uint32_t thread = 0; thread < state.threads.size(); ++thread) add(state, thread, kNoParent);
  }

  // Runs `init` to its end. Its final states give the initial states of the threads.
  void run_init() {
    interpreter_.begin([this](State&& state) { add(state, 0, kNoParent); });
    level_from(0);
    if (result_.bug) result_.bug->in_init = true;
    if (result_.cut() || result_.bug) return;
    std::vector<State> ends;
    for (const Node& node : nodes_) {
      State state = State::from_key(*node.key, flow_);
      if (state.threads[0].stack.empty()) ends.push_back(interpreter_.started(std::move(state)));
    }
    nodes_.clear();
    table_.clear();
    for (State& state : ends) {
      interpreter_.with_any_locals(std::move(state), [this](State&& begun) { add_start(std::move(begun)); });
    }
  }

  void add(const State& state, std::uint32_t thread, std::uint32_t parent) {
    if (result_.bug) return;
    if (state.threads[thread].stack.size() > limits_.depth) {
      result_.cut_depth = true;
      return;
    }
    if (state.threads.size() > limits_.threads) {
      result_.cut_threads = true;
      return;
    }
    if (nodes_.size() >= limits_.states) {
      result_.cut_states = true;
      return;
    }
    std::string key = state.key();
    key += static_cast<char>(thread);
    auto [place, is_new] = table_.try_emplace(std::move(key), 0);
    if (!is_new) return;
    nodes_.push_back({&place->first, parent, thread});
    if (interpreter_.is_reached(goal_, state, thread)) {
      result_.bug = execution_to(static_cast<std::uint32_t>(nodes_.size() - 1));
    }
  }

  bool out_of_time() {
    if (limits_.seconds == 0 || ++ticks_ % 1024 != 0) return false;
    std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
    return passed.count() > limits_.seconds;
  }

  // Adds all states that the threads of the nodes from `first` on reach without a context switch. Returns the
  // end of the level.
  std::size_t level_from(std::size_t first) {
    for (std::size_t i = first; i < nodes_.size() && !result_.bug && !result_.cut_states; ++i) {
      if (out_of_time()) {
        result_.cut_seconds = true;
        break;
      }
      auto number = static_cast<std::uint32_t>(i);
      std::uint32_t thread = nodes_[i].thread;
      interpreter_.step(state_of(number), thread, [&](State&& next) { add(next, thread, number); });
    }
    return nodes_.size();
  }

  void switch_from(std::uint32_t number) {
    State state = state_of(number);
    if (!interpreter_.may_switch(state)) return;
    for (std::uint32_t thread = 0; thread < state.threads.size(); ++thread) {
      if (thread != nodes_[number].thread && !state.threads[thread].stack.empty()) add(state, thread, number);
    }
  }

  Execution execution_to(std::uint32_t node) const {
    std::vector<std::uint32_t> path;
    for (std::uint32_t i = node; i != kNoParent; i = nodes_[i].parent) path.push_back(i);
    std::reverse(path.begin(), path.end());
    Execution execution;
    execution.first = state_of(path[0]);
    execution.failing = nodes_[node].thread;
    for (std::size_t i = 1; i < path.size(); ++i) {
      if (nodes_[path[i]].thread != nodes_[path[i - 1]].thread) continue;  // a switch is no step
      const State before = state_of(path[i - 1]);
      std::uint32_t thread = nodes_[path[i]].thread;
      execution.steps.push_back({thread, before.threads[thread].stack.back().pc, state_of(path[i])});
    }
    return execution;
  }

  const Flow& flow_;
  Interpreter interpreter_;
  const Goal& goal_;
  ExplicitLimits limits_;
  std::chrono::steady_clock::time_point begin_;
  std::uint64_t ticks_ = 0;
  std::unordered_map<std::string, int> table_;
  std::deque<Node> nodes_;
  ExplicitResult result_;
};

}  // namespace

ExplicitResult search_explicitly(const Flow& flow, const Goal& goal, const ExplicitLimits& limits) {
  return Search(flow, goal, limits).run();
}

}  // namespace thrum::bp

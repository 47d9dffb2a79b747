// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sequentialize/oracle.hpp"

#include <algorithm>
#include <functional>
#include <unordered_set>

namespace thrum::seq::random {

namespace {

// What is common to the searches: states that were seen, and failures.
class Search {
 public:
  Search(const Machine& machine, std::size_t limit) : machine_(machine), limit_(limit) {}
  Failing failing() const { return failing_; }
  int least() const { return least_; }  // of what memory held
  int greatest() const { return greatest_; }

 protected:
  // Whether it is new; `more` is what belongs to the state besides.
  bool note(const State& state, const std::vector<int>& more) {
    std::string text;
    write_down(state, text);
    for (int value : more) text += static_cast<char>(value + 1);
    if (!seen_.insert(std::move(text)).second) return false;
    if (seen_.size() > limit_) throw TooManyStates();
    for (int value : state.memory) {
      least_ = std::min(least_, value);
      greatest_ = std::max(greatest_, value);
    }
    return true;
  }

  Stop run(State& state, int thread) {
    int failed = -1;
    Stop stop = run_local(machine_, state, thread, failed);
    if (stop == Stop::failed) failing_.insert(failed);
    return stop;
  }

  // Where the process ends, or something fails, nothing comes after.
  std::vector<State> steps(const State& state, int thread) {
    std::vector<State> outcomes;
    int failed = -1;
    step(machine_, state, thread, outcomes, failed);
    if (failed < 0) return outcomes;
    failing_.insert(failed);
    return {};
  }

  static bool is_created(const Thread& thread) { return thread.status == Thread::Status::created; }

  const Machine& machine_;

 private:
  std::size_t limit_;
  std::unordered_set<std::string> seen_;
  Failing failing_;
  int least_ = 0;
  int greatest_ = 0;
};

class Kiss : public Search {
 public:
  Kiss(const Machine& machine, int pending, std::size_t limit) : Search(machine, limit), pending_(pending) {}

  void search() {
    work_.push_back({first_state(machine_), {0}});
    while (!work_.empty()) {
      Node node = std::move(work_.back());
      work_.pop_back();
      settle(std::move(node));
    }
  }

 private:
  struct Node {
    State state;
    std::vector<int> stack;
  };

  // Goes on to the next point.
  void settle(Node node) {
    while (!node.stack.empty()) {
      int top = node.stack.back();
      switch (run(node.state, top)) {
        case Stop::failed:
        case Stop::pruned: return;
        case Stop::finished: node.stack.pop_back(); break;
        case Stop::created: {
          int waiting = 0;
          for (const Thread& each : node.state.threads) waiting += is_created(each) ? 1 : 0;
          if (waiting > pending_ && node.state.atomic == 0)
            node.stack.push_back(static_cast<int>(node.state.threads.size()) - 1);
          break;
        }
        case Stop::point:
          if (node.state.atomic == 0) {
            choose(node);
          } else {
            go_on(node);
          }
          return;
      }
    }
    choose(node);
  }

  void go_on(const Node& node) {
    for (State& each : steps(node.state, node.stack.back())) work_.push_back({std::move(each), node.stack});
  }

  void choose(const Node& node) {
    if (!note(node.state, node.stack)) return;
    for (std::size_t t = 0; t < node.state.threads.size(); ++t) {
      if (!is_created(node.state.threads[t])) continue;
      work_.push_back(node);
      work_.back().stack.push_back(static_cast<int>(t));
    }
    if (node.stack.empty()) return;
    work_.push_back(node);
    work_.back().state.threads[static_cast<std::size_t>(node.stack.back())].status = Thread::Status::ended;
    work_.back().stack.pop_back();
    go_on(node);
  }

  int pending_;
  std::vector<Node> work_;
};

class Rounds : public Search {
 public:
  Rounds(const Machine& machine, int rounds, std::size_t limit) : Search(machine, limit), rounds_(rounds) {}

  void search() {
    work_.push_back({first_state(machine_), 0, 0});
    while (!work_.empty()) {
      Node node = std::move(work_.back());
      work_.pop_back();
      settle(std::move(node));
    }
  }

 private:
  struct Node {
    State state;
    int round;
    int thread;
  };

  bool next_turn(Node& node) const {
    if (++node.thread < static_cast<int>(node.state.threads.size())) return true;
    node.thread = 0;
    return ++node.round < rounds_;
  }

  void settle(Node node) {
    for (;;) {
      if (node.state.threads[static_cast<std::size_t>(node.thread)].status == Thread::Status::finished) {
        if (!next_turn(node)) return;
        continue;
      }
      switch (run(node.state, node.thread)) {
        case Stop::failed:
        case Stop::pruned: return;
        case Stop::finished:
        case Stop::created: break;
        case Stop::point:
          if (node.state.atomic == 0 && !note(node.state, {node.round, node.thread})) return;
          for (State& each : steps(node.state, node.thread))
            work_.push_back({std::move(each), node.round, node.thread});
          if (node.state.atomic > 0 || !next_turn(node)) return;
          break;
      }
    }
  }

  int rounds_;
  std::vector<Node> work_;
};

class Any : public Search {
 public:
  Any(const Machine& machine, int switches, std::size_t limit)
      : Search(machine, limit), switches_(switches) {}

  void search() {
    settle({first_state(machine_), 0, 0});
    while (!work_.empty()) {
      Node node = std::move(work_.back());
      work_.pop_back();
      for (int t = 0; t < static_cast<int>(node.state.threads.size()); ++t) {
        int used = node.used + (t == node.last ? 0 : 1);
        if (switches_ >= 0 && used > switches_) continue;
        const Thread& thread = node.state.threads[static_cast<std::size_t>(t)];
        if (is_created(thread) || !is_at_point(machine_, node.state, t)) settle({node.state, t, used});
        if (thread.status != Thread::Status::running || !is_at_point(machine_, node.state, t)) continue;
        for (State& each : steps(node.state, t)) settle({std::move(each), t, used});
      }
    }
  }

 private:
  struct Node {
    State state;
    int last;
    int used;
  };

  // Goes on to the thread's next point, or its end.
  void settle(Node node) {
    for (;;) {
      switch (run(node.state, node.last)) {
        case Stop::failed:
        case Stop::pruned: return;
        case Stop::created:
          // The new one may run at once.
          if (switches_ >= 0 || node.state.atomic > 0) continue;
          break;
        case Stop::finished: break;
        case Stop::point:
          if (node.state.atomic == 0) break;
          for (State& each : steps(node.state, node.last)) settle({std::move(each), node.last, node.used});
          return;
      }
      break;
    }
    bool bounded = switches_ >= 0;
    if (note(node.state, {bounded ? node.last : 0, bounded ? node.used : 0}))
      work_.push_back(std::move(node));
  }

  int switches_;
  std::vector<Node> work_;
};

}  // namespace

Failing by_kiss(const Machine& machine, int pending, std::size_t states) {
  Kiss search(machine, pending, states);
  search.search();
  return search.failing();
}

Failing by_rounds(const Machine& machine, int rounds, std::size_t states) {
  Rounds search(machine, rounds, states);
  search.search();
  return search.failing();
}

Failing by_any(const Machine& machine, int switches, std::size_t states) {
  Any search(machine, switches, states);
  search.search();
  return search.failing();
}

bool stays_below(const Machine& machine, int limit, std::size_t states) {
  Any search(machine, -1, states);
  search.search();
  return search.least() >= 0 && search.greatest() < limit;
}

}  // namespace thrum::seq::random

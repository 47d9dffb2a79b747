// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "boolprog/check.hpp"

#include <algorithm>
#include <chrono>

#include "boolprog/backward_run.hpp"
#include "boolprog/contexts.hpp"
#include "boolprog/explicit_search.hpp"
#include "boolprog/full_exploration.hpp"
#include "boolprog/witness.hpp"

namespace thrum::bp {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kBytesOfSchedule = 16384;  // of a node of the tree, without its diagrams
constexpr std::uint32_t kRoomMax = 512;            // contexts
// The order of bits is sifted after kRoomToSift to kRoomToSiftMax contexts, as soon as the search has reached
// this part of the code. The diagrams say nothing about other code, so its bits would get arbitrary
// positions.
constexpr std::uint32_t kRoomToSift = 3;
constexpr std::uint32_t kRoomToSiftMax = 5;
constexpr double kReachedToSift = 0.7;
constexpr std::uint32_t kRoomAtOnce = 8;      // contexts after the first few; fewer if the limit is lower
constexpr std::uint64_t kSiftedMax = 200000;  // nodes
constexpr std::uint64_t kBytesOfNode = 28;    // of a diagram, with its part of BuDDy's caches

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

Answer check_states(const Flow& flow, const Goal& goal, const Limits& limits) {
  constexpr std::uint64_t kBytesOfState = 200;
  ExplicitLimits own;
  own.contexts = limits.contexts;
  own.depth = limits.depth;
  own.threads = limits.threads;
  own.states = std::max<std::uint64_t>(limits.memory / kBytesOfState, 1);
  own.seconds = limits.seconds;
  Answer answer;
  ExplicitResult result;
  try {
    result = search_explicitly(flow, goal, own);
  } catch (const TooManyOutcomes& error) {
    answer.reason = error.what();
    return answer;
  }
  answer.contexts = result.contexts;
  answer.states = result.states;
  answer.searched = result.searched;
  if (result.bug) {
    answer.kind = Answer::Kind::bug;
    answer.bug = std::move(result.bug);
  } else if (result.cut()) {
    answer.budget_ended = result.cut_seconds;
    answer.reason = result.cut_seconds  ? "the time ended"
                    : result.cut_states ? "the memory for states ended"
                    : result.cut_depth
                        ? "a stack grew to more than " + std::to_string(limits.depth) + " frames"
                        : "there were more than " + std::to_string(limits.threads) + " threads";
  } else {
    answer.kind = Answer::Kind::exhausted;
    answer.complete = result.complete;
    if (result.complete) answer.complete_since = "a further context shows no new state";
  }
  return answer;
}

class PushdownCheck {
 public:
  PushdownCheck(const Flow& flow, const Goal& goal, const Limits& limits)
      : flow_(flow), goal_(goal), limits_(limits) {}

  Answer run() {
    bool starts_threads = flow_.uses(Instruction::Kind::start_thread);
    // The encoding has variables for `room` contexts. If they are too few, the search begins again with more.
    // Started threads need variables in each diagram, so with them `room` grows by one. Otherwise the first
    // few contexts, which are cheap, also show a good order of the bits.
    std::uint32_t room = starts_threads ? 1 : kRoomToSift;
    may_sift_ = !starts_threads;
    if (limits_.contexts != 0) room = std::min(room, limits_.contexts);
    if (limits_.explores_fully && is_explored_fully()) return std::move(answer_);
    try {
      while (!search_with(room)) {
        if (room >= kRoomMax) {
          answer_.reason = "no more than " + std::to_string(kRoomMax) + " contexts can be searched";
          break;
        }
        room = next_room(room);
      }
    } catch (const BddMemoryError&) {
      answer_.kind = Answer::Kind::inconclusive;
      answer_.reason = "the memory for diagrams ended";
    } catch (const BddInterrupted&) {
      answer_.kind = Answer::Kind::inconclusive;
      answer_.reason = "the time ended";
      answer_.budget_ended = true;
    }
    return std::move(answer_);
  }

 private:
  bool time_is_over() const { return limits_.seconds > 0 && seconds_since(begin_) > limits_.seconds; }

  // True: the states are finitely many and few, and none of them fails, in any number of contexts.
  bool is_explored_fully() {
    ExplorationBudget budget;
    if (limits_.seconds > 0) budget.seconds = std::min(budget.seconds, limits_.seconds / 10);
    budget.nodes = std::min(budget.nodes, limits_.memory / kBytesOfNode);
    if (explore_fully(flow_, goal_, budget) != Exploration::no_bug) return false;
    answer_.kind = Answer::Kind::exhausted;
    answer_.complete = true;
    answer_.complete_since = "all states were explored";
    return true;
  }

  // Searches up to `room` contexts. True: there is an answer.
  bool search_with(std::uint32_t room) {
    Encoding encoding(flow_, room - 1, room - 1, 0, order_);
    answer_.bdd_variables = encoding.variables();
    BddSpace space(static_cast<int>(encoding.variables()), limits_.memory / kBytesOfNode,
                   [this] { return time_is_over(); });
    std::vector<Bdd> sets;
    {
      Transfer transfer(encoding, goal_);
      ContextSearch search(transfer, room, [this] { return time_is_over(); });
      if (search_levels(transfer, search, room)) return true;
      if (may_sift_ && search.reached() >= kReachedToSift) sets = search.sets();
    }
    if (!sets.empty()) {
      order_ = BddSpace::sift(encoding.blocks(), kSiftedMax);
      may_sift_ = false;
    }
    return false;
  }

  std::uint32_t next_room(std::uint32_t room) const {
    bool by_one = flow_.uses(Instruction::Kind::start_thread) || (may_sift_ && room < kRoomToSiftMax);
    std::uint32_t next = by_one ? room + 1 : std::max(room * 2, std::min(limits_.contexts, kRoomAtOnce));
    return limits_.contexts == 0 ? next : std::min(next, limits_.contexts);
  }

  bool search_levels(const Transfer& transfer, ContextSearch& search, std::uint32_t room) {
    while (search.level() < room) {
      bool more = search.next_level();
      answer_.schedules = search.figures().nodes;
      if (answer_.schedules * kBytesOfSchedule > limits_.memory) throw BddMemoryError("too many schedules");
      answer_.bdd_nodes = std::max(answer_.bdd_nodes, search.figures().bdd_nodes);
      if (search.failure() == nullptr) answer_.searched = std::max(answer_.searched, search.level());
      if (search.failure() != nullptr) {
        found(transfer, search);
        return true;
      }
      answer_.contexts = answer_.searched;
      if (!more) {
        answer_.kind = Answer::Kind::exhausted;
        answer_.complete = true;
        answer_.complete_since = "no thread can move in a further context";
        return true;
      }
      if (time_is_over()) throw BddInterrupted("out of time");
    }
    if (room != limits_.contexts) return false;
    answer_.kind = Answer::Kind::exhausted;
    return true;
  }

  void found(const Transfer& transfer, ContextSearch& search) {
    answer_.kind = Answer::Kind::bug;
    answer_.contexts = std::max(search.failure()->contexts, 1U);
    try {
      search.remember();
      answer_.bug = witness(transfer, search, goal_);
    } catch (const TraceTooLong& error) {
      answer_.trace_missing = error.what();
    } catch (const TooManyOutcomes& error) {
      answer_.trace_missing = error.what();
    } catch (const BddMemoryError&) {
      answer_.trace_missing = "the memory for diagrams ended";
    } catch (const BddInterrupted&) {
      answer_.trace_missing = "the time ended";
    }
  }

  const Flow& flow_;
  const Goal& goal_;
  const Limits& limits_;
  Clock::time_point begin_ = Clock::now();
  std::vector<std::uint32_t> order_;  // of bits; empty: not known
  bool may_sift_ = true;
  Answer answer_;
};

}  // namespace

Answer check(const Flow& flow, const Goal& goal, Engine engine, const Limits& limits) {
  if (engine == Engine::explicit_states) return check_states(flow, goal, limits);
  return PushdownCheck(flow, goal, limits).run();
}

}  // namespace thrum::bp

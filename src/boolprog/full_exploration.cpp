// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "boolprog/full_exploration.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>

#include "boolprog/inline.hpp"
#include "boolprog/saturation.hpp"
#include "boolprog/transfer.hpp"

namespace thrum::bp {

namespace {

using Kind = Instruction::Kind;

constexpr std::size_t kCodeMax = 5000;
constexpr std::uint32_t kThreadsMax = 8;

// An upper bound on the threads that a program without calls may start.
class StartCounter {
 public:
  explicit StartCounter(const Flow& flow) : flow_(flow) {}

  // nullopt: there is no bound, or it is too large.
  std::optional<std::uint32_t> count() {
    std::uint32_t all = 0;
    for (std::uint32_t thread : flow_.threads) {
      std::optional<std::uint32_t> own = from(flow_.procedures[thread].entry);
      if (!own) return {};
      all += *own;
      if (all > kThreadsMax) return {};
    }
    return all;
  }

 private:
  std::vector<bool> reachable(std::vector<Pc> work) const {
    std::vector<bool> seen(flow_.code.size(), false);
    while (!work.empty()) {
      Pc pc = work.back();
      work.pop_back();
      if (seen[pc]) continue;
      seen[pc] = true;
      work.insert(work.end(), flow_.code[pc].next.begin(), flow_.code[pc].next.end());
    }
    return seen;
  }

  // A start that lies on no cycle is executed at most once by each thread.
  std::optional<std::uint32_t> from(Pc entry) {
    if (std::find(active_.begin(), active_.end(), entry) != active_.end()) return {};
    active_.push_back(entry);
    std::vector<bool> seen = reachable({entry});
    std::uint32_t all = 0;
    for (Pc pc = 0; pc < flow_.code.size(); ++pc) {
      const Instruction& one = flow_.code[pc];
      if (!seen[pc] || one.kind != Kind::start_thread) continue;
      if (reachable(one.next)[pc]) return {};
      std::optional<std::uint32_t> more = from(one.entry);
      if (!more) return {};
      all += 1 + *more;
      if (all > kThreadsMax) return {};
    }
    active_.pop_back();
    return all;
  }

  const Flow& flow_;
  std::vector<Pc> active_;
};

class FullExploration {
 public:
  FullExploration(const Transfer& transfer, std::uint32_t threads)
      : transfer_(transfer), encoding_(transfer.encoding()), flow_(encoding_.flow()), threads_(threads) {
    auto fixed = static_cast<std::uint32_t>(flow_.threads.size());
    for (std::uint32_t thread = 0; thread < threads_; ++thread) {
      std::vector<int> own, now;
      std::vector<std::pair<int, int>> to_now;
      for (std::uint32_t i = 0; i < encoding_.locals(); ++i) {
        to_now.emplace_back(encoding_.local_of(i, thread), encoding_.local_now(i));
      }
      for (std::uint32_t i = 0; i < encoding_.place_bits(); ++i) own.push_back(encoding_.place_of(i, thread));
      place_.emplace_back(own);
      from_.emplace_back(to_now);
      for (auto& [a, b] : to_now) std::swap(a, b);
      back_.emplace_back(to_now);
      first_.push_back(thread < fixed ? flow_.procedures[flow_.threads[thread]].entry : not_begun());
    }
  }

  // True: no reachable state fails.
  bool run() {
    Bdd begin = transfer_.first_globals();
    if (flow_.init && !run_init(begin)) return false;
    auto fixed = static_cast<std::uint32_t>(flow_.threads.size());
    for (std::uint32_t thread = 0; thread < threads_; ++thread) {
      begin &= at(thread, first_[thread]);
      if (thread < fixed) begin &= back_[thread](transfer_.first_locals(flow_.threads[thread]));
    }
    reached_ = begin;
    std::vector<Bdd> fresh(threads_, begin);
    bool grows = true;
    while (grows) {
      grows = false;
      for (std::uint32_t thread = 0; thread < threads_; ++thread) {
        if (fresh[thread].is_false()) continue;
        grows = true;
        std::optional<Bdd> after = moved(thread, std::exchange(fresh[thread], Bdd()));
        if (!after) return false;
        Bdd added = minus(*after, reached_);
        reached_ |= added;
        for (std::uint32_t other = 0; other < threads_; ++other) {
          if (other != thread) fresh[other] |= added;
        }
      }
    }
    return true;
  }

 private:
  Pc not_begun() const { return transfer_.dead() + 1; }

  Bdd at(std::uint32_t thread, Pc pc) const {
    Bdd result = Bdd::constant(true);
    for (std::uint32_t i = 0; i < encoding_.place_bits(); ++i) {
      result &= Bdd::literal(encoding_.place_of(i, thread), ((pc >> i) & 1U) != 0);
    }
    return result;
  }

  // Adds all states that the thread reaches by itself from these, which are given by place. False: one fails.
  bool saturate(std::map<Pc, GrowingSet>& states) const {
    Worklist<Pc> work;
    for (const auto& [pc, set] : states) work.push(pc);
    while (!work.empty()) {
      Pc pc = work.pop();
      Bdd fresh = states[pc].take_new();
      if (pc == transfer_.dead()) continue;
      if (!(fresh & transfer_.failing(pc)).is_false()) return false;
      auto add = [&](Pc to, const Bdd& set) {
        if (!states[to].add(set).is_false()) work.push(to);
      };
      if (transfer_.is_give_back(pc)) {
        add(transfer_.dead(), transfer_.without_locals(transfer_.ended(pc, fresh)));
        continue;
      }
      for (const Move& move : transfer_.moves(pc)) {
        Bdd set = move.update(fresh);
        add(move.to, move.to == transfer_.dead() ? transfer_.without_locals(set) : set);
      }
    }
    return true;
  }

  // Replaces the globals by those at the end of `init`. False: `init` fails.
  bool run_init(Bdd& globals) const {
    std::map<Pc, GrowingSet> states;
    states[flow_.procedures[*flow_.init].entry].add(globals & transfer_.first_locals(*flow_.init));
    if (!saturate(states)) return false;
    globals = transfer_.init_ended(states[transfer_.dead()].all());
    return true;
  }

  // The states after a context of the thread. nullopt: the context fails.
  std::optional<Bdd> moved(std::uint32_t thread, const Bdd& before) const {
    std::map<Pc, GrowingSet> states;
    auto begin = [&](Pc pc, const Bdd& set) {
      if (!set.is_false()) states[pc].add(set);
    };
    for (Pc pc = 0; pc < transfer_.dead(); ++pc) {
      Bdd here = place_[thread].exists(before, at(thread, pc));
      if (!here.is_false()) begin(pc, transfer_.context_begun(thread, from_[thread](here)));
    }
    auto fixed = static_cast<std::uint32_t>(flow_.threads.size());
    if (thread >= fixed) {
      Bdd waiting = place_[thread].exists(before, at(thread, not_begun()));
      for (std::uint32_t i = 0; i < encoding_.starts().size(); ++i) {
        begin(encoding_.starts()[i].entry, transfer_.slot_begun(thread - fixed + 1, i, waiting));
      }
    }
    if (!saturate(states)) return {};
    Bdd after;
    for (const auto& [pc, set] : states) {
      after |= back_[thread](transfer_.context_ended(thread, set.all())) & at(thread, pc);
    }
    return after;
  }

  const Transfer& transfer_;
  const Encoding& encoding_;
  const Flow& flow_;
  std::uint32_t threads_;
  std::vector<Cube> place_;
  std::vector<Renaming> from_, back_;
  std::vector<Pc> first_;
  Bdd reached_;
};

}  // namespace

Exploration explore_fully(const Flow& flow, const Goal& goal, const ExplorationBudget& budget) {
  std::optional<Flow> inlined = without_calls(flow, kCodeMax);
  if (!inlined) return Exploration::not_bounded;
  std::optional<std::uint32_t> started = StartCounter(*inlined).count();
  if (!started) return Exploration::not_bounded;
  auto threads = static_cast<std::uint32_t>(inlined->threads.size()) + *started;
  if (threads > kThreadsMax) return Exploration::not_bounded;
  Goal inlined_goal{goal.assertions, {}};
  for (Pc pc = 0; pc < inlined->code.size(); ++pc) {
    bool wanted =
        std::find(goal.labels.begin(), goal.labels.end(), inlined->code[pc].source) != goal.labels.end();
    if (wanted) inlined_goal.labels.push_back(pc);
  }
  auto begin = std::chrono::steady_clock::now();
  auto is_over = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > budget.seconds;
  };
  Encoding encoding(*inlined, 0, *started, threads);
  try {
    BddSpace space(static_cast<int>(encoding.variables()), budget.nodes, is_over);
    Transfer transfer(encoding, inlined_goal);
    return FullExploration(transfer, threads).run() ? Exploration::no_bug : Exploration::bug;
  } catch (const BddMemoryError&) {
    return Exploration::out_of_budget;
  } catch (const BddInterrupted&) {
    return Exploration::out_of_budget;
  }
}

}  // namespace thrum::bp

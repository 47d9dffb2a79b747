// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "campaign/strategies.hpp"

#include <algorithm>
#include <utility>

#include "campaign/accompanied.hpp"
#include "campaign/parts.hpp"
#include "campaign/portfolio.hpp"
#include "search/random/pct.hpp"
#include "search/random/pos.hpp"
#include "search/random/random_walk.hpp"
#include "search/random/surw.hpp"
#include "search/reduction/best_first_dpor.hpp"
#include "search/reduction/bounded_dpor.hpp"
#include "search/reduction/dpor.hpp"
#include "search/reduction/race_flip.hpp"
#include "search/reduction/reads_from_search.hpp"
#include "search/systematic/best_first.hpp"
#include "search/systematic/systematic.hpp"
#include "unfolding/unfolding_search.hpp"

namespace thrum {

namespace {

std::unique_ptr<Strategy> make_systematic(const StrategySettings& settings, bool cheapest_first) {
  // Running something twice is better than writing a file.
  constexpr std::uint64_t kPlanBytes = 2 * (ExecutionTree::kNodeBytes + sizeof(Fringe::Waiting));
  auto most = static_cast<std::size_t>(settings.memory_max / kPlanBytes);
  std::size_t fringe_max = settings.make_file ? std::min(settings.fringe_max, most) : settings.fringe_max;
  return std::make_unique<Systematic>(
      Systematic::Settings{settings.base,
                           settings.limit,
                           cheapest_first,
                           fringe_max,
                           {settings.memory_max, settings.make_file, settings.measure_tree}});
}

std::unique_ptr<Strategy> make_icb(const StrategySettings& settings) {
  return make_systematic(settings, true);
}

// With few delays there are few schedules, even if many threads have many with few preemptions.
std::unique_ptr<Strategy> make_delays(const StrategySettings& settings) {
  StrategySettings delays = settings;
  delays.base = Base::round_robin;
  delays.memory_max = settings.memory_max / 4;
  return make_icb(delays);
}

std::unique_ptr<Strategy> make_dfs(const StrategySettings& settings) {
  return make_systematic(settings, false);
}

std::unique_ptr<Strategy> make_best_first(const StrategySettings& settings) {
  std::optional<PriorityList> list = PriorityList::make(settings.priorities);
  if (!list) return nullptr;
  return std::make_unique<BestFirst>(
      BestFirst::Settings{settings.base,
                          settings.limit,
                          std::move(*list),
                          settings.seed,
                          {settings.memory_max, settings.make_file, settings.measure_tree}});
}

std::unique_ptr<Strategy> make_best_first_dpor(const StrategySettings& settings) {
  std::optional<PriorityList> list = PriorityList::make(settings.priorities);
  if (!list) return nullptr;
  return std::make_unique<BestFirstDpor>(
      BestFirstDpor::Settings{std::move(*list),
                              settings.seed,
                              {settings.memory_max, settings.make_file, settings.measure_tree},
                              settings.rounds});
}

std::unique_ptr<Strategy> make_random(const StrategySettings& settings) {
  return std::make_unique<RandomWalk>(settings.seed);
}

template <Dpor::Algorithm algorithm>
std::unique_ptr<Strategy> make_dpor(const StrategySettings& settings) {
  return std::make_unique<Parts>(
      [rounds = settings.rounds] { return std::make_unique<Dpor>(algorithm, rounds); });
}

std::unique_ptr<Strategy> make_race_flip(const StrategySettings& settings) {
  return std::make_unique<Parts>([rounds = settings.rounds] { return std::make_unique<RaceFlip>(rounds); });
}

std::unique_ptr<Strategy> make_bpor(const StrategySettings& settings) {
  return std::make_unique<Parts>([limit = settings.limit] { return std::make_unique<BoundedDpor>(limit); });
}

std::unique_ptr<Strategy> make_rf(const StrategySettings&) { return std::make_unique<ReadsFromSearch>(); }

std::unique_ptr<Strategy> make_one_unfolding(const StrategySettings& settings, UnfoldingSearch::Mode mode) {
  return std::make_unique<UnfoldingSearch>(UnfoldingSearch::Settings{
      .mode = mode, .memory_max = settings.memory_max, .shown_max = settings.shown_max});
}

template <UnfoldingSearch::Mode mode>
std::unique_ptr<Strategy> make_unfolding(const StrategySettings& settings) {
  constexpr bool kIsContextual = mode == UnfoldingSearch::Mode::contextual;
  return std::make_unique<Accompanied>(kIsContextual ? "unfolding" : "unfolding-replicated",
                                       make_one_unfolding(settings, mode), settings.seed);
}

std::unique_ptr<Strategy> make_pct(const StrategySettings& settings) {
  return std::make_unique<Pct>(settings.seed, settings.depth);
}

std::unique_ptr<Strategy> make_pos(const StrategySettings& settings) {
  return std::make_unique<Pos>(settings.seed);
}

std::unique_ptr<Strategy> make_surw(const StrategySettings& settings) {
  return std::make_unique<Surw>(settings.seed, false);
}

std::unique_ptr<Strategy> make_urw(const StrategySettings& settings) {
  return std::make_unique<Surw>(settings.seed, true);
}

std::unique_ptr<Strategy> best_first(const StrategySettings& settings, std::vector<std::string> priorities,
                                     std::optional<std::uint32_t> limit) {
  StrategySettings own = settings;
  own.priorities = std::move(priorities);
  own.limit = limit;
  own.make_file = nullptr;
  return make_best_first(own);
}

// Members that can cover everything get most turns. The others find bugs that these find late. With a bound,
// only members that keep to it are used.
std::unique_ptr<Strategy> make_auto(const StrategySettings& settings) {
  constexpr std::uint32_t kFewPreemptions = 2;
  // Most searches are over before, and it is far ahead at once where it is worth anything.
  constexpr std::uint64_t kUnfoldingAfter = 6400;
  constexpr std::uint32_t kShareOfUnfolding = 3;
  // Its executions are dear, and most of what it does pays at once or never.
  constexpr std::uint64_t kMcrAfter = 500;
  constexpr std::uint32_t kShareOfMcr = 1;
  const std::uint64_t nodes_max = settings.memory_max / 4 / ExecutionTree::kNodeBytes;
  const bool has_limit = settings.limit.has_value();
  std::vector<Portfolio::Member> members;
  auto add = [&](std::string_view name, std::unique_ptr<Strategy> strategy, std::uint32_t share,
                 bool covers_all, bool is_capped = false) {
    members.push_back(
        {name, std::move(strategy), share, covers_all, is_capped ? nodes_max : ~std::uint64_t{0}});
  };
  add("icb", make_icb(settings), 4, true);
  if (!has_limit && !settings.is_fair) add("dpor", make_dpor<Dpor::Algorithm::optimal>(settings), 6, true);
  add("best-first mdpor,pb", best_first(settings, {"mdpor", "pb"}, settings.limit), 1, true, true);
  add("best-first ss,mdpor", best_first(settings, {"ss", "mdpor"}, settings.limit.value_or(kFewPreemptions)),
      1, has_limit, true);
  if (!has_limit) {
    if (!settings.is_fair) add("delays", make_delays(settings), 1, false);
    add("pct", make_pct(settings), 1, false);
    add("pos", make_pos(settings), 1, false);
    add("surw", make_surw(settings), 1, false);
    add("random", make_random(settings), 1, false);
  }
  if (!has_limit && !settings.is_fair && settings.has_unfolding) {
    StrategySettings own = settings;
    own.memory_max = settings.memory_max / 4;
    add("unfolding", make_one_unfolding(own, UnfoldingSearch::Mode::contextual), kShareOfUnfolding, false);
    members.back().nearly_all_after = kUnfoldingAfter;
  }
  if (!has_limit && !settings.is_fair && settings.has_unfolding && settings.make_mcr) {
    add("mcr", settings.make_mcr(), kShareOfMcr, false);
    members.back().nearly_all_after = kMcrAfter;
    members.back().is_dear = true;
  }
  return std::make_unique<Portfolio>(std::move(members));
}

constexpr StrategyRow kStrategies[] = {
    {"auto", StrategyKind::systematic,
     "icb, dpor, best-first, delays, pct, pos, surw and random take turns, and unfolding and mcr in a long "
     "search: "
     "finds bugs soon, and proves where it can",
     make_auto},
    {"icb", StrategyKind::systematic,
     "iterative context bounding: all executions with 0 preemptions, then 1, 2, ... up to the bound",
     make_icb},
    {"dfs", StrategyKind::systematic, "depth-first: every execution within the bound", make_dfs},
    {"dpor", StrategyKind::reduction,
     "optimal dynamic partial-order reduction: one execution of each class of schedules, without a bound",
     make_dpor<Dpor::Algorithm::optimal>},
    {"dpor-source", StrategyKind::reduction,
     "the same with source sets and sleep sets: some executions are begun in vain",
     make_dpor<Dpor::Algorithm::source>},
    {"dpor-persistent", StrategyKind::reduction,
     "the same with persistent sets and sleep sets, as first published",
     make_dpor<Dpor::Algorithm::persistent>},
    {"race-flip", StrategyKind::reduction,
     "race detection and flipping, without sleep sets: each class of schedules, some more often than once",
     make_race_flip},
    {"bpor", StrategyKind::bounded_reduction,
     "bounded partial-order reduction: all failed assertions with 0 preemptions, then 1, 2, ... up to the "
     "bound",
     make_bpor},
    {"rf", StrategyKind::reduction,
     "one execution of each class by reads-from: every failed assertion and crash, but neither deadlocks nor "
     "data races",
     make_rf},
    {"unfolding", StrategyKind::reduction,
     "each state of each thread by itself, with as few executions as that takes; deadlocks and data races "
     "are found in what these have in common",
     make_unfolding<UnfoldingSearch::Mode::contextual>},
    {"unfolding-replicated", StrategyKind::reduction,
     "the same by ordinary unfoldings: a write is another event for each set of reads that it comes behind",
     make_unfolding<UnfoldingSearch::Mode::replicated>},
    {"mcr", StrategyKind::reduction,
     "maximal causality reduction: a solver looks for an execution in which a thread reads something else, "
     "until there is none",
     nullptr},
    {kMcrClassic, StrategyKind::reduction,
     "the same as it was published, one execution at a time, to compare with: it may miss values, and claims "
     "nothing",
     nullptr},
    {"best-first", StrategyKind::systematic, "every execution within the bound, in the order of --priority",
     make_best_first},
    {"best-first-dpor", StrategyKind::reduction,
     "one execution of each class of schedules, in the order of --priority, without a bound",
     make_best_first_dpor},
    {"random", StrategyKind::randomised,
     "random walk: each enabled thread alike at each scheduling point, until the budget ends", make_random},
    {"pct", StrategyKind::randomised,
     "random priorities that change at a few random steps: bugs of depth --depth with a known chance",
     make_pct},
    {"pos", StrategyKind::randomised,
     "partial order sampling: a random priority for each event, and a new one where it races", make_pos},
    {"surw", StrategyKind::randomised,
     "each order of the operations on a shared object, drawn anew each time, with the same chance",
     make_surw},
    {"urw", StrategyKind::randomised,
     "uniform random walk: each interleaving of all operations with the same chance", make_urw},
};

constexpr std::string_view kStrategiesForInputs[] = {"mpc", "mpc-paths", "mpc-s1", "mpc-s2", "con2colic"};

}  // namespace

std::span<const std::string_view> strategies_for_inputs() { return kStrategiesForInputs; }

std::span<const StrategyRow> strategies() { return kStrategies; }

const StrategyRow* find_strategy(std::string_view name) {
  for (const StrategyRow& row : kStrategies) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::unique_ptr<Strategy> make_strategy(std::string_view name, const StrategySettings& settings) {
  const StrategyRow* row = find_strategy(name);
  return row && row->make ? row->make(settings) : nullptr;
}

bool runs_outside(std::string_view name) {
  const StrategyRow* row = find_strategy(name);
  return row && !row->make;
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One execution of each class by reads-from (order/reads_from.hpp): all that a thread can see and do by
// itself, and so each failed assertion and crash, with fewer executions than there are classes by dependence.
// Deadlocks and data races are states of several threads, and are not promised.
//
// The idea. A tree of decisions: at each, one read is given one source. An execution is run along the graph
// of what has been decided, and then to its end. Its first read that is not decided makes a decision, whose
// branch the execution itself is; and so on to its last read. Each store that an execution shows is offered
// to each decision on the path: the graph of the decision, the store with its past, and the read of that
// store. If that is new, and has a sequentially consistent order (order/consistency.hpp), the order is a
// plan.
//
// Why nothing is missed. Let a store w stand before the read r in some execution. Take the steps before w,
// then r, which reads something else, then w: a class that is explored, and shows w without r in its past.
// Not so where r writes as well (a read-modify-write, a lock): then w may read r, or have to wait for it. So
// where another thread's step reads such an r, or waits at its location, the rest of the program is explored
// once more with r's thread *held* before r; those executions do nothing but offer. The same where an
// execution ends by a failure: the thread that failed is held before its last step, to see what the others
// would do.
//
// Example: main stores x = 0, two threads store x, a third loads it: three executions. The first one decides
// what the load reads, and offers it the two other stores.
//
// Where we differ from the paper: no read-modify-writes are swapped; values that a step chooses are decisions
// as well; everything but loads and stores of whole cells is ordered (order/locations.hpp). What is not a
// function of what a thread reads (time, signals, waiting loops) is said in problem().
//
// Source: Abdulla, Atig, Jonsson, Lång, Ngo, Sagonas, Optimal Stateless Model Checking for Reads-From
// Equivalence under Sequential Consistency, OOPSLA 2019, section 4.
//
// Tested by tests/oracle/reads_from_search_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "order/consistency.hpp"
#include "order/reads_from.hpp"
#include "search/reduction/histories.hpp"
#include "search/reduction/hold_advisor.hpp"
#include "search/strategy.hpp"

namespace thrum {

class ReadsFromSearch final : public Strategy, public Reporting {
 public:
  struct Settings {
    std::uint64_t cuts_max = 1'000'000;  // of a check; behind it the class is left out
    // For tests: without either, classes are missed.
    bool holds = true;
    bool tells_pasts_apart = true;  // a store with another past is another source
    std::size_t histories_max =
        1 << 13;  // more of them are looked through for those that nobody names any more
  };
  struct Counts {
    std::uint64_t classes = 0;    // executions of a class each
    std::uint64_t held = 0;       // executions with a thread held
    std::uint64_t vain = 0;       // of a graph that there is not: a step that has to wait there
    std::uint64_t checks = 0;     // graphs that were checked
    std::uint64_t undecided = 0;  // classes that were left out
    std::uint64_t restarts = 0;   // since a location was another than it was (Locations::changes)
  };

  ReadsFromSearch() = default;
  explicit ReadsFromSearch(const Settings& settings)
      : settings_(settings), histories_max_(settings.histories_max) {}

  bool next(Plan& plan) override;
  Wanted wanted() const override { return {Wanted::kChoices | Wanted::kEvents, Wanted::From::start, 0}; }
  Advisor* advisor() override { return &holds_; }
  void learn(const Plan& plan, const Trace& trace) override;
  Guarantee guarantee() const override;
  Reporting& reporting() override { return *this; }
  std::string problem() const override;
  Progress progress() override;

  const Counts& counts() const { return counts_; }
  std::size_t histories() const { return histories_.size(); }  // that are kept
  // Whether the last execution stands for its class. Classes may come again after a restart.
  bool was_class() const { return was_class_; }
  // Whether an execution was none of the graph that it was planned for, and nothing explains that: the search
  // is wrong, or the program does what is not seen. Where classes do not cover it, such executions are no
  // wonder.
  bool is_lost() const { return lost_ && not_covered_.empty(); }

 private:
  using Number = Histories::Number;
  using Index = ReadsFrom::Index;
  using Count = ReadsFrom::Count;
  static constexpr Number kTheRead = 0xffffffff;  // in an order: the step that is decided
  static constexpr std::uint32_t kSource = 0xffffffff;

  enum class Writes : std::uint8_t { no, yes, unknown };
  // How much of the graph that it was planned for an execution has; other: steps that contradict it.
  enum class Followed : std::uint8_t { all, part, other };

  // A branch that is left: a sequentially consistent order of its graph.
  struct Branch {
    std::vector<Number> order;
    Number source = Histories::kNone;
    std::vector<Departure> choices;  // of the step that is decided
    bool is_guess = false;           // the order rests on what that step writes
  };
  struct Decision {
    std::uint32_t choice = kSource;  // which of the step's choices is decided; kSource: what it reads
    ThreadId thread = kMainThread;   // the step is its thread's step of that number
    Count place = 0;
    Event event;
    std::uint32_t location = Locations::kNone;
    std::vector<Number> order;   // of the graph that is decided, without the step
    Graph graph;                 // the same
    Graph base;                  // with the step's own past but for its source
    std::vector<Number> causes;  // of the step
    std::vector<Hold> holds;     // of the executions here
    bool needs_hold = false;
    bool was_held = false;
    std::set<std::uint64_t> known;  // sources
    std::vector<Branch> branches;
  };
  // What the execution that runs was planned for.
  struct Task {
    Branch branch;
    bool decides = false;  // it is a branch of the last decision
    std::vector<Hold> holds;
  };

  void begin_again();
  void forget_histories();
  template <typename Each>
  void for_each_named(Each each);
  void write(Plan& plan) const;
  void number_steps();
  bool learn_values();
  std::optional<std::uint64_t> value_of(Number source, std::uint32_t location) const;
  Followed followed();
  void grow();
  ReadsFrom::Cut decided() const;
  void decide(Index step, const ReadsFrom::Cut& cut);
  void decide_choice(Index step, std::uint32_t choice, const ReadsFrom::Cut& cut);
  std::vector<Number> order_of(const ReadsFrom::Cut& cut) const;
  Graph graph_of(const ReadsFrom::Cut& cut) const;
  void offer_all(Decision& decision);
  void offer(Decision& decision, Index store);
  bool may_read(const Decision& decision, Number source) const;
  Writes writes(const Decision& decision, Number source) const;
  void plan_branch(Decision& decision, const Graph& graph, Number source);
  Consistency::Answer order(const Decision& decision, const Graph& graph, Number source, bool writes,
                            std::vector<Number>& order);
  std::vector<Number> by_preference(const Graph& graph, const Decision& decision, Number source) const;
  void look_for_holds(const Trace& trace);
  bool needs_hold(const Decision& decision, const Trace& trace) const;
  void hold_what_failed(const Trace& trace, bool is_whole);
  void hold(Index step, bool is_whole);
  bool is_held(ThreadId thread) const;

  Settings settings_;
  Locations locations_;
  std::uint64_t changes_ = 0;  // Locations::changes() that histories_ are of
  Histories histories_;
  std::size_t histories_max_ = Settings().histories_max;
  Consistency consistency_;
  ReadsFrom run_;                      // the last execution
  std::vector<Number> numbers_;        // of its steps
  std::vector<std::uint32_t> places_;  // of histories: the step in the last execution, plus 1
  std::vector<Index> indices_;         // of histories: the step in the graph that is checked, or kNone
  std::map<std::uint32_t, std::uint64_t> initial_;  // of locations: their initial value
  // Locations that did not always have the value of their last visible store: the program initialises them.
  std::set<std::uint32_t> without_values_;
  std::vector<Decision> path_;
  Task task_;
  HoldAdvisor holds_;
  Counts counts_;
  std::string not_covered_;
  bool begun_ = false;
  bool done_ = false;
  bool lost_ = false;
  bool was_class_ = false;
};

}  // namespace thrum

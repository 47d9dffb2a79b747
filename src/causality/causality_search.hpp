// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Search by constraint solving: it asks for an execution that does something which none has shown, runs it,
// and adds it to the threads' trees, until there is no such execution (Huang, Meredith, Rosu, Maximal sound
// predictive race detection with control flow abstraction, PLDI 2014; Huang, Stateless model checking
// concurrent programs with maximal causality reduction, PLDI 2015; Yi, Huang, Maximal path causality,
// ESEC/FSE 2018; but each question is asked of all executions at once, not of one trace).
//
// Where values decide (`mcr`), that is another value that a read gives. Where the program's decisions do
// (`mpc`), it is another outcome of one of them, for some inputs. Each execution shows something new of some
// thread, so there are at most as many as threads have paths by themselves. When nothing is left, each path
// of each thread was met, and so was each failed assertion. Deadlocks and data races are states of several
// threads.
//
// Where values decide, the solver is asked last. Random walks through the trees find most of what is new; and
// where the trees have few states, all of them are looked at (tree_states.hpp), for data races, too, which
// leaves the solver nothing.
//
// Several searches may work together, each with executions of its own (causality_team.hpp).
//
// Thread safety: none; each search of a team may be in a thread of its own. Tested by
// tests/causality/causality_test.cpp, tests/native/values_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "causality/causality_team.hpp"
#include "causality/encoding.hpp"
#include "causality/tree_knowledge.hpp"
#include "causality/tree_states.hpp"
#include "causality/tree_walk.hpp"
#include "search/strategy.hpp"

namespace thrum {

class CausalitySearch final : public Strategy, public Durable, public Reporting {
 public:
  using Node = ThreadTrees::Node;
  struct Settings {
    Deciding deciding = Deciding::values;
    MakeSolver make_solver{};
    // Where the program's decisions decide: the table of its terms, which must outlive the search.
    Terms* terms = nullptr;
    Solver::Limit limit{};  // of a query about one target; if it is interrupted, next() gives nothing
    std::uint64_t memory_max = ~std::uint64_t{0};  // bytes of trees and solvers; beyond that it gives up
    bool races = true;       // data races are looked for; REQUIRES: the program says where it meets one
    bool sees_plain = true;  // the program records plain accesses; else nothing can be claimed
    bool walks = true;       // looks for what is new by walks, too
    // So many states of the trees are looked at, at least, before the solver is asked; 0: none ever are.
    std::uint64_t states_max = 1 << 14;
    bool all_paths = false;               // besides, each combination of what threads do, to the end
    std::uint64_t states_most = 1 << 24;  // so many are looked at at once, at most
    double clauses_max = 5e6;             // of an encoding; about 1 GB, and a minute to say them
    double clauses_at_once = Encoding::kClausesAtOnce;
    // What a plan may cost at first, in seconds as effort() counts them. Before a dearer one next() gives one
    // that is known, so that effort() tells what comes. 0: nobody is told.
    double seconds_at_first = 0;
    bool ends_undecided = false;  // with the first target that the solver gives up on
    bool may_be_helped = false;   // helper() will be called
    bool waits = true;            // next() waits for the other searches of its team
  };
  using Counts = CausalityCounts;

  // REQUIRES: settings.make_solver
  explicit CausalitySearch(Settings settings);
  // What it was at is left to the others.
  ~CausalitySearch() override { team_->leave(member_); }
  CausalitySearch(const CausalitySearch&) = delete;
  CausalitySearch& operator=(const CausalitySearch&) = delete;

  // A search that helps with this one, by the same settings but the interrupt. It claims nothing. The names
  // of threads must be the same for both. This one may be at work in another thread meanwhile. REQUIRES:
  // settings.may_be_helped, and values decide
  std::unique_ptr<CausalitySearch> helper(Interrupt* interrupt) const;

  bool next(Plan& plan) override;
  // next() gave nothing, and may give something when others have done more (Settings::waits).
  bool waits() const { return waits_; }
  Wanted wanted() const override;
  void learn(const Plan& plan, const Trace& trace) override;
  // All but the solver's state, which is made again. Where terms decide, the table must hold the same ones.
  Durable* durable() override { return this; }
  void save(ByteWriter& out, const ThreadNames& names) const override;
  bool load(ByteReader& in, ThreadNames& names) override;
  bool keeps_addresses() const override { return true; }
  Reporting& reporting() override { return *this; }
  Guarantee guarantee() const override;
  std::string problem() const override;
  Progress progress() override;
  SearchStatistics statistics() const override;
  Effort effort() const override;
  ShownDecisions decisions() const override;

  const ThreadTrees& trees() const { return knowledge_.trees(); }
  const Terms& terms() const { return *terms_; }
  const Counts& counts() const { return counts_; }  // of this search alone
  // Whether the plan that next() wrote is to show a data race.
  bool looks_for_race() const { return task_ == Task::race; }

 private:
  using Target = Encoding::Target;
  // What an execution is run for.
  enum class Task : std::uint8_t { walk, target, misuse, deadlock, freed, race, path };

  CausalitySearch(Settings settings, std::shared_ptr<CausalityTeam> team);
  bool leads() const { return member_ == CausalityTeam::kLeader; }

  Encoding& encoding() { return knowledge_.encoding(); }
  void catch_up();
  // What a trace has shown that was not known.
  struct Shown {
    bool begins_again = false;
    bool is_new = false;  // some step
    bool is_new_path = false;
    bool is_new_deadlock = false;
  };
  Shown take_in(const Trace& trace);
  bool find(Plan& plan);
  bool lead(Plan& plan);
  bool help(Plan& plan);
  void begin_to_ask();
  bool find_target(Plan& plan);
  bool take_offer(Plan& plan);
  bool find_by_walk(Plan& plan);
  bool find_among_states(Plan& plan);
  bool take_found(Plan& plan, std::vector<TreeStates::Found>& found, Task task);
  void take_back();
  void write_found(Plan& plan, const TreeStates::Found& found, Task task);
  bool announces(double seconds, Plan& plan);
  double seconds_of_question() const;
  double seconds_to_encode() const;
  TreeStates::Known known_of_states() const;
  void look_at_states();
  bool find_race_among_states(Plan& plan);
  bool can_look_at_states() const;
  bool is_turn_of_states() const;
  bool can_be_encoded() const;
  bool may_race() const;
  bool is_free_of_races() const { return is_free_of_races_ && raced_at_ == knowledge_.changes(); }
  // Not where a race was foreseen that is none: what is left out among states may be more than races then.
  bool knows_all_states() const {
    return are_all_states_known_ && looked_at_ == knowledge_.changes() && knows_races_;
  }
  Target ask();
  std::vector<Node> ask_for_more();
  bool ask_for_misuse();
  bool ask_for_deadlock();
  template <typename Question>
  bool is_possible(const Question& question);
  bool is_interrupted() const;
  void look_at_memory();
  void give_up_on(const char* what);
  bool ask_for_use_of_freed();
  bool ask_for_race();
  bool ask_for_path();
  template <typename Question>
  Solver::Answer ask_about(const Question& question);
  bool is_open(Node node) const;
  bool is_closed() const { return done_ && problem_.empty() && given_up_.empty() && !is_denied_; }
  std::string why_undecided(Node node) const;
  void give_up();
  std::vector<Node> lasts() const;
  // Whether the execution ended in a deadlock that was not known, or in a new combination of ends.
  bool learn_deadlock(const Trace& trace);
  bool learn_path(const Trace& trace);
  void learn_race(const Trace& trace);

  Settings settings_;
  std::shared_ptr<CausalityTeam> team_;
  CausalityTeam::Member member_ = CausalityTeam::kLeader;
  bool waits_ = false;
  std::uint64_t planned_behind_ = 0;  // changes() when the execution that runs was planned
  Terms own_terms_;
  Terms* terms_;
  TreeKnowledge knowledge_;
  TreeWalk walk_;
  std::uint64_t walk_steps_ = 20'000;  // of the next one, at most
  TreeStates states_;
  std::uint64_t looked_at_ = 0;        // what was known when the states were looked at last
  std::uint64_t states_max_ = 0;       // so many are looked at next
  std::uint64_t states_in_vain_ = 0;   // that were looked at where there were too many, and none was new
  bool were_too_many_ = false;         // then
  bool are_all_states_known_ = false;  // of what was known then, and nothing new is among them
  std::uint64_t raced_at_ = 0;         // what was known when races were looked for among the states last
  bool is_free_of_races_ = false;      // then

  Node target_ = ThreadTrees::kNone;         // of the execution that runs
  std::vector<Node> given_up_;               // targets
  std::vector<Node> unsolved_;               // targets that the solver gave up on
  std::size_t group_max_ = ~std::size_t{0};  // targets of a question
  // What is saved.
  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.knowledge_, self.given_up_, self.unsolved_, self.paths_, self.in_vain_,
                    self.deadlocks_, self.misuses_, self.races_, self.uses_of_freed_, self.knows_races_,
                    self.is_denied_, self.begun_, self.done_, self.problem_, self.counts_);
  }

  Task task_ = Task::target;
  std::set<std::vector<Node>> paths_;            // that were shown, by the ends of threads
  std::set<std::vector<Node>> in_vain_;          // ends in which threads wait in loops, but not for ever
  std::set<std::set<std::uint64_t>> deadlocks_;  // that were shown, by places in the code
  std::vector<Node> misuses_;                    // of locks, that were shown
  std::vector<RaceQuery::Pair> races_;           // that were run
  std::optional<std::pair<TreeStates::Found, Task>> unlearned_;  // that runs, a misuse or a deadlock
  // That the execution which runs is to show.
  Node misuse_ = ThreadTrees::kNone;
  RaceQuery::Pair race_;
  FreedQuery::Use freed_;
  FreedQuery::Places freed_places_;
  std::set<FreedQuery::Places> uses_of_freed_;  // that were shown
  bool knows_races_ = true;                     // all that was found was shown
  bool is_denied_ = false;                      // an execution did not end as it had to
  bool begun_ = false;
  bool done_ = false;
  std::string problem_;
  Counts counts_;
  std::optional<std::uint64_t> open_;  // targets, when they were counted last

  double question_seconds_;  // a question that may be cut is, after so much
  bool is_cut_ = false;      // the last one was, and is to be asked again
  // Settings::seconds_at_first
  double seconds_granted_;      // so much may a plan cost
  bool is_announcing_ = false;  // what was to come costs more than a plan might
};

}  // namespace thrum

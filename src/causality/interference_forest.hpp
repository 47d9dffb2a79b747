// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Concolic testing with interferences (Farzan, Holzer, Razavi, Veith, Con2colic testing, ESEC/FSE 2013).
//
// An interference is a read that takes its value from a write of another thread; a scenario is a set of them,
// and its degree is their number. In degree 0 each thread goes its own ways, by inputs. From each scenario
// that can be executed come those with one interference more: each read, with each write to its cell that is
// known; or with several, where a step has several reads. Where a solver finds an execution with these
// interferences and no others, it is run, and then whatever threads may do else in executions whose
// interferences are among these. What cannot be executed is kept, and asked again when more is known. The
// degree is raised when nothing is left.
//
// This follows the outline that Yi and Huang give (Maximal path causality, ESEC/FSE 2018, section 5.3). All
// ways behind a scenario are asked for in one query, so that each execution that is run for one of them shows
// something new. Nothing is claimed.
//
// Thread safety: none. Tested by tests/causality/con2colic_test.cpp.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "causality/tree_knowledge.hpp"
#include "search/strategy.hpp"

namespace thrum {

class InterferenceForest final : public Strategy, public Reporting {
 public:
  using Node = ThreadTrees::Node;

  struct Settings {
    MakeSolver make_solver{};
    Terms* terms = nullptr;  // the program's, which must outlive the search
    Solver::Limit limit{};   // of a query
    // Scenarios of a higher degree are left out; nothing: none are.
    std::optional<std::uint32_t> degree_max{};
  };

  // REQUIRES: settings.make_solver, settings.terms
  explicit InterferenceForest(const Settings& settings)
      : limit_(settings.limit),
        degree_max_(settings.degree_max),
        knowledge_(Deciding::terms, *settings.terms, settings.make_solver) {}

  bool next(Plan& plan) override;
  Wanted wanted() const override;
  void learn(const Plan& plan, const Trace& trace) override;
  Reporting& reporting() override { return *this; }
  std::string problem() const override;

  const std::string& not_covered() const { return not_covered_; }
  // All scenarios of lower degrees were searched.
  std::uint32_t degree() const { return degree_; }
  // What the execution that runs shows with so many interferences; kNone: it is run for its scenario.
  Node target() const { return target_; }
  const ThreadTrees& trees() const { return knowledge_.trees(); }
  std::uint64_t queries() const { return queries_; }
  std::uint64_t scenarios() const;  // that can be executed

 private:
  struct Edge {
    Node read = ThreadTrees::kNone;
    Node write = ThreadTrees::kNone;
    std::uint64_t cell = 0;

    friend auto operator<=>(const Edge&, const Edge&) = default;
  };
  using Scenario = std::set<Edge>;
  struct State {
    // What was known when nothing more was found behind it, and no scenario that comes from it.
    std::uint64_t searched_at = 0;
    std::uint64_t extended_at = 0;
  };

  bool search(const Scenario& scenario, Plan& plan);
  bool extend(const Scenario& scenario, std::size_t from, Plan& plan);
  std::size_t widest_step() const;
  bool raise_degree();
  Node step_of(Node node) const { return knowledge_.trees()[node].step; }
  bool search_degree(std::uint32_t degree, Plan& plan);
  std::vector<Solver::Literal> only(const Scenario& scenario, bool all) const;
  bool ask(std::vector<Solver::Literal> assumptions);

  Solver::Limit limit_;
  std::optional<std::uint32_t> degree_max_;
  TreeKnowledge knowledge_;
  Encoding* encoding_ = nullptr;
  std::vector<std::map<Scenario, State>> forest_;  // by degree: those that can be executed
  std::uint32_t degree_ = 0;
  std::uint64_t queries_ = 0;
  std::optional<std::uint64_t> known_;  // when something new was found that an execution shows
  Node target_ = ThreadTrees::kNone;
  bool begun_ = false;
  std::string not_covered_;
};

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maximal causality reduction as it was published (Huang, Stateless model checking concurrent programs with
// maximal causality reduction, PLDI 2015): seeds, each of which makes a read give another value.
//
// An execution is run for a seed, which is a schedule: the execution begins with it. For each read behind the
// seed, and each other value that is there to be read, a solver is asked for an execution of the same events
// that begins with the seed and in which the read gives that value. All reads that this needs give what they
// gave. What comes up to that read is the next seed. No two seeds have the same values of the same reads.
//
// A seed has the events only that the read needs, as far as the solver's cores tell. Operations that can end
// in several ways are asked about like reads.
//
// It is not known to show all values in all programs: of the writes that give one value, the model chooses
// one, and the seed keeps their order. So nothing is claimed. Where the order is not kept, only the values
// of the reads in the seed are.
//
// Thread safety: none. Tested by tests/causality/mcr_classic_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "causality/trace_encoding.hpp"
#include "search/strategy.hpp"

namespace thrum {

class McrClassic final : public Strategy, public Reporting {
 public:
  struct Settings {
    MakeSolver make_solver{};
    Solver::Limit limit{};    // of a query
    bool keeps_order = true;  // of the events of a seed
  };
  struct Counts {
    std::uint64_t queries = 0;  // some questions are asked again without steps that are not needed
    std::uint64_t satisfiable = 0;
    std::uint64_t unknown = 0;   // questions that the solver gave up
    std::uint64_t missed = 0;    // executions that did not begin with their seed
    std::uint64_t restarts = 0;  // it began again, since memory was shared that was not known to be
    double seconds = 0;          // that the questions took
  };

  // REQUIRES: settings.make_solver
  explicit McrClassic(Settings settings) : settings_(std::move(settings)) {}

  bool next(Plan& plan) override;
  Wanted wanted() const override;
  void learn(const Plan& plan, const Trace& trace) override;
  Reporting& reporting() override { return *this; }
  std::string problem() const override;
  SearchStatistics statistics() const override;

  // What executions did that the formulas do not cover; empty: nothing.
  const std::string& not_covered() const { return not_covered_; }
  const Counts& counts() const { return counts_; }

  struct Seed {
    Ways ways{};                    // how its branches end
    std::vector<ThreadId> order{};  // whose its steps are
  };
  // Whether that branch can have that value behind the seed; no value: one that is not known.
  struct Question {
    std::shared_ptr<const TracePath> path{};
    Seed seed{};  // that the path was run for
    ThreadId thread = kMainThread;
    std::size_t branch = 0;
    std::optional<std::uint64_t> value{};
  };

 private:
  struct Work {
    Plan plan{};
    Seed seed{};
    Question question{};    // that it answers
    std::size_t known = 0;  // of what memory held at first, when it was asked
  };
  class Questions;

  void begin_again();
  void ask_about(const Trace& trace);
  void ask(const Question& question, Questions& questions);

  Settings settings_;
  Terms terms_;  // none: values decide
  InitialState initial_;
  std::vector<Work> work_;
  Work running_;
  std::set<Ways> pushed_;
  bool begun_ = false;
  std::string not_covered_;
  Counts counts_;
};

}  // namespace thrum

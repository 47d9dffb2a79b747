// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maximal path causality as it was published (Yi and Huang, ESEC/FSE 2018, Algorithm 1): each execution is
// asked by itself for prefixes of paths that none has shown.
//
// An execution that was run for a prefix is split behind it: each thread goes all its way, or up to a branch
// that ends in another way there, in all combinations but the execution itself. Each of them that a solver
// finds an execution for is run (strategy S1).
//
// A prefix that cannot be executed may be so only because a write is not known yet. S2 then keeps the threads
// that have branches in the unsatisfiable core where they were, and lets the others go on as the prefix
// says. If that can be executed, it is run, and the prefix is split by what the others have shown then. The
// text takes all threads of the core; the published program, some of them.
//
// Neither finds all paths: S1 does not ask again, and S2 cannot go on with a thread of the core, though that
// may be what the prefix needs. So nothing is claimed.
//
// Two things are said otherwise than there. A prefix is the largest closed one in what the combination says
// (TracePath). And where memory was never read before it was written, what it held at first is not known: if
// an execution leaves its prefix because of that, the prefix is asked for once more.
//
// Thread safety: none. Tested by tests/causality/published_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "causality/trace_encoding.hpp"
#include "search/strategy.hpp"

namespace thrum {

class MpcByTraces final : public Strategy, public Reporting {
 public:
  // What becomes of a prefix that cannot be executed.
  enum class Retrying : std::uint8_t {
    none,     // S1: nothing
    core,     // S2: all threads of the core stay where they were
    subsets,  // S2: all of them, or some; the first that can be executed
  };
  struct Settings {
    Retrying retrying = Retrying::none;
    MakeSolver make_solver{};
    Terms* terms = nullptr;  // the program's, which must outlive the search
    Solver::Limit limit{};   // of a query
  };
  struct Counts {
    std::uint64_t queries = 0;
    std::uint64_t unknown = 0;  // prefixes that were given up
    std::uint64_t missed = 0;   // executions that left their prefix
  };

  // REQUIRES: settings.make_solver, settings.terms
  explicit MpcByTraces(Settings settings) : settings_(std::move(settings)) {}

  bool next(Plan& plan) override;
  Wanted wanted() const override;
  void learn(const Plan& plan, const Trace& trace) override;
  Reporting& reporting() override { return *this; }
  std::string problem() const override;

  // What executions did that the formulas do not cover; empty: nothing.
  const std::string& not_covered() const { return not_covered_; }
  const Counts& counts() const { return counts_; }

 private:
  using Cut = TracePath::Cut;
  using Prefix = TracePath::Prefix;
  using Threads = std::set<ThreadId>;

  // Threads of a prefix that could not be executed stay where they were, and the others go on.
  struct Extension {
    Ways prefix{};
    Threads kept{};
    friend auto operator<=>(const Extension&, const Extension&) = default;
  };
  struct Question {
    std::shared_ptr<const TracePath> path{};
    Ways before{};  // the prefix that the path was run for
    Prefix prefix{};
  };
  struct Work {
    Plan plan{};
    Ways before{};    // the prefix behind which the execution is split
    Ways expected{};  // ways that it goes
    std::optional<Extension> extension{};
    Question question{};    // that it answers
    std::size_t known = 0;  // of what memory held at first, when it was asked
  };

  // How far a thread goes in the prefixes that an execution is split into.
  using Options = std::vector<Cut>;

  Options options_behind(const TracePath& path, ThreadId thread, const ThreadWay& way) const;
  Options options_of_kept(const TracePath& path, ThreadId thread, const ThreadWay& way) const;
  std::vector<Prefix> split(const TracePath& path, const Work& work) const;
  void ask(const Question& question, TraceEncoding& encoding);
  void extend(const Question& question, TraceEncoding& encoding);
  bool extend(const Question& question, TraceEncoding& encoding, const Extension& extension);
  Cut cut_before(const Question& question, ThreadId thread) const;
  void push(Work work, TraceEncoding& encoding);
  std::unique_ptr<TraceEncoding> encode(const TracePath& path);

  Settings settings_;
  InitialState initial_;
  std::vector<Work> work_;
  Work running_;
  std::set<Extension> tried_;
  bool begun_ = false;
  std::string not_covered_;
  Counts counts_;
};

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Search by constraint solving with a bound on interferences: reads that take their value from a write of
// another thread (Farzan, Holzer, Razavi, Veith, Con2colic testing, ESEC/FSE 2013). Within a bound it asks as
// CausalitySearch does for something that no execution has shown, in an execution with no more interferences.
// When there is nothing, the bound is raised; and when there is nothing without a bound either, each path of
// each thread was met, as there.
//
// What a thread reads that its creator wrote before the creation is no interference. What a thread that was
// joined has written is one.
//
// Thread safety: none. Tested by tests/causality/con2colic_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "causality/literal_count.hpp"
#include "causality/tree_knowledge.hpp"
#include "search/strategy.hpp"

namespace thrum {

class BoundedInterferences final : public Strategy, public Reporting {
 public:
  struct Settings {
    MakeSolver make_solver{};
    Terms* terms = nullptr;  // the program's, which must outlive the search
    Solver::Limit limit{};   // of a query
  };

  // REQUIRES: settings.make_solver, settings.terms
  explicit BoundedInterferences(const Settings& settings)
      : limit_(settings.limit), knowledge_(Deciding::terms, *settings.terms, settings.make_solver) {}

  bool next(Plan& plan) override;
  Wanted wanted() const override;
  void learn(const Plan& plan, const Trace& trace) override;
  Reporting& reporting() override { return *this; }
  Guarantee guarantee() const override;
  std::string problem() const override { return problem_; }

  // All executions with fewer interferences than these were searched.
  std::uint32_t bound() const { return bound_; }
  std::uint64_t queries() const { return queries_; }

 private:
  using Target = Encoding::Target;

  bool ask(std::optional<std::uint32_t> bound);
  LiteralCount& count();

  Solver::Limit limit_;
  TreeKnowledge knowledge_;
  std::optional<LiteralCount> count_;
  std::uint64_t counted_encoding_ = 0;
  std::size_t counted_ = 0;  // interferences
  std::uint32_t bound_ = 0;
  std::uint64_t queries_ = 0;
  std::uint64_t known_ = 0;  // when the last plan was written
  bool begun_ = false;
  bool done_ = false;
  std::string problem_;
};

}  // namespace thrum

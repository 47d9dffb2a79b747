// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/outside_strategy.hpp"

#include "causality/causality_search.hpp"
#include "causality/mcr_classic.hpp"
#include "solver/module.hpp"
#include "verdict/error.hpp"

namespace thrum {

const ModuleOf kSolver = {kSolverModule, kSolverFunction, "has no solver, since Z3 was not there",
                          "libz3-dev"};

namespace {

// Has nothing to run.
class CannotRun final : public Strategy, public Reporting {
 public:
  explicit CannotRun(std::string problem) : problem_(std::move(problem)) {}
  bool next(Plan&) override { return false; }
  void learn(const Plan&, const Trace&) override {}
  Reporting& reporting() override { return *this; }
  std::string problem() const override { return problem_; }

 private:
  std::string problem_;
};

MakeSolver solver_for(const std::string& what) {
  const auto make = reinterpret_cast<SolverFunction>(module_function(what, kSolver));
  return [make](const Terms& terms) { return std::unique_ptr<Solver>(make(terms)); };
}

// The others are not to wait long for it. So it says what it is about to do, and gives up where that takes
// too long.
OutsideStrategy member_of_auto(const Job& job) {
  CausalitySearch::Settings settings;
  settings.memory_max = job.settings.memory_max / 4;
  settings.limit.seconds = 5;  // however slow the solver is
  settings.limit.work = 20'000'000;
  settings.states_max = 1 << 10;
  settings.clauses_max = 1e6;
  settings.seconds_at_first = 0.003;
  settings.ends_undecided = true;
  return {.make = [settings](Interrupt& interrupt, Strategy*) -> std::unique_ptr<Strategy> {
    CausalitySearch::Settings own = settings;
    own.limit.interrupt = &interrupt;
    try {
      own.make_solver = solver_for("--strategy auto");
    } catch (const UserError& error) {
      return std::make_unique<CannotRun>(error.what());
    }
    return std::make_unique<CausalitySearch>(own);
  }};
}

}  // namespace

bool may_have_solver(const Job& job) {
  return job.strategy == strategies()[0].name && job.races == Races::report && !job.settings.limit &&
         has_module(kSolver);
}

OutsideStrategy outside_strategy(const Job& job, std::uint64_t jobs) {
  if (job.has_solver) return member_of_auto(job);
  if (!runs_outside(job.strategy)) return {};
  const MakeSolver make = solver_for("--strategy " + job.strategy);
  if (job.strategy == kMcrClassic)
    return {.make = [make](Interrupt& interrupt, Strategy*) {
      McrClassic::Settings settings{.make_solver = make};
      settings.limit.interrupt = &interrupt;
      return std::make_unique<McrClassic>(settings);
    }};
  CausalitySearch::Settings settings;
  settings.make_solver = make;
  settings.races = job.races != Races::ignore;
  settings.memory_max = job.settings.memory_max;
  settings.may_be_helped = jobs > 1;
  settings.sees_plain = job.races != Races::ignore;
  const auto make_search = [settings](Interrupt& interrupt, Strategy* with) {
    if (with != nullptr) return static_cast<CausalitySearch*>(with)->helper(&interrupt);
    CausalitySearch::Settings own = settings;
    own.limit.interrupt = &interrupt;
    return std::make_unique<CausalitySearch>(own);
  };
  return {.make = make_search, .can_be_helped = jobs > 1};
}

}  // namespace thrum

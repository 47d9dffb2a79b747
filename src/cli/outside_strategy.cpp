// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/outside_strategy.hpp"

#include "causality/causality_search.hpp"
#include "causality/mcr_classic.hpp"
#include "solver/module.hpp"

namespace thrum {

const ModuleOf kSolver = {kSolverModule, kSolverFunction, "has no solver, since Z3 was not there",
                          "libz3-dev"};

OutsideStrategy outside_strategy(const Job& job, std::uint64_t jobs) {
  if (!runs_outside(job.strategy)) return {};
  const auto make_solver =
      reinterpret_cast<SolverFunction>(module_function("--strategy " + job.strategy, kSolver));
  const MakeSolver make = [make_solver](const Terms& terms) {
    return std::unique_ptr<Solver>(make_solver(terms));
  };
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

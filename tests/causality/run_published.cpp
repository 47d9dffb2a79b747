// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/run_published.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "oracle/compare.hpp"
#include "solver/z3_solver.hpp"

namespace thrum {

PublishedShown run_published(ToyProgram& program, Strategy& search, PathForm form,
                             std::uint64_t executions_max) {
  PublishedShown shown;
  program.record_local_states(&shown.local_states);
  program.record_local_paths(&shown.local_paths, &shown.local_paths_with_values);
  Plan plan;
  Trace trace;
  while (!shown.is_cut && search.next(plan)) {
    program.run(plan, nullptr, search.wanted(), trace);
    ++shown.executions;
    shown.is_cut = shown.executions >= executions_max;
    if (trace.end == End::diverged) shown.mistake = "it diverged: " + to_string(plan, program.names());
    if (!shown.mistake.empty()) return shown;
    if (trace.end == End::stopped) ++shown.stopped;
    const bool is_deadlock = trace.end == End::bug && trace.failure.kind == BugKind::deadlock;
    if (trace.end == End::bug) shown.bugs.insert(bug_of(trace.failure));
    if (trace.end == End::finished || is_deadlock) shown.paths.insert(program.path(form));
    search.learn(plan, trace);
    if (std::getenv("THRUM_DEBUG"))
      std::printf("plan %s\nschedule %s\npath %s\n", to_string(plan, program.names()).c_str(),
                  program.schedule().c_str(), program.path(form).c_str());
  }
  return shown;
}

PublishedShown run_by_traces(const ToyCode& code, MpcByTraces::Retrying retrying,
                             std::uint64_t executions_max) {
  ToyProgram program(code);
  MpcByTraces search({.retrying = retrying,
                      .make_solver = [](const Terms& terms) { return std::make_unique<Z3Solver>(terms); },
                      .terms = &program.terms()});
  PublishedShown shown = run_published(program, search, PathForm::outcomes, executions_max);
  shown.not_covered = search.not_covered();
  if (search.guarantee().complete || search.guarantee().exhausted) shown.mistake = "it claims something";
  if (search.problem().empty()) shown.mistake = "it does not say why it claims nothing";
  return shown;
}

std::string first_missing(const std::set<std::string>& these, const std::set<std::string>& those) {
  for (const std::string& one : these) {
    if (!those.contains(one)) return one;
  }
  return "";
}

std::uint64_t count_missing(const std::set<std::string>& these, const std::set<std::string>& those) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(these, [&](const std::string& one) { return !those.contains(one); }));
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/compare_causality.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "oracle/compare.hpp"
#include "oracle/goldilocks.hpp"
#include "oracle/toy_program.hpp"
#include "solver/z3_solver.hpp"

namespace thrum {

namespace {

constexpr std::uint64_t kExecutionsMax = 20'000;

std::string difference(const std::set<std::string>& expected, const std::set<std::string>& shown,
                       const std::string& what) {
  for (const std::string& one : expected) {
    if (!shown.contains(one)) return what + " missed: " + one;
  }
  for (const std::string& one : shown) {
    if (!expected.contains(one)) return what + " too many: " + one;
  }
  return "";
}

bool has_race(const RaceTrace& accesses) {
  Goldilocks detector;
  return std::ranges::any_of(accesses, [&](const RaceStep& step) { return !detector.step(step).empty(); });
}

void print_execution(const Plan& plan, ToyProgram& program, const CausalitySearch& search) {
  std::printf("plan %s\nschedule %s\n%s\n", to_string(plan, program.names()).c_str(),
              program.schedule().c_str(), search.trees().to_text(search.terms()).c_str());
}

// nullptr: it cannot be loaded.
std::unique_ptr<CausalitySearch> reloaded(const CausalitySearch& search,
                                          const CausalitySearch::Settings& settings, ThreadNames& names) {
  ByteWriter out;
  search.save(out, names);
  auto again = std::make_unique<CausalitySearch>(settings);
  ByteReader in(out.bytes());
  return again->load(in, names) && in.at_end() ? std::move(again) : nullptr;
}

}  // namespace

std::string CausalityCount::to_text() const {
  std::string text = std::to_string(programs) + " programs, " + std::to_string(covered) + " covered, " +
                     std::to_string(executions) + " executions, " + std::to_string(queries) + " queries, " +
                     std::to_string(states) + " states";
  for (const auto& [problem, times] : problems) text += "; " + std::to_string(times) + ": " + problem;
  return text;
}

CausalityShown run_causality(const ToyCode& code, CausalitySearch::Settings settings, CausalityCount& count,
                             const std::function<bool()>& reloads) {
  CausalityShown shown;
  ToyProgram program(code);
  program.record_local_states(&shown.local_states);
  program.record_local_paths(&shown.local_paths, &shown.local_paths_with_values);
  RaceTrace accesses;
  program.record_races(&accesses);
  const bool is_by_terms = settings.deciding == Deciding::terms;
  settings.walks = !settings.make_solver;
  if (settings.make_solver) settings.states_max = 0;
  if (!settings.make_solver)
    settings.make_solver = [](const Terms& terms) { return std::make_unique<Z3Solver>(terms); };
  if (is_by_terms) settings.terms = &program.terms();
  auto search = std::make_unique<CausalitySearch>(settings);
  Plan plan;
  Trace trace;
  while (search->next(plan)) {
    program.run(plan, nullptr, search->wanted(), trace);
    ++shown.executions;
    if (shown.executions > kExecutionsMax) shown.mistake = "it has no end";
    if (trace.end == End::diverged) shown.mistake = "it diverged: " + to_string(plan, program.names());
    if (!shown.mistake.empty()) return shown;
    if (settings.races && has_race(accesses)) {
      shown.racy = true;
      ++count.programs;
      return shown;
    }
    const bool is_deadlock = trace.end == End::bug && trace.failure.kind == BugKind::deadlock;
    if (trace.end == End::bug) shown.bugs.insert(bug_of(trace.failure));
    if (trace.end == End::finished || is_deadlock)
      shown.paths.insert(program.path(is_by_terms ? PathForm::outcomes : PathForm::with_values));
    search->learn(plan, trace);
    if (std::getenv("THRUM_DEBUG")) print_execution(plan, program, *search);
    if (reloads && reloads()) search = reloaded(*search, settings, program.names());
    if (search == nullptr) shown.mistake = "it could not be loaded";
    if (search == nullptr) return shown;
  }
  ++count.programs;
  count.executions += shown.executions;
  count.queries += search->counts().queries;
  count.states += search->counts().states;
  if (search->counts().missed != 0 && search->problem().empty())
    shown.mistake = "an execution missed its target";
  shown.claims_races = search->guarantee().covers == Covers::deadlocks_and_races;
  if (search->guarantee().exhausted) {
    ++count.covered;
  } else if (search->problem().empty()) {
    shown.mistake = "nothing was claimed";
  } else {
    shown.problem = search->problem();
    ++count.problems[shown.problem];
  }
  return shown;
}

namespace {

std::string compare_values_by(const ToyCode& code, const Findings& findings, const Paths& paths,
                              std::uint64_t states_max, CausalityCount& count,
                              const MakeSolver& make_solver = {}) {
  const std::uint64_t covered = count.covered;
  const CausalityShown shown = run_causality(
      code,
      {.deciding = Deciding::values, .make_solver = make_solver, .races = false, .states_max = states_max},
      count);
  if (!shown.mistake.empty() || count.covered == covered) return shown.mistake;
  if (const std::string missing = missing_local_state(findings, shown.local_states); !missing.empty())
    return missing;
  const std::string missing = difference(paths.local_paths, shown.local_paths_with_values, "local paths");
  if (!missing.empty()) return missing;
  for (const auto& [bug, cost] : findings.bugs) {
    if (!shown.bugs.contains(bug)) return "missing: " + name_of(bug);
  }
  return "";
}

}  // namespace

// By all states of the trees; and of every fourth program by the solver alone, which is slow.
std::string compare_values(const ToyCode& code, const Findings& findings, CausalityCount& count,
                           const MakeSolver& make_solver) {
  const Paths paths = find_paths(code, {.form = PathForm::with_values});
  if (make_solver) return compare_values_by(code, findings, paths, 0, count, make_solver);
  CausalityCount by_solver;
  const bool asks_solver = count.programs % 4 == 0;
  std::string differs;
  if (asks_solver) differs = compare_values_by(code, findings, paths, 0, by_solver);
  if (!differs.empty()) return "by the solver: " + differs;
  const std::uint64_t covered = count.covered;
  differs = compare_values_by(code, findings, paths, 1 << 14, count);
  const bool is_covered = count.covered != covered;
  if (differs.empty() && asks_solver && is_covered != (by_solver.covered != 0))
    return "covered by the states or by the solver only";
  return differs;
}

std::string compare_races(const ToyCode& code, bool is_racy, CausalityCount& count,
                          const MakeSolver& make_solver) {
  const std::uint64_t covered = count.covered;
  const CausalityShown shown =
      run_causality(code, {.deciding = Deciding::values, .make_solver = make_solver, .races = true}, count);
  if (!shown.mistake.empty()) return shown.mistake;
  if (shown.racy) return is_racy ? "" : "a data race too many";
  if (count.covered == covered) return "";
  // An assertion may fail where the race would come behind it, in an execution without scheduling points
  // there.
  if (!shown.claims_races) return shown.bugs.empty() ? "a data race that was found was not shown" : "";
  return is_racy ? "a data race missed" : "";
}

std::string compare_paths(const ToyCode& code, const Paths& paths, CausalityCount& count,
                          const MakeSolver& make_solver) {
  const std::uint64_t covered = count.covered;
  const CausalityShown shown = run_causality(
      code, {.deciding = Deciding::terms, .make_solver = make_solver, .races = false, .all_paths = true},
      count);
  if (!shown.mistake.empty() || count.covered == covered) return shown.mistake;
  std::string differs = difference(paths.local_paths, shown.local_paths, "local paths");
  if (differs.empty()) differs = difference(paths.paths, shown.paths, "paths");
  for (const ToyBug& bug : paths.bugs) {
    if (differs.empty() && !shown.bugs.contains(bug)) differs = "missing: " + name_of(bug);
  }
  for (const ToyBug& bug : shown.bugs) {
    if (differs.empty() && !paths.bugs.contains(bug)) differs = "there is none: " + name_of(bug);
  }
  return differs;
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/compare_causality.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "causality/clause_programs.hpp"
#include "oracle/compare.hpp"
#include "oracle/goldilocks.hpp"
#include "oracle/toy_program.hpp"
#include "solver/z3_solver.hpp"
#include "support/random.hpp"

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

// The numbers of threads in the program's code, as long as each thread has the same one in all executions.
class ThreadNumbers {
 public:
  void take(const ToyProgram& program, std::size_t threads) {
    for (std::size_t number = 0; number < threads; ++number) {
      const ThreadId id = program.thread_id(number);
      if (id == kNoThread) continue;
      is_ambiguous_ = is_ambiguous_ || numbers_.try_emplace(id, number).first->second != number;
    }
  }

  std::optional<std::set<std::string>> sequences_of_values(const ThreadTrees& trees) const {
    if (is_ambiguous_) return std::nullopt;
    std::set<std::string> sequences;
    for (ThreadTrees::Node node = 0; node < trees.size(); ++node) {
      if (trees[node].kind == ThreadTrees::Kind::outcome) sequences.insert(sequence_up_to(trees, node));
    }
    return sequences;
  }

 private:
  std::string sequence_up_to(const ThreadTrees& trees, ThreadTrees::Node node) const {
    std::string values;
    for (; trees[node].kind != ThreadTrees::Kind::start; node = trees[node].parent) {
      if (trees[node].kind == ThreadTrees::Kind::outcome)
        values = " =" + std::to_string(static_cast<std::int32_t>(trees.value(node))) + values;
    }
    return "t" + std::to_string(numbers_.at(trees[node].thread)) + values;
  }

  std::map<ThreadId, std::size_t> numbers_;
  bool is_ambiguous_ = false;
};

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
                     std::to_string(states) + " states, values in trees of " + std::to_string(trees);
  for (const auto& [problem, times] : problems) text += "; " + std::to_string(times) + ": " + problem;
  return text;
}

namespace {

// A program, whose executions are noted.
class Shower {
 public:
  Shower(const ToyCode& code, CausalitySearch::Settings& settings)
      : threads_(code.threads.size()), program_(code) {
    program_.record_local_states(&shown.local_states);
    program_.record_local_paths(&shown.local_paths, &shown.local_paths_with_values);
    program_.record_races(&accesses_);
    is_by_terms_ = settings.deciding == Deciding::terms;
    looks_for_races_ = settings.races;
    settings.walks = !settings.make_solver;
    if (settings.make_solver) settings.states_max = 0;
    if (!settings.make_solver)
      settings.make_solver = [](const Terms& terms) { return std::make_unique<Z3Solver>(terms); };
    if (is_by_terms_) settings.terms = &program_.terms();
  }

  // Whether the search goes on.
  bool run(const Plan& plan, Wanted wanted, Trace& trace) {
    program_.run(plan, nullptr, wanted, trace);
    ++shown.executions;
    numbers_.take(program_, threads_);
    if (shown.executions > kExecutionsMax) shown.mistake = "it has no end";
    if (trace.end == End::diverged) shown.mistake = "it diverged: " + to_string(plan, program_.names());
    shown.racy = shown.mistake.empty() && looks_for_races_ && has_race(accesses_);
    if (!shown.mistake.empty() || shown.racy) return false;
    const bool is_deadlock = trace.end == End::bug && trace.failure.kind == BugKind::deadlock;
    if (trace.end == End::bug) shown.bugs.insert(bug_of(trace.failure));
    if (trace.end == End::finished || is_deadlock)
      shown.paths.insert(program_.path(is_by_terms_ ? PathForm::outcomes : PathForm::with_values));
    return true;
  }

  // The search has ended.
  void take_claims(const CausalitySearch& search, CausalityCount& count) {
    ++count.programs;
    if (shown.racy) return;
    count.executions += shown.executions;
    const CausalityStatistics statistics = *search.statistics().causality;
    count.queries += statistics.queries;
    count.states += statistics.states;
    if (search.counts().missed != 0 && search.problem().empty())
      shown.mistake = "an execution missed its target";
    if (!is_by_terms_) shown.sequences_of_values = numbers_.sequences_of_values(search.trees());
    shown.claims_races = search.guarantee().covers == Covers::deadlocks_and_races;
    if (search.guarantee().exhausted) {
      ++count.covered;
    } else if (search.problem().empty()) {
      shown.mistake = "nothing was claimed";
    } else {
      shown.problem = search.problem();
      ++count.problems[shown.problem];
    }
  }

  ToyProgram& program() { return program_; }
  // Whether a race that an execution shows counts from now on.
  void look_for_races(bool looks) { looks_for_races_ = looks; }

  CausalityShown shown;

 private:
  std::size_t threads_;
  ToyProgram program_;
  ThreadNumbers numbers_;
  RaceTrace accesses_;
  bool is_by_terms_ = false;
  bool looks_for_races_ = false;
};

}  // namespace

CausalityShown run_causality(const ToyCode& code, CausalitySearch::Settings settings, CausalityCount& count,
                             const std::function<bool()>& reloads) {
  Shower shower(code, settings);
  auto search = std::make_unique<CausalitySearch>(settings);
  Plan plan;
  Trace trace;
  while (search->next(plan)) {
    if (!shower.run(plan, search->wanted(), trace)) break;
    search->learn(plan, trace);
    if (std::getenv("THRUM_DEBUG")) print_execution(plan, shower.program(), *search);
    if (reloads && reloads()) search = reloaded(*search, settings, shower.program().names());
    if (search == nullptr) shower.shown.mistake = "it could not be loaded";
    if (!shower.shown.mistake.empty()) break;
  }
  if (shower.shown.mistake.empty()) shower.take_claims(*search, count);
  return shower.shown;
}

namespace {

// A search of a team, and what it is at.
struct Teammate {
  std::unique_ptr<CausalitySearch> search;
  Plan plan{};
  bool runs = false;
};

}  // namespace

CausalityShown run_team(const ToyCode& code, CausalitySearch::Settings settings, const TeamSettings& team,
                        CausalityCount& count) {
  Shower shower(code, settings);
  settings.may_be_helped = true;
  settings.waits = false;
  Random random(team.seed);
  std::vector<Teammate> members;
  members.push_back({std::make_unique<CausalitySearch>(settings)});
  const CausalitySearch& leader = *members[0].search;
  Trace trace;
  for (std::uint64_t idle = 0; idle < 100 * team.members;) {
    if (members.size() < team.members && random.below(2) == 0)
      members.push_back({members[0].search->helper(nullptr)});
    const std::size_t which = random.below(members.size());
    if (which != 0 && random.below(1000) < team.deaths) {
      members.erase(members.begin() + static_cast<std::ptrdiff_t>(which));
      continue;
    }
    Teammate& member = members[which];
    if (member.runs) {
      if (!shower.run(member.plan, member.search->wanted(), trace)) break;
      member.search->learn(member.plan, trace);
      member.runs = false;
    } else {
      member.runs = member.search->next(member.plan);
      if (!member.runs && which == 0 && !member.search->waits()) break;
    }
    idle = member.runs ? 0 : idle + 1;
    if (idle == 100 * team.members) shower.shown.mistake = "all wait";
  }
  if (shower.shown.mistake.empty()) shower.take_claims(leader, count);
  return shower.shown;
}

namespace {

std::string compare_values_by(const ToyCode& code, const Findings& findings, const Paths& paths,
                              std::uint64_t states_max, CausalityCount& count,
                              const MakeSolver& make_solver = {},
                              double clauses_at_once = Encoding::kClausesAtOnce) {
  const std::uint64_t covered = count.covered;
  const CausalityShown shown = run_causality(code,
                                             {.deciding = Deciding::values,
                                              .make_solver = make_solver,
                                              .races = false,
                                              .states_max = states_max,
                                              .clauses_at_once = clauses_at_once},
                                             count);
  if (!shown.mistake.empty() || count.covered == covered) return shown.mistake;
  if (const std::string missing = missing_local_state(findings, shown.local_states); !missing.empty())
    return missing;
  const std::string missing = difference(paths.local_paths, shown.local_paths_with_values, "local paths");
  if (!missing.empty()) return missing;
  // What the trees do not have, they say cannot be.
  if (shown.sequences_of_values) {
    const std::string differs =
        difference(paths.sequences_of_values, *shown.sequences_of_values, "values in trees");
    if (!differs.empty()) return differs;
    ++count.trees;
  }
  for (const auto& [bug, cost] : findings.bugs) {
    if (!shown.bugs.contains(bug)) return "missing: " + name_of(bug);
  }
  return "";
}

}  // namespace

namespace {

// Of every second program none about one cell (DataEncoding::fill).
double clauses_at_once(std::uint64_t program) { return program % 2 == 0 ? 0 : Encoding::kClausesAtOnce; }

}  // namespace

// By all states of the trees; and of every fourth program by the solver alone, which is slow.
std::string compare_values(const ToyCode& code, const Findings& findings, CausalityCount& count,
                           const MakeSolver& make_solver) {
  const Paths paths = find_paths(code, {.form = PathForm::with_values});
  if (make_solver) return compare_values_by(code, findings, paths, 0, count, make_solver);
  CausalityCount by_solver;
  const bool asks_solver = count.programs % 4 == 0;
  std::string differs;
  if (asks_solver)
    differs = compare_values_by(code, findings, paths, 0, by_solver, {}, clauses_at_once(count.programs / 4));
  if (!differs.empty()) return "by the solver: " + differs;
  const std::uint64_t covered = count.covered;
  differs = compare_values_by(code, findings, paths, 1 << 14, count);
  const bool is_covered = count.covered != covered;
  if (differs.empty() && asks_solver && is_covered != (by_solver.covered != 0))
    return "covered by the states or by the solver only";
  return differs;
}

namespace {

std::string compare_races_by(const ToyCode& code, bool is_racy, std::uint64_t states_max,
                             CausalityCount& count, const MakeSolver& make_solver = {}) {
  const std::uint64_t covered = count.covered;
  const CausalityShown shown = run_causality(code,
                                             {.deciding = Deciding::values,
                                              .make_solver = make_solver,
                                              .races = true,
                                              .states_max = states_max,
                                              .clauses_at_once = clauses_at_once(count.programs)},
                                             count);
  if (!shown.mistake.empty()) return shown.mistake;
  if (shown.racy) return is_racy ? "" : "a data race too many";
  if (count.covered == covered) return "";
  // An assertion may fail where the race would come behind it, in an execution without scheduling points
  // there.
  if (!shown.claims_races) return shown.bugs.empty() ? "a data race that was found was not shown" : "";
  return is_racy ? "a data race missed" : "";
}

}  // namespace

// By all states of the trees; and of every fourth program by the solver alone.
std::string compare_races(const ToyCode& code, bool is_racy, CausalityCount& count,
                          const MakeSolver& make_solver) {
  if (make_solver) return compare_races_by(code, is_racy, 0, count, make_solver);
  CausalityCount by_solver;
  const bool asks_solver = count.programs % 4 == 0;
  std::string differs;
  if (asks_solver) differs = compare_races_by(code, is_racy, 0, by_solver);
  if (!differs.empty()) return "by the solver: " + differs;
  return compare_races_by(code, is_racy, 1 << 14, count);
}

std::string find_race_by_asking(const ToyCode& code) {
  CausalitySearch::Settings settings{.deciding = Deciding::values, .races = true};
  Shower shower(code, settings);
  CausalitySearch search(settings);
  Plan plan;
  Trace trace;
  while (search.next(plan)) {
    shower.look_for_races(search.looks_for_race());
    if (!shower.run(plan, search.wanted(), trace)) break;
    search.learn(plan, trace);
  }
  if (!shower.shown.mistake.empty()) return shower.shown.mistake;
  if (!shower.shown.racy) return "no data race was found by asking " + search.problem();
  return search.statistics().causality->queries == 0 ? "" : "the solver was asked";
}

std::string compare_paths(const ToyCode& code, const Paths& paths, CausalityCount& count,
                          const MakeSolver& make_solver) {
  const std::uint64_t covered = count.covered;
  const CausalityShown shown = run_causality(code,
                                             {.deciding = Deciding::terms,
                                              .make_solver = make_solver,
                                              .races = false,
                                              .all_paths = true,
                                              .clauses_at_once = clauses_at_once(count.programs)},
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

std::string compare_clause_program(const ClauseProgram& program, CausalityCount& count,
                                   const MakeSolver& make_solver) {
  const std::optional<ToyCode> code = parse(program.text);
  if (!code) return "it cannot be read";
  const std::uint64_t covered = count.covered;
  std::string differs;
  switch (program.compared) {
    case ClauseProgram::Compared::values:
      differs = compare_values(*code, enumerate(*code, {.count_local_states = true}), count, make_solver);
      break;
    case ClauseProgram::Compared::paths:
      differs = compare_paths(*code, find_paths(*code), count, make_solver);
      break;
    case ClauseProgram::Compared::races: {
      if (enumerate(*code, {.only_races = true}).racy) return "it has a data race";
      const CausalityShown shown = run_causality(
          *code, {.deciding = Deciding::values, .make_solver = make_solver, .races = true}, count);
      differs = shown.mistake;
      if (differs.empty() && !shown.claims_races) differs = "a data race that was found was not shown";
    }
  }
  return differs.empty() && count.covered == covered ? "nothing is claimed" : differs;
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maximal causality reduction on random programs, held against all their interleavings.
#include <gtest/gtest.h>

#include "causality/causality_search.hpp"
#include "oracle/compare.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "oracle/toy_program.hpp"
#include "solver/z3_solver.hpp"

namespace thrum {
namespace {

struct Count {
  std::uint64_t programs = 0;
  std::uint64_t covered = 0;
  std::uint64_t executions = 0;
  std::uint64_t queries = 0;
  std::map<std::string, int> problems;
};

CausalitySearch search_by_values() {
  return CausalitySearch(
      {Deciding::values, [](const Terms& terms) { return std::make_unique<Z3Solver>(terms); }});
}

std::string compare(const ToyCode& code, const Findings& findings, Count& count) {
  ToyProgram program(code);
  CausalitySearch search = search_by_values();
  std::set<std::string> states;
  std::set<ToyBug> bugs;
  program.record_local_states(&states);
  Plan plan;
  Trace trace;
  while (search.next(plan)) {
    program.run(plan, nullptr, search.wanted(), trace);
    ++count.executions;
    if (trace.end == End::diverged) return "it diverged: " + to_string(plan, program.names());
    if (trace.end == End::bug) bugs.insert(bug_of(trace.failure));
    search.learn(plan, trace);
    if (std::getenv("THRUM_DEBUG"))
      std::printf("plan %s\nschedule %s target %u\n%s\n", to_string(plan, program.names()).c_str(),
                  program.schedule().c_str(), search.target(),
                  search.trees().to_text(search.terms()).c_str());
    if (count.executions > 1'000'000) return "no end";
  }
  ++count.programs;
  count.queries += search.counts().queries;
  if (search.counts().missed != 0) return "an execution missed its target";
  if (!search.guarantee().exhausted) {
    ++count.problems[search.problem()];
    return search.problem().empty() ? "nothing was claimed" : "";
  }
  ++count.covered;
  if (const std::string missing = missing_local_state(findings, states); !missing.empty()) return missing;
  for (const auto& [bug, cost] : findings.bugs) {
    if (!bugs.contains(bug)) return "missing: " + name_of(bug);
  }
  return "";
}

TEST(CausalityValues, ShowAllLocalStatesOfRandomPrograms) {
  const std::uint64_t programs = setting("THRUM_ORACLE_CAUSALITY", by_default(300));
  const std::uint64_t first = setting("THRUM_ORACLE_SEED", 1);
  for (const Family family : {Family::a, Family::c, Family::d, Family::e}) {
    Count count;
    for (std::uint64_t seed = first; seed < first + programs; ++seed) {
      RandomProgram random = random_program(seed, family, 2'000);
      const Findings findings = enumerate(random.code, {.count_local_states = true});
      if (findings.racy) continue;
      if (std::getenv("THRUM_DEBUG"))
        std::fprintf(stderr, "%s %lu: %lu states\n", name_of(family), seed, findings.local_states.size());
      const std::string difference = compare(random.code, findings, count);
      ASSERT_EQ(difference, "") << name_of(family) << ' ' << seed << '\n' << print(random.code);
    }
    std::string problems;
    for (const auto& [problem, times] : count.problems)
      problems += "; " + std::to_string(times) + ": " + problem;
    std::printf("%s: %lu programs, %lu covered, %lu executions, %lu queries%s\n", name_of(family),
                static_cast<unsigned long>(count.programs), static_cast<unsigned long>(count.covered),
                static_cast<unsigned long>(count.executions), static_cast<unsigned long>(count.queries),
                problems.c_str());
  }
}

}  // namespace
}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether tests would notice if a kind of clause was missing: the clauses of each place in the code that adds
// some are left out in turn, and some program then has to show a difference.
//
//   THRUM_ORACLE_MUTANTS    random programs of each family for a mutant; by default 12, and few mutants
//   THRUM_ORACLE_SEED       seed of the first (1)
//
// Of 76 places these are not noticed, with 60 programs of each family:
//
// - that an old need holds no more, and that truth is true: both change no answer (node_encoding.cpp);
// - that who takes a token behind a failure takes one only (SyncEncoding::offer_token): it matters for
//   semaphores that are tried and for barriers, which toy programs do not have;
// - that some lock is misused (FinalStates::add_misuses): toy programs destroy no locks.
//
// A place is known by the return addresses of the call that adds the clause. Each mutant is searched in a
// process of its own, since it may do anything; that it does not come to an end is a difference as well.
#include <gtest/gtest.h>

#include <dlfcn.h>
#include <execinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "causality/clause_programs.hpp"
#include "causality/compare_causality.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "solver/z3_solver.hpp"

namespace thrum {
namespace {

constexpr std::size_t kMutantInterleavingsMax = 1'000;
constexpr std::size_t kMutantStatesMax = 5'000;
constexpr unsigned kSecondsMax = 60;  // for a mutant

// The calls by which a clause came here, but for the one of NodeEncoding that all come by.
using Place = std::array<void*, 2>;

struct Mutation {
  std::map<Place, std::uint64_t> places;  // and how many clauses each has added
  Place left_out{};                       // none
};

class MutatedSolver final : public Solver {
 public:
  MutatedSolver(const Terms& terms, Mutation& mutation) : solver_(terms), mutation_(mutation) {}

  Literal make_literal() override { return solver_.make_literal(); }
  Step make_step() override { return solver_.make_step(); }
  Literal before(Step first, Step second) override { return solver_.before(first, second); }
  Literal holds(Term condition) override { return solver_.holds(condition); }
  void add(std::span<const Literal> clause) override {
    constexpr int kOwn = 1;
    std::array<void*, 3> calls{};
    backtrace(calls.data(), calls.size());
    const Place place = {calls[kOwn], calls[kOwn + 1]};
    ++mutation_.places[place];
    if (place != mutation_.left_out) solver_.add(clause);
  }
  Answer solve(std::span<const Literal> assumptions, Limit limit) override {
    return solver_.solve(assumptions, limit);
  }
  bool is_true(Literal literal) override { return solver_.is_true(literal); }
  std::int64_t place(Step step) override { return solver_.place(step); }
  Bits value(std::uint32_t symbol, unsigned width) override { return solver_.value(symbol, width); }
  const std::vector<Literal>& core() override { return solver_.core(); }
  std::uint64_t work() const override { return solver_.work(); }

 private:
  Z3Solver solver_;
  Mutation& mutation_;
};

class Mutants : public testing::Test {
 protected:
  using Compare = std::function<std::string(CausalityCount&)>;

  void add_programs(std::uint64_t seeds) {
    for (const ClauseProgram& program : clause_programs())
      add([this, &program](CausalityCount& count) {
        return compare_clause_program(program, count, make_solver());
      });
    for (std::uint64_t i = 0; i < seeds; ++i) {
      const std::uint64_t seed = setting("THRUM_ORACLE_SEED", 1) + i;
      for (const Family family : {Family::a, Family::c, Family::d, Family::e}) add_by_values(seed, family);
      for (const Family family : {Family::f, Family::a, Family::c}) add_by_paths(seed, family);
      add_for_races(seed);
    }
  }

  // The first difference that a program shows; empty: none.
  std::string difference() {
    for (const Compare& compare : programs_) {
      CausalityCount count;
      if (std::string differs = compare(count); !differs.empty()) return differs;
      if (count.covered == 0) return "nothing is claimed";
    }
    return "";
  }

  // Whether some program shows a difference where that place adds nothing.
  bool is_noticed(const Place& place) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(kSecondsMax);
      mutation_.left_out = place;
      _exit(difference().empty() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  }

  Mutation mutation_;

 private:
  MakeSolver make_solver() {
    return [this](const Terms& terms) { return std::make_unique<MutatedSolver>(terms, mutation_); };
  }

  // Programs of which the search claims nothing are of no use; nor are those whose races end it at once.
  void add(const Compare& compare) {
    CausalityCount count;
    ASSERT_EQ(compare(count), "") << "without a mutation";
    if (count.covered != 0) programs_.push_back(compare);
  }

  void add_by_values(std::uint64_t seed, Family family) {
    const ToyCode code = random_program(seed, family, kMutantInterleavingsMax).code;
    Findings findings =
        enumerate(code, {.count_local_states = true, .executions_max = kMutantInterleavingsMax});
    if (findings.racy || findings.gave_up) return;
    add([this, code, findings](CausalityCount& count) {
      return compare_values(code, findings, count, make_solver());
    });
  }

  void add_by_paths(std::uint64_t seed, Family family) {
    const ToyCode code = random_program(seed, family, kMutantInterleavingsMax).code;
    Paths paths = find_paths(code, {.judge_races = true, .states_max = kMutantStatesMax});
    if (paths.racy || paths.gave_up) return;
    add([this, code, paths](CausalityCount& count) {
      return compare_paths(code, paths, count, make_solver());
    });
  }

  void add_for_races(std::uint64_t seed) {
    const ToyCode code = random_program(seed, Family::b, kMutantInterleavingsMax).code;
    const Findings findings =
        enumerate(code, {.only_races = true, .executions_max = kMutantInterleavingsMax});
    if (findings.gave_up) return;
    add([this, code, racy = findings.racy](CausalityCount& count) {
      return compare_races(code, racy, count, make_solver());
    });
  }

  std::vector<Compare> programs_;
};

// An address of this program that addr2line takes.
std::string address_of(void* code) {
  Dl_info info;
  if (dladdr(code, &info) == 0) return "?";
  char text[32];
  std::snprintf(text, sizeof text, "%#zx",
                static_cast<std::size_t>(static_cast<char*>(code) - static_cast<char*>(info.dli_fbase) - 1));
  return text;
}

TEST_F(Mutants, AreNoticed) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "calls have other frames where a sanitizer watches them";
#endif
  const std::uint64_t seeds = setting("THRUM_ORACLE_MUTANTS", 0);
  add_programs(seeds != 0 ? seeds : 12);
  if (HasFatalFailure()) return;
  std::vector<std::pair<std::uint64_t, Place>> places;
  for (const auto& [place, clauses] : mutation_.places) places.emplace_back(clauses, place);
  ASSERT_GT(places.size(), 50u);
  // By default those that matter most often.
  std::ranges::sort(places, std::greater<>());
  if (seeds == 0) places.resize(10);
  std::size_t noticed = 0;
  for (const auto& [clauses, place] : places) {
    const bool is_so = is_noticed(place);
    noticed += is_so ? 1 : 0;
    if (seeds == 0) continue;
    std::cout << (is_so ? "noticed" : "NOT NOTICED") << ' ' << clauses << " clauses, " << address_of(place[0])
              << ' ' << address_of(place[1]) << std::endl;
  }
  std::cout << noticed << " of " << places.size() << '\n';
  EXPECT_GE(noticed, places.size() * 9 / 10);
}

}  // namespace
}  // namespace thrum

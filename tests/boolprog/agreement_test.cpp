// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pushdown engine against the one that lists states, on random programs, at each context bound.
//
// THRUM_BOOLPROG_PROGRAMS: how many of each kind; THRUM_BOOLPROG_SEED: the first seed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string>

#include "boolprog/check.hpp"
#include "boolprog/explicit_search.hpp"
#include "boolprog/full_exploration.hpp"
#include "boolprog/random_program.hpp"

namespace thrum::bp {
namespace {

constexpr std::uint32_t kContexts = 5;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

struct Tally {
  std::uint64_t bugs = 0;
  std::uint64_t exhausted = 0;
  std::uint64_t cut = 0;       // the explicit engine met a bound
  std::uint64_t explored = 0;  // fully, and nothing was wrong
  std::uint64_t timed_out = 0;
  std::uint64_t bugs_by_contexts[kContexts + 1] = {};
};

// Empty: they agree.
std::string disagreement(const Program& program, Tally& tally) {
  Flow flow = to_flow(program, threads_of(program));
  Goal goal;
  ExplicitLimits limits;
  limits.contexts = kContexts;
  limits.depth = 6;
  limits.threads = 5;
  limits.states = 30000;
  ExplicitResult expected = search_explicitly(flow, goal, limits);
  Limits own;
  own.contexts = kContexts;
  own.seconds = 20;
  own.explores_fully = false;
  Answer answer = check(flow, goal, Engine::pushdown, own);
  if (expected.cut()) ++tally.cut;
  if (answer.kind == Answer::Kind::inconclusive) {
    if (!answer.budget_ended) return "inconclusive: " + answer.reason;
    ++tally.timed_out;
    return "";
  }
  bool found = answer.kind == Answer::Kind::bug;
  if (found) {
    ++tally.bugs;
    ++tally.bugs_by_contexts[answer.contexts];
    if (!answer.bug) return "no trace: " + answer.trace_missing;
  } else {
    ++tally.exhausted;
  }
  // What is reached at all: all states at once, against each by itself without a bound on contexts.
  Exploration explored = explore_fully(flow, goal, {});
  if (explored == Exploration::no_bug) {
    ++tally.explored;
    if (found || expected.bug) return "full exploration misses a bug";
  }
  if (explored == Exploration::bug && !found) {
    limits.contexts = 0;
    ExplicitResult unbounded = search_explicitly(flow, goal, limits);
    if (!unbounded.bug && !unbounded.cut()) return "full exploration finds a bug that is none";
  }
  std::string by = " (" + std::to_string(expected.contexts) + " contexts by states, " +
                   std::to_string(answer.contexts) + " by stacks)";
  if (expected.bug) {
    if (!found) return "a bug is missed" + by;
    if (answer.contexts > expected.contexts) return "a bug in fewer contexts is missed" + by;
    if (!expected.cut() && answer.contexts < expected.contexts) return "the bug needs more contexts" + by;
    return "";
  }
  if (found && (!expected.cut() || answer.contexts <= expected.contexts)) return "there is no such bug" + by;
  return "";
}

// Removes what a disagreement does not need.
class Shrinker {
 public:
  explicit Shrinker(std::function<bool(const Program&)> fails) : fails_(std::move(fails)) {}

  Program shrink(Program program) {
    bool again = true;
    while (again) {
      again = false;
      for (std::size_t i = 0; i < program.functions.size(); ++i) {
        again |= shrink_block(program, [i](Program& p) -> Block& { return p.functions[i].body; });
        again |= attempt(program,
                         [i](Program& p) { p.functions.erase(p.functions.begin() + static_cast<long>(i)); });
        if (i >= program.functions.size()) break;
        again |= attempt(
            program, [i](Program& p) { p.functions[i].enforce.reset(); },
            program.functions[i].enforce.has_value());
        for (std::size_t j = program.functions[i].locals.size(); j-- > 0;) {
          again |= attempt(program, [i, j](Program& p) {
            p.functions[i].locals.erase(p.functions[i].locals.begin() + static_cast<long>(j));
          });
        }
      }
      for (std::size_t i = program.globals.size(); i-- > 0;) {
        again |=
            attempt(program, [i](Program& p) { p.globals.erase(p.globals.begin() + static_cast<long>(i)); });
      }
    }
    return program;
  }

 private:
  using Place = std::function<Block&(Program&)>;

  bool attempt(Program& program, const std::function<void(Program&)>& change, bool worthwhile = true) {
    if (!worthwhile) return false;
    Program smaller = program;
    change(smaller);
    try {
      if (!fails_(smaller)) return false;
    } catch (const InputError&) {
      return false;
    }
    program = std::move(smaller);
    return true;
  }

  bool shrink_block(Program& program, const Place& place) {
    bool any = false;
    for (std::size_t i = place(program).size(); i-- > 0;) {
      if (attempt(program, [&](Program& p) { place(p).erase(place(p).begin() + static_cast<long>(i)); })) {
        any = true;
        continue;
      }
      any |= shrink_statement(program, place, i);
    }
    return any;
  }

  bool shrink_statement(Program& program, const Place& place, std::size_t i) {
    bool any = false;
    const Statement one = place(program)[i];
    if (one.constraint) any |= attempt(program, [&](Program& p) { place(p)[i].constraint.reset(); });
    for (std::size_t a = 0; a < one.arms.size(); ++a) {
      bool unwrapped = attempt(program, [&](Program& p) {
        Block body = place(p)[i].arms[a].body;
        auto at = place(p).erase(place(p).begin() + static_cast<long>(i));
        place(p).insert(at, body.begin(), body.end());
      });
      if (unwrapped) return true;
      any |= shrink_expression(program,
                               [&, a](Program& p) -> Expression& { return place(p)[i].arms[a].condition; });
      any |= shrink_block(program, [&, a](Program& p) -> Block& { return place(p)[i].arms[a].body; });
    }
    if (one.has_otherwise) {
      any |= attempt(program, [&](Program& p) {
        place(p)[i].has_otherwise = false;
        place(p)[i].otherwise.clear();
      });
    }
    for (std::size_t v = 0; v < place(program)[i].values.size(); ++v) {
      any |= shrink_expression(program, [&, v](Program& p) -> Expression& { return place(p)[i].values[v]; });
    }
    return any;
  }

  bool shrink_expression(Program& program, const std::function<Expression&(Program&)>& place) {
    const Expression one = place(program);
    bool any = false;
    for (std::size_t i = 0; i < one.operands.size() && !any; ++i) {
      any |= attempt(program, [&](Program& p) {
        Expression part = place(p).operands[i];
        place(p) = std::move(part);
      });
    }
    return any;
  }

  std::function<bool(const Program&)> fails_;
};

void compare(const RandomSetting& setting, std::uint64_t count) {
  std::uint64_t first = from_environment("THRUM_BOOLPROG_SEED", 1);
  count = from_environment("THRUM_BOOLPROG_PROGRAMS", count);
  Tally tally;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    Program program = random_program(seed, setting);
    std::string what = disagreement(program, tally);
    if (what.empty()) continue;
    Tally ignored;
    Program small =
        Shrinker([&](const Program& one) { return !disagreement(one, ignored).empty(); }).shrink(program);
    FAIL() << "seed " << seed << ": " << what << "\nshrunk: " << disagreement(small, ignored) << '\n'
           << to_text(small);
  }
  // A comparison of programs that never fail, or always, would show little.
  EXPECT_GE(tally.bugs, count / 10);
  EXPECT_GE(tally.exhausted, count / 10);
  EXPECT_LE(tally.timed_out, 1 + count / 100);
  std::string by_contexts;
  for (std::uint32_t c = 1; c <= kContexts; ++c)
    by_contexts += ' ' + std::to_string(tally.bugs_by_contexts[c]);
  printf(
      "%llu programs: %llu with a bug (by contexts:%s), %llu exhausted, %llu for any number; %llu cut by "
      "states, %llu out of time\n",
      static_cast<unsigned long long>(count), static_cast<unsigned long long>(tally.bugs),
      by_contexts.c_str(), static_cast<unsigned long long>(tally.exhausted),
      static_cast<unsigned long long>(tally.explored), static_cast<unsigned long long>(tally.cut),
      static_cast<unsigned long long>(tally.timed_out));
}

#ifdef __SANITIZE_ADDRESS__
constexpr std::uint64_t kShare = 20;  // which is slower, and looks for other mistakes
#else
constexpr std::uint64_t kShare = 1;
#endif

TEST(Agreement, ThreadsFromTheBeginning) { compare({}, 400 / kShare); }
TEST(Agreement, ThreadsThatAreStarted) { compare({.starts_threads = true}, 100 / kShare); }

}  // namespace
}  // namespace thrum::bp

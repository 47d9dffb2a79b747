// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searches by constraint solving that are saved and loaded on the way come to the same as those that are not.
//
//   THRUM_ORACLE_CAUSALITY  random programs of each family (100)
//   THRUM_ORACLE_SEED       seed of the first (1)
#include <gtest/gtest.h>

#include "causality/compare_causality.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "oracle/shrink.hpp"
#include "support/random.hpp"

namespace thrum {
namespace {

constexpr std::size_t kDurableInterleavingsMax = 2'000;

// By terms, it depends on the solver which of the inputs of a path are tried. Which paths of threads were met
// together is luck, unless all of that are asked for; and so is all that was shown before a problem.
std::string difference(const CausalityShown& once, const CausalityShown& again,
                       const CausalitySearch::Settings& settings) {
  const bool is_by_values = settings.deciding == Deciding::values;
  if (!again.mistake.empty()) return again.mistake;
  if (once.problem != again.problem) return "once " + once.problem + ", once " + again.problem;
  if (!once.problem.empty()) return "";
  if (is_by_values && once.local_states != again.local_states) return "other local states";
  if (is_by_values && once.local_paths_with_values != again.local_paths_with_values)
    return "other local paths with values";
  if (once.local_paths != again.local_paths) return "other local paths";
  if (settings.all_paths && once.paths != again.paths) return "other paths";
  if (once.bugs != again.bugs) return "other bugs";
  if (once.claims_races != again.claims_races) return "races are claimed once only";
  return "";
}

std::string compare(const ToyCode& code, const CausalitySearch::Settings& settings, std::uint64_t seed,
                    std::uint64_t& reloads) {
  CausalityCount count;
  const CausalityShown once = run_causality(code, settings, count);
  if (!once.mistake.empty() || once.racy) return once.mistake;
  Random random(seed);
  for (const std::uint64_t each : {1, 3}) {
    const CausalityShown again = run_causality(code, settings, count, [&] {
      const bool now = random.below(each) == 0;
      reloads += now ? 1 : 0;
      return now;
    });
    // What walks find differs, but not what is there in the end.
    const std::string differs = difference(once, again, settings);
    if (!differs.empty()) return differs;
  }
  return "";
}

void reload_families(std::initializer_list<Family> families, const CausalitySearch::Settings& settings) {
  const std::uint64_t first = setting("THRUM_ORACLE_SEED", 1);
  const std::uint64_t programs = setting("THRUM_ORACLE_CAUSALITY", by_default(100));
  for (const Family family : families) {
    std::uint64_t reloads = 0;
    for (std::uint64_t seed = first; seed < first + programs; ++seed) {
      const ToyCode code = random_program(seed, family, kDurableInterleavingsMax).code;
      const std::string differs = compare(code, settings, seed, reloads);
      if (differs.empty()) continue;
      const ToyCode small = shrink(
          code, [&](const ToyCode& smaller) { return !compare(smaller, settings, seed, reloads).empty(); });
      FAIL() << name_of(family) << " " << seed << ": " << differs << '\n' << print(small);
    }
    EXPECT_GT(reloads, programs);
  }
}

TEST(DurableCausality, GoesOnByValues) {
  reload_families({Family::a, Family::c, Family::d, Family::e},
                  {.deciding = Deciding::values, .races = false});
}

TEST(DurableCausality, GoesOnWithRaces) {
  reload_families({Family::b}, {.deciding = Deciding::values, .races = true});
}

TEST(DurableCausality, GoesOnByPaths) {
  reload_families({Family::f, Family::a}, {.deciding = Deciding::terms, .races = false, .all_paths = true});
}

}  // namespace
}  // namespace thrum

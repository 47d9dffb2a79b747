// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stateful search of the machine (--state-cache) against the oracle: random toy programs, translated to C++.
//
//   THRUM_NATIVE_PROGRAMS   random programs of each family
//   THRUM_NATIVE_SEED       seed of the first (1); the next has the next seed
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "native/compare.hpp"
#include "native/translate.hpp"
#include "native/workshop.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "oracle/toy_states.hpp"
#include "stateful/state_search.hpp"

namespace thrum {
namespace {

using nlohmann::json;

constexpr std::size_t kStatesExecutionsMax = 20'000;

// A real program has one more state before each end: its last thread stands before the end of the process.
std::uint64_t states_of(const ToyCode& code) {
  ToyStates program(code, true);
  std::uint64_t exits = 0;
  StatefulSettings settings;
  settings.at_end = [&] { exits += program.end() == End::finished ? 1 : 0; };
  return StateSearch(program, settings).run().states + exits;
}

struct Compared {
  std::uint64_t programs = 0, with_bugs = 0, racy = 0;
  std::uint64_t as_many = 0, more = 0, fewer = 0;  // states than the toy has
};

// What is found agrees with all executions in which each access is a scheduling point.
void compare_states(Family family, std::uint64_t count, Compared& compared) {
  const std::uint64_t first = setting("THRUM_NATIVE_SEED", 1);
  const std::uint64_t end = first + setting("THRUM_NATIVE_PROGRAMS", count);
  constexpr const char* kOrders[] = {"icb", "dfs", "bfs"};
  Workshop workshop;
  std::vector<ToyCode> codes;
  for (std::uint64_t seed = first; seed < end; ++seed)
    codes.push_back(random_program(seed, family, kStatesExecutionsMax / 4).code);
  ASSERT_EQ(workshop.compile("programs", translate(codes)), "");
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const Findings finest =
        enumerate(codes[i], {.plain_is_visible = true, .executions_max = kStatesExecutionsMax});
    // Merged states forget who was ordered before whom: a race that only weak orders make is not seen.
    if (finest.gave_up || (finest.racy && has_weak_orders(codes[i]))) continue;
    std::uint64_t states = 0;
    for (const char* order : kOrders) {
      std::vector<std::string> options = {"--state-cache", "--strategy", order, "--early-timeouts", "1e9"};
      if (codes[i].spurious) options.emplace_back("--spurious");
      const json result = workshop.check("programs", i, options);
      EXPECT_EQ(compare_explored(result, finest, !finest.racy), "") << order << ", seed " << first + i << "\n"
                                                                    << print(codes[i]);
      const json& statistics = result["tests"][0]["statistics"];
      if (!statistics.contains("states")) continue;
      const auto found = statistics["states"].get<std::uint64_t>();
      if (states != 0 && finest.bugs.empty()) {
        EXPECT_EQ(found, states) << order << ", seed " << first + i;
      }
      states = found;
    }
    const std::uint64_t of_toy = states_of(codes[i]);
    ++(states == of_toy ? compared.as_many : states > of_toy ? compared.more : compared.fewer);
    ++compared.programs;
    compared.with_bugs += finest.bugs.empty() ? 0 : 1;
    compared.racy += finest.racy ? 1 : 0;
  }
  std::cout << compared.programs << " programs, " << compared.with_bugs << " with bugs, " << compared.racy
            << " racy; " << compared.as_many << " have as many states as the toy, " << compared.more
            << " more, " << compared.fewer << " fewer\n";
}

// A program may have fewer states than its toy, since the compiler leaves out what nobody reads.
void expect_agreement(Family family, std::uint64_t count) {
  Compared compared;
  compare_states(family, count, compared);
  EXPECT_GT(compared.as_many, 0u);
}

TEST(States, AgreeOnFamilyA) { expect_agreement(Family::a, 20); }
TEST(States, AgreeOnFamilyB) { expect_agreement(Family::b, 20); }
TEST(States, AgreeOnFamilyC) { expect_agreement(Family::c, 10); }
TEST(States, AgreeOnFamilyD) { expect_agreement(Family::d, 10); }
TEST(States, AgreeOnFamilyE) { expect_agreement(Family::e, 10); }

}  // namespace
}  // namespace thrum

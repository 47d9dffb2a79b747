// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backwards and forwards must agree.
#include "boolprog/predecessors.hpp"

#include <gtest/gtest.h>

#include "boolprog/phase.hpp"
#include "boolprog/random_program.hpp"

namespace thrum::bp {
namespace {

// For each choice of globals, whether main fails if it begins with them: as pre* says, and as post* does.
TEST(Predecessors, AgreeWithSuccessors) {
  std::uint64_t failing = 0;
  std::uint64_t safe = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Program program = random_program(seed, {});
    Flow flow;
    try {
      flow = to_flow(program, {"main"});
    } catch (const InputError&) {
      continue;
    }
    Goal goal;
    Encoding encoding(flow, 0, 0);
    BddSpace space(static_cast<int>(encoding.variables()), 5000000, {});
    Transfer transfer(encoding, goal);
    Predecessors backward(transfer);
    backward.saturate();
    std::uint32_t main = flow.threads[0];
    Pc entry = flow.procedures[main].entry;
    Bdd begin = transfer.first_globals() & transfer.first_locals(main);
    Bdd bad = transfer.without_frame(begin & backward.fails(entry));
    // None of them fails forwards, but all those that are left do.
    std::vector<int> globals;
    for (std::uint32_t i = 0; i < encoding.globals(); ++i) globals.push_back(encoding.global_now(i));
    for (Bdd left = transfer.without_frame(begin); !left.is_false();) {
      Bdd one = Bdd::constant(true);
      std::vector<bool> values = left.pick(globals);
      for (std::size_t i = 0; i < globals.size(); ++i) one &= Bdd::literal(globals[i], values[i]);
      left = minus(left, one);
      Summaries summaries(transfer);
      Phase phase(summaries, transfer, Phase::Purpose::go_on, 0, 0);
      phase.begin_first(entry, begin & one);
      phase.saturate();
      bool fails = phase.failure().has_value();
      ASSERT_EQ(!(bad & one).is_false(), fails) << "seed " << seed << '\n' << to_text(program);
      ++(fails ? failing : safe);
    }
  }
  EXPECT_GT(failing, 200U);
  EXPECT_GT(safe, 200U);
}

}  // namespace
}  // namespace thrum::bp

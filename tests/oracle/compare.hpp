// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares what strategies do with what the oracle says. Every function gives the first disagreement as text,
// and an empty text where there is none; so the same functions serve tests and the shrinker.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_set>

#include "campaign/explore.hpp"
#include "oracle/oracle.hpp"
#include "oracle/toy_program.hpp"

namespace thrum {

// Of a search that goes on to its end, past every bug.
Limits no_limits();

// What a systematic strategy promises.
struct Promise {
  Base base = Base::nonpreemptive;
  std::optional<std::uint32_t> limit;
  bool cheapest_first = true;
};

int cost(const Ending& ending, Base base);

ToyBug bug_of(const Failure& failure);
std::string name_of(const ToyBug& bug);

// The execution that program ran last is one of the oracle's, and ended and cost as the oracle says.
std::string compare_execution(const ToyProgram& program, const Trace& trace, const Findings& findings,
                              Base base);

// The other one, which is made alike, goes on where the strategy is. False: it cannot.
bool take_up(Strategy& strategy, Strategy& other, ThreadNames& names);

// What is missing of the local states that the oracle saw, also in executions that a failure cuts off; empty:
// nothing.
std::string missing_local_state(const Findings& findings, const std::set<std::string>& seen);

// What a reduced search has shown.
struct Shown {
  std::unordered_set<std::uint64_t> classes;
  std::set<std::string> states;  // final ones
  std::set<std::string> local_states;
  std::set<ToyBug> bugs;
  bool is_lost = false;            // Dpor::is_lost()
  bool fails_behind_join = false;  // a thread failed where the last step was one that it had waited for
};

// What is missing there of the oracle's; empty: nothing, and there is no class too many.
std::string missing_of_all(const Findings& findings, const Shown& shown);

// Runs strategy to its end: each execution within the limit once, and no other; in order of cost where that
// is promised; and it claims what is so, no less and no more.
std::string compare_search(const ToyCode& code, const Findings& findings, Strategy& strategy,
                           const Promise& promise);

// dfs and icb, by preemptions and by delays, without a bound and with bounds 0, 1 and 2.
std::string compare_systematic(const ToyCode& code, const Findings& findings);

// explore() with icb and dfs: the oracle's bugs, each with its fewest preemptions, known to be the fewest,
// and a plan that shows it again.
std::string compare_explore(const ToyCode& code, const Findings& findings);

// What spurious wake-ups add to a program: every execution without them is one with them, ends alike and
// costs the same; so each bug stays, for no more.
std::string compare_spurious(const Findings& without, const Findings& with);

// The randomised strategies: only executions that there are; each plan gives its execution by itself, also
// written down and read where threads have other ids; the same seed gives the same search, also where that is
// put down and taken up in between, and another worker can take a part; and nothing is claimed but a chance.
std::string compare_randomised(const ToyCode& code, const Findings& findings, std::uint64_t seed);

// icb, dfs or best-first by several workers, perhaps with little memory, each with thread names of its own,
// interrupted at random moments by split, merge, save and load: together the same executions, each once.
std::string compare_workers(const ToyCode& code, const Findings& findings, std::uint64_t seed);

}  // namespace thrum

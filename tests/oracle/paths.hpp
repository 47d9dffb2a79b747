// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ways that the threads of a toy program can go, by brute force: all inputs times all schedules. Like the
// oracle it shares nothing with the search. It goes on from each state once; how the threads came there, by
// their local paths, is a part of the state.
#pragma once

#include <set>
#include <string>

#include "oracle/local_path.hpp"
#include "oracle/toy_code.hpp"

namespace thrum {

struct PathSettings {
  PathForm form = PathForm::outcomes;
  bool judge_races = false;    // finds racy; there are many more states then
  std::size_t states_max = 0;  // give up beyond; 0: never
};

struct Paths {
  bool gave_up = false;
  // Of each thread in each state between two steps, but where it stands at a join; as ToyProgram has them.
  std::set<std::string> local_paths;
  // PathForm::with_values: what each thread can read, behind the values that it has read (local_path.hpp).
  std::set<std::string> sequences_of_values;
  // Of all threads together at the end of each execution that no failure ended; one that ends in a deadlock
  // is among them.
  std::set<std::string> paths;
  std::set<ToyBug> bugs;  // deadlocks among them
  bool racy = false;      // some execution has a data race
  std::size_t states = 0;
};

// REQUIRES: the program has at most kOracleThreads threads.
Paths find_paths(const ToyCode& code, const PathSettings& settings = {});

}  // namespace thrum

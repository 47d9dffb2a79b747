// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs sequential programs in this process, once for each way that their choices can go: the stock compiler
// makes shared objects of them, whose variables are put back between two runs.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace thrum::seq::random {

struct Runs {
  std::set<std::string> failing{};  // the messages
  std::vector<long> printed{};      // by `out`, in the last run
  std::string trouble{};            // not empty: it does not compile, it crashes, it does not end
  std::uint64_t count = 0;
  bool all = true;  // false: there were more than the limit
};

struct Executed {
  std::uint64_t runs = 200'000;  // of a program
  unsigned seconds = 20;         // for one of them
};

std::vector<Runs> run_all(const std::vector<std::string>& programs, const Executed& limits);

}  // namespace thrum::seq::random

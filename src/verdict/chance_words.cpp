// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by verdict_test.cpp.
#include "verdict/chance_words.hpp"

#include <fmt/format.h>

#include <cmath>

namespace thrum {

namespace {

const char* name_of(Chance::Of of) {
  switch (of) {
    case Chance::Of::bug_of_depth: return "bug-of-depth";
    case Chance::Of::interleaving: return "interleaving";
    case Chance::Of::object_order: break;
  }
  return "object-order";
}

// "2.3e-05", also where it is smaller than any double.
std::string probability_words(double log_probability) {
  double log10 = log_probability / std::log(10.0);
  if (log10 > -300) return fmt::format("{:.2g}", std::exp(log_probability));
  return fmt::format("10^{:.0f}", std::floor(log10));
}

std::string no_chance_words(const Chance& chance) {
  if (!chance.unfit) return "no number can be given: too little was run to know the program";
  if (chance.of == Chance::Of::bug_of_depth) {
    return "no number can be given: PCT's bound is not for programs whose threads yield, choose values or "
           "have "
           "waits that may end by themselves, nor for executions that --steps cuts";
  }
  return "no number can be given: orders have the same chance only where each thread always does as many "
         "operations and waits for nothing but the ends of threads that it does not run beside";
}

}  // namespace

std::string chance_words(const Chance& chance) {
  if (!chance.log_least) return no_chance_words(chance);
  std::string least = probability_words(*chance.log_least);
  std::string executions =
      fmt::format("{} execution{}", chance.executions, chance.executions == 1 ? "" : "s");
  if (chance.of == Chance::Of::bug_of_depth) {
    return fmt::format(
        "each of {} had a chance of at least {} to show a given bug of depth {} (PCT: 1/(n k^(d-1)) for n = "
        "{} threads, k = {} steps, the most seen, and d = {})",
        executions, least, chance.depth, chance.threads, chance.steps, chance.depth);
  }
  const char* as_seen = "as long as each thread always does as many operations, as it did in all of them";
  if (chance.of == Chance::Of::interleaving) {
    return fmt::format(
        "each of {} had the same chance, {}, to be any one of the interleavings of its {} operations ({})",
        executions, least, chance.steps, as_seen);
  }
  return fmt::format(
      "each of {} had a chance of at least {} to have a given order of the operations on a given one of {} "
      "shared object{}, the same for each order ({})",
      executions, least, chance.objects, chance.objects == 1 ? "" : "s", as_seen);
}

ProbabilityResult probability_of(const Chance& chance) {
  ProbabilityResult result;
  result.of = name_of(chance.of);
  if (chance.log_least) result.per_execution = std::exp(*chance.log_least);
  result.depth = chance.depth;
  result.threads = chance.threads;
  result.steps = chance.steps;
  result.executions = chance.executions;
  result.text = chance_words(chance);
  return result;
}

}  // namespace thrum

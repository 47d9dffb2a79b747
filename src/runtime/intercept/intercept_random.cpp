// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers of the C library. Threads share the state: the thread that draws first gets the first
// number, so a draw is a visible operation. The state lies in libc's memory, which is rolled back, so each
// execution draws the same numbers.

#include <cstdlib>

#include "runtime/intercept/intercept.hpp"

using namespace thrum;

namespace {

// The object that represents the state; no address of the program.
constexpr std::uint64_t kRandomState = 3;

void arrive(std::uint64_t code) {
  if (world.running) scheduler().arrive(Operation::random_draw, kRandomState, 0, code);
}

void done(std::uint64_t value) {
  if (world.running) scheduler().done(Scheduler::Effect::change, value);
}

}  // namespace

#define RANDOM_DRAW(type, name, parameters, ...) \
  THRUM_EXPORT type name parameters {            \
    THRUM_REAL(name);                            \
    if (!searching()) return real(__VA_ARGS__);  \
    arrive(THRUM_CALLER);                        \
    type value = real(__VA_ARGS__);              \
    done(static_cast<std::uint64_t>(value));     \
    return value;                                \
  }

#define RANDOM_SEED(name, parameter, argument) \
  THRUM_EXPORT void name(parameter) {          \
    THRUM_REAL(name);                          \
    if (!searching()) return real(argument);   \
    arrive(THRUM_CALLER);                      \
    real(argument);                            \
    done(0);                                   \
  }

RANDOM_DRAW(int, rand, ())
RANDOM_DRAW(long, random, ())
RANDOM_DRAW(double, drand48, ())
RANDOM_DRAW(long, lrand48, ())
RANDOM_DRAW(long, mrand48, ())
RANDOM_SEED(srand, unsigned seed, seed)
RANDOM_SEED(srandom, unsigned seed, seed)
RANDOM_SEED(srand48, long seed, seed)

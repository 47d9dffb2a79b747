// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers as glibc draws them: an additive feedback generator, r(i) = r(i-3) + r(i-31), of which each
// number is given without its lowest bit. The first 31 come from a multiplicative one, and 310 numbers are
// thrown away.
//
// Tested by tests/libraries/random_test.cpp.
#include <stdint.h>

enum { kWords = 31, kDistance = 3, kThrownAway = 310 };

static uint32_t words[kWords];
static unsigned at;  // the word that the next one replaces
static int seeded;

static uint32_t draw(void) {
  const uint32_t word = words[at] + words[(at + kWords - kDistance) % kWords];
  words[at] = word;
  at = (at + 1) % kWords;
  return word >> 1;
}

void srandom(unsigned seed) {
  int32_t word = seed == 0 ? 1 : (int32_t)seed;
  words[0] = (uint32_t)word;
  for (int i = 1; i < kWords; ++i) {
    // 16807 * word modulo 2^31 - 1, in 31 bits.
    const int32_t high = word / 127773, low = word % 127773;
    word = 16807 * low - 2836 * high;
    if (word < 0) word += INT32_MAX;
    words[i] = (uint32_t)word;
  }
  at = kDistance;
  seeded = 1;
  for (int i = 0; i < kThrownAway; ++i) draw();
}

void srand(unsigned seed) { srandom(seed); }

long random(void) {
  if (!seeded) srandom(1);
  return draw();
}

int rand(void) { return (int)random(); }

// Three steps of a linear congruential generator: 11, 10 and 10 bits.
int rand_r(unsigned* seed) {
  uint32_t next = *seed, result = 0;
  for (int part = 0; part < 3; ++part) {
    next = next * 1103515245 + 12345;
    const uint32_t bits = next / 65536;
    result = part == 0 ? bits % 2048 : result << 10 ^ bits % 1024;
  }
  *seed = next;
  return (int)result;
}

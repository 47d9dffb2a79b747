// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores into bytes, in steps of different lengths.
#include <stdio.h>

enum { kLast = 2000000, kRounds = 3 };
static unsigned char is_prime[kLast + 1];

int main(void) {
  int primes = 0;
  for (int round = 0; round < kRounds; ++round) {
    primes = 0;
    for (int i = 0; i <= kLast; ++i) is_prime[i] = 1;
    for (int i = 2; i <= kLast; ++i) {
      if (!is_prime[i]) continue;
      ++primes;
      for (long j = (long)i * i; j <= kLast; j += i) is_prime[j] = 0;
    }
  }
  printf("%d\n", primes);
}

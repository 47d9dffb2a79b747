// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug crash preemptions=0
//
// Nobody posts the semaphore; the alarm ends the process.
#define _GNU_SOURCE
#include <semaphore.h>
#include <stddef.h>
#include <unistd.h>

int main(void) {
  alarm(10);
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  sem_wait(&semaphore);
  return 0;
}

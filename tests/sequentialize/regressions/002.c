// The same before exit.
// kiss 2: {0}
// lazy 1: {0}
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static void *t1(void *argument) {
  __assert_fail("0", "f", 1, "f");
  return 0;
}
int main(void) {
  pthread_t h;
  pthread_create(&h, 0, t1, 0);
  exit(0);
}

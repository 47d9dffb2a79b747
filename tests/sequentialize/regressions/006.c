// A table of functions takes their addresses.
// kiss 2: {0}
// lazy 1: {}
// lazy 2: {0}
#include <assert.h>
#include <pthread.h>
static int g;
static int put(int value) {
  g = value;
  return value;
}
static int get(int value) { return g + value; }
static int (*const table[2])(int) = {put, get};
static void *t1(void *argument) {
  if (table[1](1) == 2) table[0](7);
  return 0;
}
int main(void) {
  pthread_t h;
  pthread_create(&h, 0, t1, 0);
  g = 1;
  if (g == 7) __assert_fail("0", "f", 1, "f");
  return 0;
}

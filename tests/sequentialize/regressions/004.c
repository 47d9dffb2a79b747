// What pthread_exit gives back is what a join finds, not the 0 of the return behind it.
// kiss 2: {1}
// lazy 1: {}
// lazy 2: {1}
#include <assert.h>
#include <pthread.h>
static int g;
static void *t1(void *argument) {
  if (g == 0) pthread_exit((void *)2);
  return (void *)3;
}
int main(void) {
  pthread_t h;
  void *result;
  pthread_create(&h, 0, t1, 0);
  pthread_join(h, &result);
  if (result != (void *)2) __assert_fail("0", "f", 1, "f");
  if (result == (void *)2) __assert_fail("1", "f", 1, "f");
  return 0;
}

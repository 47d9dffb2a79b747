// A thread that is started in an atomic section does not run there.
// kiss 0: {}
// kiss 2: {}
// lazy 2: {}
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
static int g;
static void *t1(void *argument) {
  if (g == 1) __assert_fail("0", "f", 1, "f");
  return 0;
}
int main(void) {
  pthread_t h;
  __VERIFIER_atomic_begin();
  g = 1;
  pthread_create(&h, 0, t1, 0);
  g = 0;
  __VERIFIER_atomic_end();
  return 0;
}

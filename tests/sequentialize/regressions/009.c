// A thread that goes round for good does so behind its last step, which others see.
// kiss 2: {0}
// lazy 2: {0}
// eager 2: {0}
#include <pthread.h>
extern void __assert_fail(const char *, const char *, unsigned, const char *);
static _Bool x;
static void *forever(void *argument) {
  (void)argument;
  x = 1;
  while (1) {
  }
  return 0;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, forever, 0);
  if (x) __assert_fail("0", "f", 1, "f");
  return 0;
}

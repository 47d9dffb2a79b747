// A handle that was never set is no thread's, and a local mutex may be made a recursive one where it is declared.
// kiss 2: {again}
// lazy 2: {again}
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
static pthread_t nobody;
int main(void) {
  pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  assert(!pthread_equal(nobody, pthread_self()));
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&mutex);
  int again = 0;
  assert(again);
  return 0;
}

// Names of the program in the scheduler's macros: an index i, and a condition that is called done.
// kiss 2: {!slept}
// lazy 2: {!slept}
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t conditions[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static _Bool ready;
static void *wake(void *argument) {
  pthread_mutex_lock(&mutex);
  ready = 1;
  for (int i = 0; i < 2; i++) pthread_cond_broadcast(&conditions[i]);
  pthread_cond_signal(&done);
  pthread_mutex_unlock(&mutex);
  return argument;
}
int main(void) {
  pthread_t thread;
  _Bool slept = 0;
  pthread_create(&thread, 0, wake, 0);
  pthread_mutex_lock(&mutex);
  while (!ready) {
    pthread_cond_wait(&conditions[1], &mutex);
    slept = 1;
  }
  pthread_mutex_unlock(&mutex);
  assert(!slept);
  return 0;
}

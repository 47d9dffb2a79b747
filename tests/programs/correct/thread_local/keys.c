// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// pthread keys: each thread has its own value, and its destructor runs when the thread ends.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_key_t key;
static atomic_int destroyed;
static int values[2] = {1, 2};

static void destroy(void* value) { atomic_fetch_add(&destroyed, *(int*)value); }

static void* work(void* value) {
  assert(pthread_getspecific(key) == NULL);
  pthread_setspecific(key, value);
  atomic_load(&destroyed);
  assert(pthread_getspecific(key) == value);
  return NULL;
}

int main(void) {
  pthread_key_create(&key, destroy);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, &values[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(destroyed == 3);
  pthread_key_delete(key);
  return 0;
}

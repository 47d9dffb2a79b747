// pthread_cleanup_push, pthread_exit and cancelling oneself: one thread at a time.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void say(void* text) { printf("clean %s\n", (const char*)text); }

static void* exits(void* argument) {
  pthread_cleanup_push(say, "outer");
  pthread_cleanup_push(say, "popped");
  pthread_cleanup_pop(0);
  pthread_cleanup_push(say, "run");
  pthread_cleanup_pop(1);
  pthread_cleanup_push(say, "inner");
  pthread_exit(argument);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return NULL;
}

static void leave_below(void) {
  pthread_cleanup_push(say, "below");
  pthread_testcancel();
  pthread_cleanup_pop(0);
}

static void* cancels(void* argument) {
  int old;
  printf("%d ", pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
  printf("%d ", old == PTHREAD_CANCEL_ENABLE);
  printf("%d ", pthread_setcancelstate(99, &old) != 0);
  pthread_cleanup_push(say, "first");
  pthread_cancel(pthread_self());
  pthread_testcancel();
  puts("not yet");
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
  leave_below();
  puts("never");
  pthread_cleanup_pop(0);
  return argument;
}

static void* anywhere(void* argument) {
  int old;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
  printf("%d\n", old == PTHREAD_CANCEL_DEFERRED);
  pthread_cleanup_push(say, "at once");
  pthread_cancel(pthread_self());
  puts("never");
  pthread_cleanup_pop(0);
  return argument;
}

static void run(void* (*body)(void*)) {
  pthread_t thread;
  void* result = NULL;
  pthread_create(&thread, NULL, body, "result");
  pthread_join(thread, &result);
  puts(result == PTHREAD_CANCELED ? "cancelled" : (const char*)result);
}

int main(void) {
  run(exits);
  run(cancels);
  run(anywhere);
}

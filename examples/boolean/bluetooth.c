// The stop of a Bluetooth driver (Qadeer and Wu, KISS, PLDI 2004), as in bluetooth.bp: a request that has seen that
// the driver is not stopping counts itself only then, and may find the driver stopped. With main, three threads.
//
//   thrum bool check bluetooth.c
//   thrum bool from-c bluetooth.c -o bluetooth.bp
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

extern void __VERIFIER_assume(int condition);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

bool stopping_flag;
bool stopping_event;
bool stopped;
unsigned char pending_io = 1;  // requests that are under way, and one for the driver itself

void io_increment(void) {
  __VERIFIER_atomic_begin();
  pending_io++;
  __VERIFIER_atomic_end();
}

void io_decrement(void) {
  __VERIFIER_atomic_begin();
  bool none = --pending_io == 0;
  __VERIFIER_atomic_end();
  if (none) stopping_event = true;
}

void *dispatch_routine(void *unused) {
  if (!stopping_flag) {
    io_increment();
    assert(!stopped);
    io_decrement();
  }
  return 0;
}

void *pnp_stop(void *unused) {
  stopping_flag = true;
  io_decrement();
  __VERIFIER_assume(stopping_event);
  stopped = true;
  return 0;
}

int main(void) {
  pthread_t stop;
  pthread_t request;
  pthread_create(&stop, NULL, pnp_stop, NULL);
  pthread_create(&request, NULL, dispatch_routine, NULL);
  dispatch_routine(NULL);
  pthread_join(stop, NULL);
  pthread_join(request, NULL);
  return 0;
}

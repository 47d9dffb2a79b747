/* The Bluetooth driver of KISS (Qadeer and Wu, PLDI 2004): a device is stopped while requests are served.
 *
 *     thrum sequentialize bluetooth.c --checker thrum                   finds that it is stopped too early
 *     thrum sequentialize bluetooth.c --checker thrum --compile-flags=-DFIXED     finds nothing
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct device_extension {
  atomic_int pending; /* requests that are served, and 1 for the device itself */
  atomic_bool stopping;
  atomic_bool stop_event;
};

static struct device_extension extension = {1, false, false};
static atomic_bool stopped;

static int io_increment(struct device_extension *e) {
#ifdef FIXED
  /* Counted first: whoever stops the device then waits for this request. */
  atomic_fetch_add(&e->pending, 1);
  if (e->stopping) {
    if (atomic_fetch_sub(&e->pending, 1) == 1) e->stop_event = true;
    return -1;
  }
#else
  if (e->stopping) return -1;
  atomic_fetch_add(&e->pending, 1);
#endif
  return 0;
}

static void io_decrement(struct device_extension *e) {
  if (atomic_fetch_sub(&e->pending, 1) == 1) e->stop_event = true;
}

static void *stop(void *argument) {
  struct device_extension *e = argument;
  e->stopping = true;
  io_decrement(e);
  while (!e->stop_event) { /* waits */
  }
  stopped = true;
  return 0;
}

static void request(struct device_extension *e) {
  if (io_increment(e) == 0) {
    assert(!stopped); /* the device is used */
    io_decrement(e);
  }
}

int main(void) {
  pthread_t stopper;
  pthread_create(&stopper, 0, stop, &extension);
  request(&extension);
  return 0;
}

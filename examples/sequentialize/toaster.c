/* The toaster monitor of KISS: two dispatch routines use a field of the device extension, one of them without
 * the lock that would order them.
 *
 *     thrum sequentialize toaster.c --checker thrum --race device_extension.pnp_state
 *     thrum sequentialize toaster.c --checker thrum --race device_extension.pnp_state --compile-flags=-DLOCKED
 */
#include <pthread.h>
#include <stdbool.h>

enum pnp_state { started, stop_pending, stopped, deleted };
enum minor { query_stop_device, cancel_stop_device, other };

struct device_extension {
  pthread_mutex_t remove_lock;
  enum pnp_state pnp_state;
  int requests;
};

static struct device_extension extension = {.remove_lock = PTHREAD_MUTEX_INITIALIZER};

static void dispatch_pnp(struct device_extension *e, enum minor minor) {
  pthread_mutex_lock(&e->remove_lock);
  switch (minor) {
    case query_stop_device: e->pnp_state = stop_pending; break;
    case cancel_stop_device:
      if (e->pnp_state == stop_pending) e->pnp_state = started;
      break;
    default: e->requests++; break;
  }
  pthread_mutex_unlock(&e->remove_lock);
}

static int dispatch_power(struct device_extension *e) {
#ifdef LOCKED
  pthread_mutex_lock(&e->remove_lock);
#endif
  int result = e->pnp_state == deleted ? -1 : 0;
#ifdef LOCKED
  pthread_mutex_unlock(&e->remove_lock);
#endif
  return result;
}

static int answer;

static void *power(void *argument) {
  answer = dispatch_power(argument);
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, power, &extension);
  dispatch_pnp(&extension, query_stop_device);
  pthread_join(thread, 0);
  return answer;
}

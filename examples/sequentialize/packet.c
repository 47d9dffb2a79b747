/* The packet driver of KISS: a request is cancelled between being queued and being marked as pending.
 *
 *     thrum sequentialize packet.c --checker thrum
 *     thrum sequentialize packet.c --checker thrum --compile-flags=-DFIXED
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct irp;
typedef void (*cancel_routine)(struct irp *irp);

struct irp {
  cancel_routine cancel;
  bool queued, pending, completed;
};

static pthread_mutex_t cancel_lock = PTHREAD_MUTEX_INITIALIZER;
static struct irp request;

static void io_complete_request(struct irp *irp) { irp->completed = true; }

static void io_mark_irp_pending(struct irp *irp) {
  assert(!irp->completed);
  irp->pending = true;
}

static void packet_cancel(struct irp *irp) {
  irp->queued = false;
  io_complete_request(irp);
}

static void dispatch(struct irp *irp) {
#ifdef FIXED
  io_mark_irp_pending(irp);
#endif
  pthread_mutex_lock(&cancel_lock);
  irp->cancel = packet_cancel;
  irp->queued = true;
  pthread_mutex_unlock(&cancel_lock);
#ifndef FIXED
  io_mark_irp_pending(irp);
#endif
}

static void *io_cancel_irp(void *argument) {
  struct irp *irp = argument;
  pthread_mutex_lock(&cancel_lock);
  cancel_routine cancel = irp->cancel;
  if (cancel != NULL) {
    irp->cancel = NULL;
    cancel(irp);
  }
  pthread_mutex_unlock(&cancel_lock);
  return NULL;
}

int main(void) {
  pthread_t canceller;
  pthread_create(&canceller, NULL, io_cancel_irp, &request);
  dispatch(&request);
  pthread_join(canceller, NULL);
  return 0;
}

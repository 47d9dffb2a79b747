// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --strategy mcr
// larger 3 items (-DITEMS=3 -DTRIES=5): not counted
//
// The queue of Michael and Scott as Yi and Huang search it (Maximal path causality, ESEC/FSE 2018): one thread
// puts ITEMS items in, another one takes them out. A compare-and-swap is done under a mutex; whoever fails TRIES
// times gives up.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef ITEMS
#define ITEMS 2
#endif
#ifndef TRIES
#define TRIES 3
#endif

struct node {
  int value;
  _Atomic(struct node*) next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct node*) head;
static _Atomic(struct node*) tail;

static int compare_and_swap(_Atomic(struct node*) * where, struct node* before, struct node* now) {
  pthread_mutex_lock(&mutex);
  const int is_so = *where == before;
  if (is_so) *where = now;
  pthread_mutex_unlock(&mutex);
  return is_so;
}

static void* put_in(void* argument) {
  (void)argument;
  for (int value = 1; value <= ITEMS; ++value) {
    struct node* const fresh = malloc(sizeof *fresh);
    fresh->value = value;
    fresh->next = 0;
    for (int i = 0; i < TRIES; ++i) {
      struct node* const last = tail;
      struct node* const next = last->next;
      if (next) {
        compare_and_swap(&tail, last, next);
      } else if (compare_and_swap(&last->next, 0, fresh)) {
        compare_and_swap(&tail, last, fresh);
        break;
      }
    }
  }
  return 0;
}

static void* take_out(void* argument) {
  (void)argument;
  int before = 0;
  for (int i = 0; i < TRIES; ++i) {
    struct node* const first = head;
    struct node* const last = tail;
    struct node* const next = first->next;
    if (first == last) {
      if (next) compare_and_swap(&tail, last, next);
    } else if (compare_and_swap(&head, first, next)) {
      assert(next->value == before + 1);
      before = next->value;
    }
  }
  return 0;
}

int main(void) {
  struct node* const dummy = malloc(sizeof *dummy);
  dummy->value = 0;
  dummy->next = 0;
  head = dummy;
  tail = dummy;
  pthread_t threads[2];
  pthread_create(&threads[0], 0, put_in, 0);
  pthread_create(&threads[1], 0, take_out, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return 0;
}

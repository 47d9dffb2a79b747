// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MESI: caches that keep a line coherent over a bus that one of them has at a time; each reads and writes for
// ever. A modified or exclusive line is in one cache only, and who reads sees what was written last.
//   BUG 1   a cache that shares a line writes to it without telling the others
//
// threads: 4
// states: 8223
// bug 1 (-DBUG=1): assertion, 1 preemption

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef CACHES
#define CACHES 3
#endif
enum { kInvalid, kShared, kExclusive, kModified };

static pthread_mutex_t bus = PTHREAD_MUTEX_INITIALIZER;
static int state[CACHES], value[CACHES], memory, latest;

static int others_have_it(int me) {
  for (int other = 0; other < CACHES; ++other)
    if (other != me && state[other] != kInvalid) return 1;
  return 0;
}

// Others write back what they have changed, and share the line or give it up.
static void ask_others(int me, int to) {
  for (int other = 0; other < CACHES; ++other) {
    if (other == me || state[other] == kInvalid) continue;
    if (state[other] == kModified) memory = value[other];
    state[other] = to;
  }
}

static void read_line(int me) {
  pthread_mutex_lock(&bus);
  if (state[me] == kInvalid) {
    const int is_shared = others_have_it(me);
    ask_others(me, kShared);
    value[me] = memory;
    state[me] = is_shared ? kShared : kExclusive;
  }
  assert(value[me] == latest);
  pthread_mutex_unlock(&bus);
}

static void write_line(int me) {
  pthread_mutex_lock(&bus);
  if (BUG == 0 || state[me] != kShared) ask_others(me, kInvalid);
  value[me] = latest = 1 - latest;
  state[me] = kModified;
  int owners = 0, users = 0;
  for (int i = 0; i < CACHES; ++i) {
    owners += state[i] >= kExclusive;
    users += state[i] != kInvalid;
  }
  assert(owners <= 1 && (owners == 0 || users == 1));
  pthread_mutex_unlock(&bus);
}

static void* run(void* argument) {
  const int me = (int)(long)argument;
  for (;;) {
    read_line(me);
    write_line(me);
  }
  return argument;
}

int main(void) {
  pthread_t caches[CACHES];
  for (long i = 0; i < CACHES; ++i) pthread_create(&caches[i], 0, run, (void*)i);
  for (int i = 0; i < CACHES; ++i) pthread_join(caches[i], 0);
}

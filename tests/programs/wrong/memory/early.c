// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// plain: no
// compilers: both
// case written: bug use-after-free preemptions=0
// case read: bug use-after-free preemptions=0
// case changed_atomically: bug use-after-free preemptions=0
// case copied: bug buffer-overflow preemptions=0
// case copied_by_libc: bug buffer-overflow preemptions=0
// case scanned: bug use-after-free preemptions=0
// case in_front: bug buffer-overflow preemptions=0
// case locked: bug use-after-free preemptions=0
// case behind_a_large_block: bug buffer-overflow preemptions=0
// case freed_twice: bug double-free preemptions=0
// case without_threads: bug use-after-free preemptions=0
// case at_the_end: bug use-after-free preemptions=0
// case in_a_handler: bug use-after-free preemptions=0
//
// Memory errors before the first thread is there, and when the last one has gone.
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdio.h>

#include "../../cases.h"

struct pair {
  int first, second;
};
// Not static, or compilers would leave out what nobody reads.
struct pair* volatile pair;
int seen;

static void* idle(void* argument) { return argument; }
static void run_threads(void) { run_two(idle, idle); }
static void make(void) {
  pair = malloc(sizeof *pair);
  pair->first = pair->second = 1;
}

static void run_written(void) {
  make();
  free(pair);
  pair->second = 2;  // reported: written
  run_threads();
}
static void run_read(void) {
  make();
  free(pair);
  seen = pair->second;  // reported: read
  run_threads();
}
static void run_changed_atomically(void) {
  make();
  free(pair);
  __atomic_fetch_add(&pair->second, 1, __ATOMIC_SEQ_CST);  // reported: changed_atomically
  run_threads();
}
static void run_copied(void) {
  static const char text[] = "more than eight";
  make();
  memcpy(pair, text, sizeof text);  // reported: copied
  run_threads();
}
static void run_copied_by_libc(void) {
  static const char* volatile text = "more than eight";
  make();
  strcpy((char*)pair, text);  // reported: copied_by_libc
  run_threads();
}
static void run_scanned(void) {
  make();
  free(pair);
  sscanf("5", "%d", &pair->second);  // reported: scanned
  run_threads();
}
static void run_in_front(void) {
  make();
  pair[-1].second = 1;  // reported: in_front
  run_threads();
}
static void run_locked(void) {
  pthread_mutex_t* volatile mutex = malloc(sizeof *mutex);
  pthread_mutex_init(mutex, NULL);
  free(mutex);
  pthread_mutex_lock(mutex);  // reported: locked
  run_threads();
}
static void run_behind_a_large_block(void) {
  enum { count = 1 << 16 };
  char* volatile large = malloc(count);
  for (int i = 0; i <= count; ++i) large[i] = 1;  // reported: behind_a_large_block
  free(large);
  run_threads();
}
static void run_freed_twice(void) {
  make();
  free(pair);
  free(pair);  // reported: freed_twice
  run_threads();
}
static void run_without_threads(void) {
  make();
  free(pair);
  pair->second = 2;  // reported: without_threads
}
static void run_at_the_end(void) {
  make();
  run_threads();
  free(pair);        // reported: at_the_end
  pair->second = 2;  // reported: at_the_end
}
static void write_late(void) {
  pair->second = 2;  // reported: in_a_handler
}
static void run_in_a_handler(void) {
  make();
  atexit(write_late);
  run_threads();
  free(pair);  // reported: in_a_handler
}

MAIN(CASE(written), CASE(read), CASE(changed_atomically), CASE(copied), CASE(copied_by_libc), CASE(scanned), CASE(in_front), CASE(locked),
     CASE(behind_a_large_block), CASE(freed_twice), CASE(without_threads), CASE(at_the_end),
     CASE(in_a_handler))

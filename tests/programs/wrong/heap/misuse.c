// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// plain: no
// case written_behind: bug buffer-overflow      one element too many
// case written_before: bug buffer-overflow      the index is -1
// case read_behind: bug buffer-overflow         the size of the block, not the rounded one, counts
// case copied_behind: bug buffer-overflow       memcpy is looked at as well
// case string_end: bug buffer-overflow          no room for the zero behind a string
// case freed_twice: bug double-free             by both threads
// case freed_inside: bug double-free            an address inside a block
// case freed_local: bug double-free             a local variable
// case freed_static: bug double-free            a static one
// case used_after_free: bug use-after-free      written by the thread that freed it
// case used_after_clearing: bug use-after-free  the whole block was written just before it is freed
// case atomic_after_free: bug use-after-free    an atomic operation is a use, too
// case used_after_realloc: bug use-after-free   the old address of a block that was moved
// case realloc_of_freed: bug double-free        that frees it once more
// case shrunk: bug buffer-overflow              behind what realloc has left
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdint.h>

#include "../../cases.h"

// Not static, or compilers would leave out what nobody reads.
int seen;
static char* volatile block;
static atomic_int flag;
// Compilers do not know it.
static volatile int eleven = 11;

static void in_thread(body* run) {
  pthread_t thread;
  block = malloc(11);
  memset(block, 'a', 11);
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
}

static void* write_behind(void* unused) {
  block[eleven] = 1;  // reported: written_behind
  return unused;
}
static void run_written_behind(void) { in_thread(write_behind); }
static void* write_before(void* unused) {
  block[eleven - 12] = 1;  // reported: written_before
  return unused;
}
static void run_written_before(void) { in_thread(write_before); }
static void* read_behind(void* unused) {
  seen = block[eleven];  // reported: read_behind
  return unused;
}
static void run_read_behind(void) { in_thread(read_behind); }
static void* copy_behind(void* unused) {
  char text[16];
  memcpy(text, block, (size_t)eleven + 1);  // reported: copied_behind
  seen = text[11];
  return unused;
}
static void run_copied_behind(void) { in_thread(copy_behind); }
static const char* volatile letters = "eleven char";
static void* copy_string(void* unused) {
  strcpy(block, letters);  // reported: string_end
  return unused;
}
static void run_string_end(void) { in_thread(copy_string); }

static void* free_once(void* unused) {
  if (atomic_load(&flag) == 0) {
    atomic_store(&flag, 1);
    free(block);  // reported: freed_twice
  }
  return unused;
}
static void run_freed_twice(void) {
  block = malloc(11);
  run_two(free_once, free_once);
}
static void* free_inside(void* unused) {
  free(block + eleven - 3);  // reported: freed_inside
  return unused;
}
static void run_freed_inside(void) { in_thread(free_inside); }
static void* free_local(void* unused) {
  char local[32];
  block = local;
  free(block);  // reported: freed_local
  return unused;
}
static void run_freed_local(void) { in_thread(free_local); }
static void* free_static(void* unused) {
  static char bytes[32];
  block = bytes;
  free(block);  // reported: freed_static
  return unused;
}
static void run_freed_static(void) { in_thread(free_static); }

static void* use_after_free(void* unused) {
  free(block);   // reported: used_after_free
  block[0] = 1;  // reported: used_after_free
  return unused;
}
static void run_used_after_free(void) { in_thread(use_after_free); }
static void* use_after_clearing(void* unused) {
  memset(block, 0, 11);
  free(block);      // reported: used_after_clearing
  seen = block[0];  // reported: used_after_clearing
  return unused;
}
static void run_used_after_clearing(void) { in_thread(use_after_clearing); }
static void* atomic_after_free(void* unused) {
  free(block);                                         // reported: atomic_after_free
  __atomic_fetch_add(&block[0], 1, __ATOMIC_SEQ_CST);  // reported: atomic_after_free
  return unused;
}
static void run_atomic_after_free(void) { in_thread(atomic_after_free); }
static char* volatile other;
static void* use_after_realloc(void* unused) {
  other = realloc(block, 4000);  // reported: used_after_realloc
  seen = block[0];               // reported: used_after_realloc
  return unused;
}
static void run_used_after_realloc(void) { in_thread(use_after_realloc); }
static void* realloc_of_freed(void* unused) {
  free(block);                   // reported: realloc_of_freed
  other = realloc(block, 4000);  // reported: realloc_of_freed
  return unused;
}
static void run_realloc_of_freed(void) { in_thread(realloc_of_freed); }
static void* shrink(void* unused) {
  block = realloc(block, 4);
  seen = block[eleven - 7];  // reported: shrunk
  return unused;
}
static void run_shrunk(void) { in_thread(shrink); }

MAIN(CASE(written_behind), CASE(written_before), CASE(read_behind), CASE(copied_behind), CASE(string_end),
     CASE(freed_twice), CASE(freed_inside), CASE(freed_local), CASE(freed_static), CASE(used_after_free), CASE(used_after_clearing),
     CASE(atomic_after_free), CASE(used_after_realloc), CASE(realloc_of_freed), CASE(shrunk))

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// case clocks: exhausted
// case sleeps: exhausted
// case libc_random: exhausted
// case kernel_random: exhausted
// case heap: exhausted
// case aligned: exhausted
// case leave_by_exit: exhausted
// case leave_at_once: exhausted
// case leave_quickly: exhausted
// case leave_with_status: exhausted
// case never_abort: exhausted
#define _GNU_SOURCE
#include <malloc.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <unistd.h>

#include "../../cases.h"

static atomic_int value;

// No clock goes back, and all show the same time.
static void* read_clocks(void* argument) {
  struct timeval day;
  struct timespec now;
  const time_t begin = time(NULL);
  const clock_t processor = clock();
  gettimeofday(&day, NULL);
  clock_gettime(CLOCK_REALTIME, &now);
  assert(begin <= day.tv_sec && day.tv_sec <= now.tv_sec && processor <= clock());
  return argument;
}
static void* sleep_a_second(void* argument) {
  const struct timespec second = {1, 0};
  assert(nanosleep(&second, NULL) == 0);
  return argument;
}
static void run_clocks(void) { run_two(read_clocks, sleep_a_second); }

static void* sleep_in_all_ways(void* argument) {
  struct timespec before, after;
  const struct timespec second = {1, 0};
  clock_gettime(CLOCK_MONOTONIC, &before);
  assert(sleep(2) == 0 && usleep(500000) == 0 && nanosleep(&second, NULL) == 0);
  assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &second, NULL) == 0);
  clock_gettime(CLOCK_MONOTONIC, &after);
  assert(after.tv_sec - before.tv_sec >= 4);
  return argument;
}
static void run_sleeps(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, sleep_in_all_ways, NULL);
  pthread_join(thread, NULL);
}

// One number to each thread; both together are the sequence.
static int drawn[2];
static void* draw_first(void* argument) {
  drawn[0] = rand();
  return argument;
}
static void* draw_second(void* argument) {
  drawn[1] = rand();
  return argument;
}
static void run_libc_random(void) {
  srand(3);
  const int one = rand();
  const int two = rand();
  srand(3);
  run_two(draw_first, draw_second);
  assert((drawn[0] == one && drawn[1] == two) || (drawn[0] == two && drawn[1] == one));
  srandom(5);
  const long first = random();
  srandom(5);
  assert(random() == first);
  srand48(7);
  const double a = drand48();
  const long b = lrand48(), c = mrand48();
  srand48(7);
  assert(drand48() == a && lrand48() == b && mrand48() == c);
}

// A thread draws the same in each execution, whoever goes first.
static uint64_t words[2];
static void* draw_words(void* which) {
  uint64_t word = 0;
  ++value;
  assert(getrandom(&word, sizeof word, 0) == sizeof word);
  *(uint64_t*)which = word ^ arc4random();
  ++value;
  return NULL;
}
static void run_kernel_random(void) {
  pthread_t threads[2];
  assert(get_nprocs() >= 1);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, draw_words, &words[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(words[0] != words[1]);
}

static void* grow(void* argument) {
  char* block = malloc(10);
  memset(block, 7, 10);
  ++value;
  block = realloc(block, 5000);
  assert(block[9] == 7 && malloc_usable_size(block) >= 5000);
  block = reallocarray(block, 100, 100);
  assert(block[0] == 7 && reallocarray(NULL, SIZE_MAX, 2) == NULL && errno == ENOMEM);
  free(block);
  ++value;
  char* zeros = calloc(10, 500);
  for (int i = 0; i < 5000; ++i) assert(zeros[i] == 0);
  free(zeros);
  return argument;
}
static void run_heap(void) { run_two(grow, grow); }

static int is_aligned(const void* block, uintptr_t to) { return (uintptr_t)block % to == 0; }
static void* align(void* argument) {
  void* block;
  void* blocks[4] = {aligned_alloc(64, 128), memalign(256, 10), valloc(10), pvalloc(10)};
  ++value;
  assert(is_aligned(blocks[0], 64) && is_aligned(blocks[1], 256));
  assert(is_aligned(blocks[2], 4096) && is_aligned(blocks[3], 4096));
  assert(posix_memalign(&block, 3, 10) == EINVAL);
  assert(posix_memalign(&block, 32, 10) == 0 && is_aligned(block, 32));
  free(block);
  for (int i = 0; i < 4; ++i) free(blocks[i]);
  return argument;
}
static void run_aligned(void) { run_two(align, align); }

// The process ends in the middle, with the handlers that belong to the way of it.
static void count_one(void) { ++value; }
static void never(void) { abort(); }
static void* nothing(void* argument) {
  value += 0;
  return argument;
}
static void run_leave_by_exit(void) {
  pthread_t thread;
  at_quick_exit(never);
  pthread_create(&thread, NULL, nothing, NULL);
  exit(0);
}
static void run_leave_at_once(void) {
  pthread_t thread;
  atexit(never);
  at_quick_exit(never);
  pthread_create(&thread, NULL, nothing, NULL);
  if (value == 0) _exit(0);
  _Exit(0);
}
static void expect_one(void) {
  if (value != 1) abort();
}
static void run_leave_quickly(void) {
  pthread_t thread;
  atexit(never);
  at_quick_exit(expect_one);
  at_quick_exit(count_one);
  pthread_create(&thread, NULL, nothing, NULL);
  quick_exit(0);
}
static void expect_status(int status, void* argument) {
  if (status != 0 || argument != &value) abort();
}
static void run_leave_with_status(void) {
  on_exit(expect_status, &value);
  run_two(nothing, nothing);
}
static void* abort_at_minus_one(void* argument) {
  if (value < 0) abort();
  return argument;
}
static void run_never_abort(void) { run_two(abort_at_minus_one, nothing); }

MAIN(CASE(clocks), CASE(sleeps), CASE(libc_random), CASE(kernel_random), CASE(heap), CASE(aligned),
     CASE(leave_by_exit), CASE(leave_at_once), CASE(leave_quickly), CASE(leave_with_status), CASE(never_abort))

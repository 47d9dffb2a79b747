// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// case sleep: bug assertion
// case usleep: bug assertion
// case nanosleep: bug assertion
// case clock_nanosleep: bug assertion
// case sched_yield: bug assertion
// case clock_gettime: bug assertion
// case gettimeofday: bug assertion
// case time: bug assertion
// case clock: bug assertion
// case rand: bug assertion
// case srand: bug assertion
// case random: bug assertion
// case srandom: bug assertion
// case drand48: bug assertion
// case lrand48: bug assertion
// case mrand48: bug assertion
// case srand48: bug assertion
// case getrandom: bug assertion preemptions=1
// case arc4random: bug assertion preemptions=1
// case get_nprocs: bug assertion preemptions=1
#define _GNU_SOURCE
#include <sched.h>
#include <stdatomic.h>
#include <sys/random.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <unistd.h>

#include "../../cases.h"

static atomic_int value;
static const struct timespec second_long = {1, 0};

static void* set_value(void* argument) {
  value = 1;
  return argument;
}

// However long it waits, it has waited for nobody.
#define EXPECT_AFTER(name, ...)                        \
  static void run_##name(void) {                       \
    pthread_t thread;                                  \
    pthread_create(&thread, NULL, set_value, NULL);    \
    __VA_ARGS__;                                       \
    assert(value == 1);                                \
  }
EXPECT_AFTER(sleep, sleep(5))
EXPECT_AFTER(usleep, usleep(500000))
EXPECT_AFTER(nanosleep, nanosleep(&second_long, NULL))
EXPECT_AFTER(clock_nanosleep, clock_nanosleep(CLOCK_MONOTONIC, 0, &second_long, NULL))
EXPECT_AFTER(sched_yield, sched_yield())

// Between two readings a second may pass.
static void* sleep_a_second(void* argument) {
  nanosleep(&second_long, NULL);
  return argument;
}
#define EXPECT_SAME(name, type, read, same)    \
  static void* name##_twice(void* argument) {  \
    type one, two;                             \
    read(one);                                 \
    read(two);                                 \
    assert(same);                              \
    return argument;                           \
  }                                            \
  static void run_##name(void) { run_two(sleep_a_second, name##_twice); }
#define READ_CLOCK(x) clock_gettime(CLOCK_MONOTONIC, &(x))
#define READ_DAY(x) gettimeofday(&(x), NULL)
#define READ_TIME(x) x = time(NULL)
#define READ_PROCESSOR(x) x = clock()
EXPECT_SAME(clock_gettime, struct timespec, READ_CLOCK, one.tv_sec == two.tv_sec)
EXPECT_SAME(gettimeofday, struct timeval, READ_DAY, one.tv_sec == two.tv_sec)
EXPECT_SAME(time, time_t, READ_TIME, one == two)
EXPECT_SAME(clock, clock_t, READ_PROCESSOR, one == two)

// The first number of the sequence goes to who draws first.
static double drawn[2];
#define EXPECT_FIRST(name, seed, draw)                              \
  static void* name##_by_first(void* argument) {                    \
    drawn[0] = (double)draw;                                        \
    return argument;                                                \
  }                                                                 \
  static void* name##_by_second(void* argument) {                   \
    drawn[1] = (double)draw;                                        \
    return argument;                                                \
  }                                                                 \
  static void run_##name(void) {                                    \
    seed;                                                           \
    const double expected = (double)draw;                           \
    seed;                                                           \
    run_two(name##_by_first, name##_by_second);                     \
    assert(drawn[0] == expected);                                   \
  }
EXPECT_FIRST(rand, srand(3), rand())
EXPECT_FIRST(random, srandom(3), random())
EXPECT_FIRST(drand48, srand48(3), drand48())
EXPECT_FIRST(lrand48, srand48(3), lrand48())
EXPECT_FIRST(mrand48, srand48(3), mrand48())

// A seed given by one thread while the other draws.
#define EXPECT_SEQUENCE(name, draw)                                 \
  static void* seed_##name(void* argument) {                        \
    name(5);                                                        \
    return argument;                                                \
  }                                                                 \
  static void* draw_##name(void* argument) {                        \
    drawn[0] = (double)draw;                                        \
    return argument;                                                \
  }                                                                 \
  static void run_##name(void) {                                    \
    name(5);                                                        \
    const double expected = (double)draw;                           \
    run_two(seed_##name, draw_##name);                              \
    assert(drawn[0] == expected);                                   \
  }
EXPECT_SEQUENCE(srand, rand())
EXPECT_SEQUENCE(srandom, random())
EXPECT_SEQUENCE(srand48, lrand48())

// Each thread draws its own number, which the other may have replaced by the time that it is used.
static atomic_uint drawn_last;
#define EXPECT_KEPT(name, draw)                   \
  static void* keep_##name(void* argument) {      \
    unsigned mine = 0;                            \
    draw;                                         \
    drawn_last = mine;                            \
    assert(drawn_last == mine);                   \
    return argument;                              \
  }                                               \
  static void run_##name(void) { run_two(keep_##name, keep_##name); }
EXPECT_KEPT(getrandom, assert(getrandom(&mine, sizeof mine, 0) == sizeof mine))
EXPECT_KEPT(arc4random, mine = arc4random())

// One processor is free; each thread looks whether there is one, and takes it.
static void* take_processor(void* argument) {
  if (value < get_nprocs()) ++value;
  return argument;
}
static void run_get_nprocs(void) {
  assert(get_nprocs() >= 1);
  value = get_nprocs() - 1;
  run_two(take_processor, take_processor);
  assert(value == get_nprocs());
}

MAIN(CASE(sleep), CASE(usleep), CASE(nanosleep), CASE(clock_nanosleep), CASE(sched_yield), CASE(clock_gettime),
     CASE(gettimeofday), CASE(time), CASE(clock), CASE(rand), CASE(srand), CASE(random), CASE(srandom),
     CASE(drand48), CASE(lrand48), CASE(mrand48), CASE(srand48), CASE(getrandom), CASE(arc4random),
     CASE(get_nprocs))

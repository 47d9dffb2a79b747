// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What libc reads for several threads at once, or writes beside what others use, is no race.
// compilers: both
// case strings: exhausted     all read one string, by printf, sscanf, fwrite, strtol and getenv
// case neighbours: exhausted  fgets and sscanf write up to the byte before that of the other thread
// case ordered: exhausted     localtime's one result, used under a lock
// case not_reached: exhausted  sscanf does not write what it does not come to
#define _GNU_SOURCE
#include <stdio.h>

#include "../../cases.h"

static char text[64] = "12 words";
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* use_text(void* unused) {
  int number = 0;
  char word[8];
  char* end;
  printf("%s %.3s\n", text, text);
  assert(sscanf(text, "%d %7s", &number, word) == 2 && number == 12 && strcmp(word, "words") == 0);
  assert(fwrite(text, 1, 8, stdout) == 8 && strtol(text, &end, 10) == 12 && end == text + 2);
  assert(!getenv("THRUM_OTHER"));
  return unused;
}
static void run_strings(void) { run_two(use_text, use_text); }

static void* write_behind(void* unused) {
  text[3] = 'x';
  return unused;
}
static void* write_before(void* unused) {
  FILE* file = fopen("/dev/zero", "r");
  assert(file && fread(text, 1, 3, file) == 3);
  fclose(file);
  assert(sscanf("ab cd", "%8s", text) == 1);
  return unused;
}
static void run_neighbours(void) { run_two(write_behind, write_before); }

static void* break_down(void* unused) {
  time_t moment = 1000000;
  pthread_mutex_lock(&mutex);
  assert(localtime(&moment)->tm_year == 70);
  pthread_mutex_unlock(&mutex);
  return unused;
}
static void run_ordered(void) { run_two(break_down, break_down); }

static int first;
static int second;
static void* write_second(void* unused) {
  second = 1;
  return unused;
}
static void* scan_first(void* unused) {
  assert(sscanf("5;", "%d,%n%d", &first, &second, &second) == 1);
  return unused;
}
static void run_not_reached(void) { run_two(write_second, scan_first); }

MAIN(CASE(strings), CASE(neighbours), CASE(ordered), CASE(not_reached))

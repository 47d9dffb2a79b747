// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// case blocks: exhausted
// case large_blocks: exhausted
// case constructor: exhausted
// case by_libc: exhausted
//
// What main does with memory before the first thread, and is right to do.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>

#include "../../cases.h"

static void* idle(void* argument) { return argument; }

// Set before main.
static int* made;
__attribute__((constructor)) static void make(void) {
  made = malloc(4 * sizeof *made);
  made[3] = 3;
}

static void run_blocks(void) {
  for (int i = 1; i < 100; ++i) {
    char* block = malloc((size_t)i);
    block[i - 1] = 1;
    block = realloc(block, (size_t)i + 100);
    block[i + 99] = block[i - 1];
    free(block);
    // The memory of the one before.
    int64_t* aligned = aligned_alloc(256, 256);
    aligned[0] = aligned[31] = 1;
    char* copy = strdup("a copy");
    memmove(copy, copy + 2, 5);
    free(copy);
    free(aligned);
  }
  run_two(idle, idle);
}

// Two that are looked at in turns: to find each anew would take seconds.
static void run_large_blocks(void) {
  enum { count = 1 << 20 };
  int* from = calloc(count, sizeof *from);
  int* to = malloc(count * sizeof *to);
  for (int i = 0; i < count; ++i) to[i] = from[count - 1 - i];
  run_two(idle, idle);
  free(from);
  free(to);
}

static void run_constructor(void) {
  made[0] = made[3];
  run_two(idle, idle);
  free(made);
}

// Through libc's functions, to the last byte of each block.
static void run_by_libc(void) {
  char* text = malloc(8);
  snprintf(text, 8, "%s", "seven b");
  char* copy = strdup(text);
  int* number = malloc(sizeof *number);
  sscanf("12", "%d", number);
  FILE* file = tmpfile();
  fprintf(file, "%s %d", copy, *number);
  rewind(file);
  char* line = NULL;
  size_t size = 0;
  getline(&line, &size, file);
  fclose(file);
  free(line);
  free(number);
  free(copy);
  free(text);
  run_two(idle, idle);
}

MAIN(CASE(blocks), CASE(large_blocks), CASE(constructor), CASE(by_libc))

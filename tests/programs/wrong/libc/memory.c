// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libc uses memory of the heap beyond its end, or after it was freed.
// compilers: both
// plain: no
// case scanned: bug buffer-overflow    sscanf writes a word that is too long
// case read: bug buffer-overflow       fread writes more than the block holds
// case printed: bug use-after-free     printf reads a string that has been freed
// case line: bug use-after-free        fgets writes into what has been freed
#define _GNU_SOURCE
#include <stdio.h>

#include "../../cases.h"

static char content[] = "0123456789\n";
static size_t eleven = sizeof content - 1;

static void* nothing(void* unused) { return unused; }
// The compiler is not to know how large it is.
__attribute__((noinline)) static char* allocate(size_t size) { return malloc(size); }
__attribute__((noinline)) static char* freed(void) {
  char* block = strdup("text");
  free(block);
  return block;
}

static void* scan(void* unused) {
  sscanf(content, "%s", allocate(4));
  return unused;
}
static void run_scanned(void) { run_two(nothing, scan); }
static void* read_block(void* unused) {
  FILE* file = fmemopen(content, eleven, "r");
  if (fread(allocate(4), 1, eleven, file) != eleven) abort();
  return unused;
}
static void run_read(void) { run_two(nothing, read_block); }
static void* print(void* unused) {
  printf("<%s>\n", freed());
  return unused;
}
static void run_printed(void) { run_two(nothing, print); }
static void* get_line(void* unused) {
  FILE* file = fmemopen(content, eleven, "r");
  char* block = freed();
  if (!fgets(block, 3, file)) abort();
  return unused;
}
static void run_line(void) { run_two(nothing, get_line); }
MAIN(CASE(scanned), CASE(read), CASE(printed), CASE(line))

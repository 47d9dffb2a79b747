// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What _FORTIFY_SOURCE knows: what does not fit into its target.
// flags: -O2 -D_FORTIFY_SOURCE=2
// plain: no
// case long_line: bug buffer-overflow  __fgets_chk: the line does not fit
// case formatted: bug buffer-overflow  __sprintf_chk: the text does not fit
// case scanned: bug data-race          __isoc99_sscanf writes the number
// case printed: bug data-race          __printf_chk reads the string
#define _GNU_SOURCE
#include <stdio.h>

#include "../../cases.h"

static char content[] = "0123456789\n";
static size_t eleven = sizeof content - 1;
static char small[8];

static void* nothing(void* unused) { return unused; }

static void* get_long_line(void* unused) {
  FILE* file = fmemopen(content, eleven, "r");
  if (!fgets(small, (int)eleven + 1, file)) abort();  // reported
  return unused;
}
static void run_long_line(void) { run_two(nothing, get_long_line); }
static void* format(void* unused) {
  sprintf(small, "%s", content);  // reported
  return unused;
}
static void run_formatted(void) { run_two(nothing, format); }

static int number;
static void* change(void* unused) {
  number = 1;      // reported
  small[0] = 'x';  // reported
  return unused;
}
static void* scan(void* unused) {
  sscanf(content, "%d", &number);  // reported
  return unused;
}
static void run_scanned(void) { run_two(change, scan); }
static void* print(void* unused) {
  printf("<%s> %d\n", small, 1);  // reported
  return unused;
}
static void run_printed(void) { run_two(change, print); }

MAIN(CASE(long_line), CASE(formatted), CASE(scanned), CASE(printed))

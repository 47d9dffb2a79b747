// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Races that the program declares to be meant are no bugs; but no schedule begins between such accesses.
// plain: no
// case benign: inconclusive
// case reads_left_out: inconclusive
// case writes_left_out: inconclusive
// reason: a data race that the program declares to be meant was passed over
#define _GNU_SOURCE
#include "../../cases.h"

void AnnotateBenignRaceSized(const char* file, int line, const volatile void* memory, long size,
                             const char* why);
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);

int value, seen;

static void* writes(void* unused) {
  value = 1;
  return unused;
}

static void* reads(void* unused) {
  seen = value;
  return unused;
}

static void* writes_left_out(void* unused) {
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  value = 1;
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  return unused;
}

static void* reads_left_out(void* unused) {
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  seen = value;
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  return unused;
}

static void run_benign(void) {
  AnnotateBenignRaceSized(__FILE__, __LINE__, &value, sizeof value, "meant");
  run_two(writes, reads);
}
static void run_reads_left_out(void) { run_two(writes, reads_left_out); }
static void run_writes_left_out(void) { run_two(writes_left_out, reads); }

MAIN(CASE(benign), CASE(reads_left_out), CASE(writes_left_out))

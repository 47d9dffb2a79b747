// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two threads call much of libc, each on memory of its own: there is no race, through what libc keeps for
// itself neither.
// compilers: both
// flags: -O2 -D_FORTIFY_SOURCE=2
// expect: exhausted
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>

#include "../../cases.h"

static atomic_int turns;

static void use_formats(int id) {
  char text[256], word[32], pair[2];
  char* allocated = NULL;
  int number = 0, at = 0;
  double fraction;
  assert(sscanf("5 abc 2.5 xy z", "%d %31s %lf %2c %n", &number, word, &fraction, pair, &at) == 4);
  assert(number == 5 && fraction == 2.5 && at == 13);
  assert(sscanf("word tail", "%ms %[a-z]", &allocated, word) == 2 && strcmp(allocated, "word") == 0);
  free(allocated);
  snprintf(text, sizeof text, "%s %d %5.2f %n%.3s", word, 7, 1.5, &at, "abcdef");
  assert(at == 13 && printf("%s\n", text) > 0);
  fprintf(stdout, "%*d %ls\n", 4, id, L"wide");
  dprintf(1, "%s", text);
  assert(asprintf(&allocated, "%s-%d", word, id) > 0);
  free(allocated);
}

static void use_streams(void) {
  static const char content[] = "line one\nline two\nrest";
  char text[64];
  char* line = NULL;
  size_t size = 0;
  FILE* file = fmemopen((void*)content, sizeof content - 1, "r");
  assert(file && fgets(text, sizeof text, file) && strcmp(text, "line one\n") == 0);
  assert(getline(&line, &size, file) == 9 && fread(text, 1, 4, file) == 4);
  fclose(file);
  free(line);
  puts(text);
  fputs(text, stdout);
  assert(fwrite(text, 1, 3, stdout) == 3);
}

static void use_time(void) {
  char text[64];
  time_t moment = 1000000;
  struct tm parts;
  struct timespec now;
  assert(localtime_r(&moment, &parts) && gmtime_r(&moment, &parts) && mktime(&parts) > 0);
  assert(strftime(text, sizeof text, "%Y-%m-%d", &parts) == 10);
  assert(strptime("2020-01-02", "%Y-%m-%d", &parts) && asctime_r(&parts, text) && ctime_r(&moment, text));
  assert(clock_gettime(CLOCK_MONOTONIC, &now) == 0 && time(&moment) > 0);
}

static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

static void use_numbers_and_strings(void) {
  int array[4] = {3, 1, 4, 1};
  char tokens[] = "a b", text[64];
  char *end, *rest;
  wchar_t wide[16];
  assert(strtol("42x", &end, 10) == 42 && *end == 'x' && strtod("2.5e1", &end) == 25.0 && atoi("7") == 7);
  qsort(array, 4, sizeof *array, compare);
  assert(array[0] == 1 && array[3] == 4);
  assert(strtok_r(tokens, " ", &rest) && strcmp(strtok_r(NULL, " ", &rest), "b") == 0);
  free(strdup("x"));
  assert(mbstowcs(wide, "hello", 16) == 5 && wcstombs(text, wide, sizeof text) == 5);
  assert(swprintf(wide, 16, L"%d", 12) == 2);
}

static void use_files(void) {
  char text[64], path[PATH_MAX], two[2], rest[8];
  struct stat status;
  struct in_addr address;
  int ends[2];
  struct iovec out[2] = {{"ab", 2}, {"cd", 2}}, in[2] = {{two, 2}, {rest, 8}};
  assert(stat("/", &status) == 0 && realpath("/", path) && strcmp(path, "/") == 0);
  assert(getcwd(path, sizeof path) && gethostname(text, sizeof text) == 0);
  assert(pipe(ends) == 0 && writev(ends[1], out, 2) == 4 && readv(ends[0], in, 2) == 4 && rest[1] == 'd');
  assert(write(ends[1], "xyz", 3) == 3 && read(ends[0], text, sizeof text) == 3);
  close(ends[0]);
  close(ends[1]);
  assert(inet_pton(AF_INET, "1.2.3.4", &address) == 1 && inet_ntop(AF_INET, &address, text, sizeof text));
}

static void* work(void* unused) {
  int id = atomic_fetch_add(&turns, 1);
  use_formats(id);
  use_streams();
  use_time();
  use_numbers_and_strings();
  use_files();
  return unused;
}

int main(void) { run_two(work, work); }

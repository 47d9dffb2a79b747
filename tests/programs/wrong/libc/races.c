// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What libc writes or reads for one thread, another thread changes; nothing orders the two.
// compilers: both
// plain: no
// case scanned: bug data-race         sscanf writes the number
// case scanned_word: bug data-race    sscanf writes the end of the word
// case printed: bug data-race         printf reads the string
// case printed_part: bug data-race    printf reads as many characters as the precision says
// case counted: bug data-race         printf writes how much it has printed
// case line: bug data-race            fgets writes the line with its end
// case allocated_line: bug data-race  getline writes the pointer
// case block: bug data-race           fread writes what it has read
// case written: bug data-race         fwrite reads what it writes
// case sent: bug data-race            write reads what it sends
// case gathered: bug data-race        writev reads each of its parts
// case received: bug data-race        read writes what has come
// case broken_down: bug data-race     localtime_r writes the time
// case shared_time: bug data-race     localtime has one result for all threads
// case number: bug data-race          strtol reads up to the end of the number
// case sorted: bug data-race          qsort writes the array
// case environment: bug data-race     setenv changes what getenv reads
// case status: bug data-race          stat writes the status
// case address: bug data-race         inet_pton writes the address
// case clock: bug data-race           clock_gettime writes the time
// case wide: bug data-race            swscanf writes the number
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>

#include "../../cases.h"

static union {
  char bytes[64];
  int number;
  size_t size;
  struct tm time;
  struct timespec now;
  struct stat status;
} memory;

static void* write_number(void* unused) {
  memory.number = 1;  // reported
  return unused;
}
static void* write_first(void* unused) {
  memory.bytes[0] = '1';  // reported
  return unused;
}
static void* write_third(void* unused) {
  memory.bytes[2] = '3';  // reported
  return unused;
}

static void* scan(void* unused) {
  sscanf("5", "%d", &memory.number);  // reported
  return unused;
}
static void run_scanned(void) { run_two(write_number, scan); }
static void* scan_word(void* unused) {
  sscanf("ab c", "%10s", memory.bytes);  // reported
  return unused;
}
static void run_scanned_word(void) { run_two(write_third, scan_word); }

static void* print(void* unused) {
  printf("<%s>\n", memory.bytes);  // reported
  return unused;
}
static void run_printed(void) { run_two(write_first, print); }
static void* print_part(void* unused) {
  printf("<%.*s>\n", 3, memory.bytes);  // reported
  return unused;
}
static void run_printed_part(void) {
  memcpy(memory.bytes, "abcdefg", 8);
  run_two(write_third, print_part);
}
static void* count(void* unused) {
  printf("some%n\n", &memory.number);  // reported
  return unused;
}
static void run_counted(void) { run_two(write_number, count); }

static FILE* stream(void) {
  static char content[] = "a\nbcdefgh";
  return fmemopen(content, sizeof content - 1, "r");
}
static void* get_line(void* unused) {
  FILE* file = stream();
  if (!fgets(memory.bytes, 9, file)) abort();  // reported
  fclose(file);
  return unused;
}
static void run_line(void) { run_two(write_third, get_line); }
static char* shared_line;
static void* read_line(void* unused) {
  if (shared_line) memory.number = 1;  // reported
  return unused;
}
static void* get_allocated_line(void* unused) {
  FILE* file = stream();
  size_t size = 0;
  if (getline(&shared_line, &size, file) < 0) abort();  // reported
  fclose(file);
  return unused;
}
static void run_allocated_line(void) { run_two(read_line, get_allocated_line); }
static void* get_block(void* unused) {
  FILE* file = stream();
  if (fread(memory.bytes, 1, 3, file) != 3) abort();  // reported
  fclose(file);
  return unused;
}
static void run_block(void) { run_two(write_third, get_block); }
static void* put_block(void* unused) {
  fwrite(memory.bytes, 1, 3, stdout);  // reported
  return unused;
}
static void run_written(void) { run_two(write_third, put_block); }

static void* send_bytes(void* unused) {
  if (write(1, memory.bytes, 3) != 3) abort();  // reported
  return unused;
}
static void run_sent(void) { run_two(write_third, send_bytes); }
static void* gather(void* unused) {
  struct iovec parts[2] = {{"x", 1}, {memory.bytes, 3}};
  if (writev(1, parts, 2) != 4) abort();  // reported
  return unused;
}
static void run_gathered(void) { run_two(write_third, gather); }
static void* receive(void* unused) {
  int ends[2];
  if (pipe(ends) != 0 || write(ends[1], "abc", 3) != 3) abort();
  if (read(ends[0], memory.bytes, 64) != 3) abort();  // reported
  return unused;
}
static void run_received(void) { run_two(write_third, receive); }

static const time_t moment = 1000000;
static void* write_year(void* unused) {
  memory.time.tm_year = 1;  // reported
  return unused;
}
static void* break_down(void* unused) {
  localtime_r(&moment, &memory.time);  // reported
  return unused;
}
static void run_broken_down(void) { run_two(write_year, break_down); }
static void* share_time(void* unused) {
  localtime(&moment);  // reported
  return unused;
}
static void run_shared_time(void) { run_two(share_time, share_time); }
static void* read_number(void* unused) {
  if (strtol(memory.bytes, NULL, 10) == 0) abort();  // reported
  return unused;
}
static void run_number(void) {
  memcpy(memory.bytes, "12", 3);
  run_two(write_third, read_number);
}
static int compare(const void* a, const void* b) { return *(const char*)a - *(const char*)b; }
static void* sort(void* unused) {
  qsort(memory.bytes + 2, 1, 1, compare);  // reported
  return unused;
}
static void run_sorted(void) { run_two(write_third, sort); }
static void* set_variable(void* unused) {
  setenv("THRUM_NAME", "value", 1);  // reported
  return unused;
}
static void* get_variable(void* unused) {
  if (getenv("THRUM_OTHER")) abort();  // reported
  return unused;
}
static void run_environment(void) { run_two(set_variable, get_variable); }
static void* ask_status(void* unused) {
  if (stat("/", &memory.status) != 0) abort();  // reported
  return unused;
}
static void run_status(void) { run_two(write_third, ask_status); }
static void* convert_address(void* unused) {
  inet_pton(AF_INET, "1.2.3.4", memory.bytes);  // reported
  return unused;
}
static void run_address(void) { run_two(write_third, convert_address); }
static void* read_clock(void* unused) {
  clock_gettime(CLOCK_MONOTONIC, &memory.now);  // reported
  return unused;
}
static void run_clock(void) { run_two(write_number, read_clock); }
static void* scan_wide(void* unused) {
  swscanf(L"5", L"%d", &memory.number);  // reported
  return unused;
}
static void run_wide(void) { run_two(write_number, scan_wide); }

MAIN(CASE(scanned), CASE(scanned_word), CASE(printed), CASE(printed_part), CASE(counted), CASE(line),
     CASE(allocated_line), CASE(block), CASE(written), CASE(sent), CASE(gathered), CASE(received),
     CASE(broken_down), CASE(shared_time), CASE(number), CASE(sorted), CASE(environment), CASE(status),
     CASE(address), CASE(clock), CASE(wide))

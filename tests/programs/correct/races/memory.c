// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// case next_byte: exhausted          bytes beside each other are memory locations of their own
// case next_ints: exhausted          eight bytes that begin where the other access ends
// case bit_fields: exhausted         a field of width 0 separates memory locations
// case members: exhausted            two members of one struct of 16 bytes
// case touching_ranges: exhausted    memcpy ends where the other thread's memset begins
// case copied_string: exhausted      strcpy writes its end, and no byte behind it
// case character_found: exhausted    strchr stops before the byte that is written
// case both_read: exhausted          reads do not race
// case freed_in_order: exhausted     whoever frees has acquired the other's use
// case reused: exhausted             memory that was freed and given out again has no past
// case mutex_destroyed: exhausted    by the last one, after the others' unlock is known
// case created_and_joined: exhausted   a thread begins after its creation, and ends before its join
// case joined_by_other: exhausted    through the thread that joins it
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdint.h>

#include "../../cases.h"

// Not static, or compilers would leave out what nobody reads.
struct {
  _Alignas(16) char bytes[64];
} memory;
struct {
  unsigned one : 4;
  unsigned : 0;
  unsigned two : 4;
} bits;
struct {
  int64_t first;
  int64_t second;
} pair;
int seen[2];
static char* block;
static pthread_mutex_t* mutex;
static atomic_int flag;
// Lengths that compilers do not know, so that the function is called.
static volatile size_t ten = 10;
static const char* volatile text = "nine char";

static void* write_byte_3(void* unused) {
  memory.bytes[3] = 1;
  return unused;
}
static void* write_byte_4(void* unused) {
  memory.bytes[4] = 1;
  return unused;
}
static void* write_four_bytes(void* unused) {
  int32_t value = 1;
  __builtin_memcpy(memory.bytes, &value, sizeof value);
  return unused;
}
static void* write_eight_from_4(void* unused) {
  int64_t value = 1;
  __builtin_memcpy(memory.bytes + 4, &value, sizeof value);
  return unused;
}
static void run_next_byte(void) { run_two(write_byte_3, write_byte_4); }
static void run_next_ints(void) { run_two(write_four_bytes, write_eight_from_4); }

static void* write_one(void* unused) {
  bits.one = 1;
  return unused;
}
static void* write_two(void* unused) {
  bits.two = 1;
  return unused;
}
static void run_bit_fields(void) {
  run_two(write_one, write_two);
  assert(bits.one == 1 && bits.two == 1);
}
static void* write_first(void* unused) {
  pair.first = 1;
  return unused;
}
static void* write_second(void* unused) {
  pair.second = 1;
  return unused;
}
static void run_members(void) { run_two(write_first, write_second); }

static void* copy_ten(void* unused) {
  char mine[16];
  memcpy(mine, memory.bytes, ten);
  seen[0] = mine[9];
  return unused;
}
static void* fill_from_10(void* unused) {
  memset(memory.bytes + 10, 2, ten);
  return unused;
}
static void run_touching_ranges(void) { run_two(copy_ten, fill_from_10); }
static void* copy_text(void* unused) {
  strcpy(memory.bytes, text);
  return unused;
}
static void run_copied_string(void) { run_two(copy_text, fill_from_10); }
static void* find_r(void* unused) {
  seen[0] = strchr(memory.bytes, 'r') != NULL;
  return unused;
}
static void* write_byte_9(void* unused) {
  memory.bytes[9] = 1;
  return unused;
}
static void run_character_found(void) {
  strcpy(memory.bytes, text);
  run_two(find_r, write_byte_9);
}
static void* read_first(void* unused) {
  seen[0] = memory.bytes[0];
  return unused;
}
static void* read_second(void* unused) {
  seen[1] = memory.bytes[0];
  return unused;
}
static void run_both_read(void) { run_two(read_first, read_second); }

static void* use_block(void* unused) {
  block[20] = 1;
  atomic_store_explicit(&flag, 1, memory_order_release);
  return unused;
}
static void* free_block(void* unused) {
  if (atomic_load_explicit(&flag, memory_order_acquire) == 1) free(block);
  return unused;
}
static void run_freed_in_order(void) {
  block = malloc(32);
  run_two(use_block, free_block);
}
static void* use_own_block(void* unused) {
  char* volatile mine = malloc(48);
  memset(mine, 1, 48);
  free(mine);
  return unused;
}
static void run_reused(void) { run_two(use_own_block, use_own_block); }

static int users = 2;
static void* leave(void* unused) {
  pthread_mutex_lock(mutex);
  pthread_mutex_unlock(mutex);
  if (__atomic_sub_fetch(&users, 1, __ATOMIC_ACQ_REL) != 0) return unused;
  pthread_mutex_destroy(mutex);
  free(mutex);
  return unused;
}
static void run_mutex_destroyed(void) {
  mutex = malloc(sizeof *mutex);
  pthread_mutex_init(mutex, NULL);
  run_two(leave, leave);
}

static void run_created_and_joined(void) {
  pthread_t thread;
  memory.bytes[3] = 2;
  pthread_create(&thread, NULL, write_byte_3, NULL);
  pthread_join(thread, NULL);
  assert(memory.bytes[3] == 1);
}
static pthread_t joined;
static void* join_it(void* unused) {
  pthread_join(joined, NULL);
  atomic_store_explicit(&flag, 1, memory_order_release);
  return unused;
}
static void run_joined_by_other(void) {
  pthread_t other;
  pthread_create(&joined, NULL, write_byte_3, NULL);
  pthread_create(&other, NULL, join_it, NULL);
  if (atomic_load_explicit(&flag, memory_order_acquire) == 1) assert(memory.bytes[3] == 1);
  pthread_join(other, NULL);
}

MAIN(CASE(next_byte), CASE(next_ints), CASE(bit_fields), CASE(members), CASE(touching_ranges),
     CASE(copied_string), CASE(character_found), CASE(both_read), CASE(freed_in_order), CASE(reused),
     CASE(mutex_destroyed), CASE(created_and_joined), CASE(joined_by_other))

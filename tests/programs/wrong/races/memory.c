// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// plain: no
// case same_bytes: bug data-race        two threads write one int
// case byte_of_int: bug data-race       one byte of an int that another thread reads
// case last_byte: bug data-race         eight bytes that begin at the last byte of another access
// case whole_struct: bug data-race      a struct of 16 bytes is copied while its last member is written
// case bit_fields: bug data-race        neighbouring bit-fields are one memory location
// case copied_range: bug data-race      memcpy reads the byte that the other thread writes
// case filled_range: bug data-race      memset writes the byte that the other thread reads
// case moved_range: bug data-race       two ranges of memmove overlap by one byte
// case copied_string: bug data-race     strcpy writes the end of the string that the other thread reads
// case string_length: bug data-race     strlen reads up to the end
// case character_found: bug data-race   strchr reads the byte at which it stops
// case compared: bug data-race          memcmp reads up to the difference
// case atomic_mixed: bug data-race      an atomic int over a plain byte of it
// case freed: bug data-race             free is a write of the whole block
// case reallocated: bug data-race       so is realloc, of the old block
// case mutex_freed: bug data-race       the mutex is freed while the other thread may still unlock it
// case mutex_destroyed: bug data-race   nothing orders the last unlock before the destruction
// case detached: bug data-race          nobody joins a detached thread
// case before_join: bug data-race       main reads before it joins
// case after_creation: bug data-race    main writes after it has created the thread
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdint.h>

#include "../../cases.h"

static struct { _Alignas(16) char bytes[64]; } memory;
int seen;
static char* block;
static pthread_mutex_t* mutex;
static atomic_int flag;

static int* whole(void) { return (int*)memory.bytes; }
static void* write_int(void* unused) {
  *whole() = 1;  // reported
  return unused;
}
static void* read_int(void* unused) {
  seen = *whole();  // reported
  return unused;
}
static void* write_byte_3(void* unused) {
  memory.bytes[3] = 1;  // reported
  return unused;
}
static void run_same_bytes(void) { run_two(write_int, write_int); }
static void run_byte_of_int(void) { run_two(write_byte_3, read_int); }

static void* write_from_byte_3(void* unused) {
  int64_t value = 1;
  __builtin_memcpy(memory.bytes + 3, &value, sizeof value);  // reported
  return unused;
}
static void run_last_byte(void) { run_two(write_from_byte_3, read_int); }

struct pair {
  int64_t first;
  int64_t second;
};
struct pair pair;
struct pair pair_copy;
static void* copy_pair(void* unused) {
  pair_copy = pair;  // reported
  return unused;
}
static void* write_second(void* unused) {
  pair.second = 1;  // reported
  return unused;
}
static void run_whole_struct(void) { run_two(copy_pair, write_second); }

// Not static, or compilers would leave out what nobody reads.
struct {
  unsigned one : 4;
  unsigned two : 4;
} bits;
static void* write_one(void* unused) {
  bits.one = 1;  // reported
  return unused;
}
static void* write_two(void* unused) {
  bits.two = 1;  // reported
  return unused;
}
static void run_bit_fields(void) { run_two(write_one, write_two); }

// Lengths that compilers do not know, so that the function is called.
static volatile size_t ten = 10;
static void* write_byte_9(void* unused) {
  memory.bytes[9] = 1;  // reported
  return unused;
}
static void* copy_ten(void* unused) {
  char mine[16];
  memcpy(mine, memory.bytes, ten);  // reported
  seen = mine[9];
  return unused;
}
static void run_copied_range(void) { run_two(copy_ten, write_byte_9); }
static void* read_byte_9(void* unused) {
  seen = memory.bytes[9];  // reported
  return unused;
}
static void* fill_ten(void* unused) {
  memset(memory.bytes, 2, ten);  // reported
  return unused;
}
static void run_filled_range(void) { run_two(fill_ten, read_byte_9); }
static void* move_from_9(void* unused) {
  memmove(memory.bytes + 40, memory.bytes + 9, ten);  // reported
  return unused;
}
static void run_moved_range(void) { run_two(move_from_9, fill_ten); }

static const char* volatile text = "nine char";
static void* copy_text(void* unused) {
  strcpy(memory.bytes, text);  // reported
  return unused;
}
static void run_copied_string(void) { run_two(copy_text, read_byte_9); }
static void* measure(void* unused) {
  seen = (int)strlen(memory.bytes);  // reported
  return unused;
}
static void run_string_length(void) {
  strcpy(memory.bytes, text);
  run_two(measure, write_byte_9);
}
static void* find_r(void* unused) {
  seen = strchr(memory.bytes, 'r') != NULL;  // reported
  return unused;
}
static void* write_byte_8(void* unused) {
  memory.bytes[8] = 'r';  // reported
  return unused;
}
static void run_character_found(void) {
  strcpy(memory.bytes, text);
  run_two(find_r, write_byte_8);
}
static void* compare_ten(void* unused) {
  seen = memcmp(memory.bytes, text, ten);  // reported
  return unused;
}
static void run_compared(void) {
  strcpy(memory.bytes, text);
  run_two(compare_ten, write_byte_9);
}

static void* store_atomic(void* unused) {
  __atomic_store_n(whole(), 1, __ATOMIC_SEQ_CST);  // reported
  return unused;
}
static void run_atomic_mixed(void) { run_two(store_atomic, write_byte_3); }

static void* use_block(void* unused) {
  block[20] = 1;  // reported
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  return unused;
}
static void* free_block(void* unused) {
  if (atomic_load_explicit(&flag, memory_order_relaxed) == 1) free(block);  // reported
  return unused;
}
static void run_freed(void) {
  block = malloc(32);
  run_two(use_block, free_block);
}
static void* grow_block(void* unused) {
  if (atomic_load_explicit(&flag, memory_order_relaxed) == 1) block = realloc(block, 4000);  // reported
  return unused;
}
static void run_reallocated(void) {
  block = malloc(32);
  run_two(use_block, grow_block);
}

static void* use_mutex(void* unused) {
  pthread_mutex_lock(mutex);  // reported
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  pthread_mutex_unlock(mutex);
  return unused;
}
static void* free_mutex(void* unused) {
  if (atomic_load_explicit(&flag, memory_order_relaxed) == 1) free(mutex);  // reported
  return unused;
}
static void* destroy_mutex(void* unused) {
  if (atomic_load_explicit(&flag, memory_order_relaxed) == 2) pthread_mutex_destroy(mutex);  // reported
  return unused;
}
static void* use_mutex_and_tell(void* unused) {
  pthread_mutex_lock(mutex);  // reported
  pthread_mutex_unlock(mutex);
  atomic_store_explicit(&flag, 2, memory_order_relaxed);
  return unused;
}
static void run_mutex_freed(void) {
  mutex = malloc(sizeof *mutex);
  pthread_mutex_init(mutex, NULL);
  run_two(use_mutex, free_mutex);
}
static void run_mutex_destroyed(void) {
  mutex = malloc(sizeof *mutex);
  pthread_mutex_init(mutex, NULL);
  run_two(use_mutex_and_tell, destroy_mutex);
}

static void run_detached(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, write_int, NULL);
  pthread_detach(thread);
  read_int(NULL);
}
static void run_before_join(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, write_int, NULL);
  read_int(NULL);
  pthread_join(thread, NULL);
}
static void run_after_creation(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, read_int, NULL);
  write_int(NULL);
  pthread_join(thread, NULL);
}

MAIN(CASE(same_bytes), CASE(byte_of_int), CASE(last_byte), CASE(whole_struct), CASE(bit_fields),
     CASE(copied_range), CASE(filled_range), CASE(moved_range), CASE(copied_string), CASE(string_length),
     CASE(character_found), CASE(compared), CASE(atomic_mixed), CASE(freed), CASE(reallocated),
     CASE(mutex_freed), CASE(mutex_destroyed), CASE(detached), CASE(before_join), CASE(after_creation))

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * A bounded buffer; each operation on a semaphore or mutex of ../bounded_buffer.c is one step. */
#ifndef N
#define N 2
#endif
#define SIZE 3
byte places = SIZE, items, buffer[SIZE], first, count;
bit held;

active [N] proctype produce() {
  do
  :: d_step { places > 0 -> places-- };
     d_step { held == 0 -> held = 1; assert(count < SIZE); buffer[(first + count) % SIZE] = 1 + _pid; count++ };
     held = 0;
     items++
  od
}

active [N] proctype consume() {
  do
  :: d_step { items > 0 -> items-- };
     d_step { held == 0 -> held = 1; assert(count > 0 && buffer[first] != 0); buffer[first] = 0; first = (first + 1) % SIZE; count-- };
     held = 0;
     places++
  od
}

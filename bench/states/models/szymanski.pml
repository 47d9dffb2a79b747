/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Szymanski's lock; each atomic access of ../szymanski.c is one step. */
#ifndef N
#define N 3
#endif
byte flag[N], inside;

#define is_between(me, least, most, yes, no)                             \
  other = 0;                                                             \
  do                                                                     \
  :: other == N -> goto no                                               \
  :: other < N && other == me -> other++                                 \
  :: other < N && other != me ->                                         \
     if                                                                  \
     :: flag[other] >= least && flag[other] <= most -> goto yes          \
     :: else -> other++                                                  \
     fi                                                                  \
  od

active [N] proctype thread() {
  byte other;
  do
  :: flag[_pid] = 1;
wait_open: is_between(_pid, 3, 4, wait_open, open);
open: flag[_pid] = 3;
     is_between(_pid, 1, 1, room, in);
room: flag[_pid] = 2;
wait_door: is_between(_pid, 4, 4, in, wait_door);
in:  flag[_pid] = 4;
     other = 0;
     do
     :: other < _pid ->
        if
        :: flag[other] >= 2
        :: else -> other++
        fi
     :: else -> break
     od;
     atomic { assert(inside == 0); inside++ };
     inside--;
     other = _pid + 1;
     do
     :: other < N ->
        if
        :: flag[other] == 2 || flag[other] == 3
        :: else -> other++
        fi
     :: else -> break
     od;
     flag[_pid] = 0
  od
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Peterson's lock for several threads; each atomic access of ../filter_lock.c is one step. */
#ifndef N
#define N 3
#endif
byte level[N], victim[N], inside;

active [N] proctype thread() {
  byte at, other;
  do
  :: at = 1;
     do
     :: at < N ->
        level[_pid] = at;
        victim[at] = _pid;
again:  other = 0;
        do
        :: other == N -> break
        :: other < N && other == _pid -> other++
        :: other < N && other != _pid ->
           if
           :: level[other] >= at ->
              if
              :: victim[at] == _pid -> goto again
              :: else -> break
              fi
           :: else -> other++
           fi
        od;
        at++
     :: else -> break
     od;
     atomic { assert(inside == 0); inside++ };
     inside--;
     level[_pid] = 0
  od
}

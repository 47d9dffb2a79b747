/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Dekker's lock; each atomic access of ../dekker.c is one step. */
bit wants[2], turn;
byte inside;

active [2] proctype thread() {
  do
  :: wants[_pid] = 1;
     do
     :: !wants[1 - _pid] -> break
     :: wants[1 - _pid] ->
        if
        :: turn == _pid
        :: else ->
           wants[_pid] = 0;
           do
           :: turn == _pid -> break
           :: else
           od;
           wants[_pid] = 1
        fi
     od;
     atomic { assert(inside == 0); inside++ };
     inside--;
     turn = 1 - _pid;
     wants[_pid] = 0
  od
}

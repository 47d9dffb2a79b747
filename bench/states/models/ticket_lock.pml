/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * A ticket lock; each atomic access of ../ticket_lock.c is one step. */
#ifndef N
#define N 3
#endif
#define TICKETS 8
byte next_ticket, serving, inside;

active [N] proctype thread() {
  byte ticket;
  bool got;
  do
  :: ticket = next_ticket;
     do
     :: d_step {
          got = next_ticket == ticket;
          if
          :: got -> next_ticket = (ticket + 1) % TICKETS
          :: else -> ticket = next_ticket
          fi
        };
        if
        :: got -> break
        :: else
        fi
     od;
     do
     :: serving == ticket -> break
     :: else
     od;
     atomic { assert(inside == 0); inside++ };
     inside--;
     serving = (ticket + 1) % TICKETS
  od
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
// args: --bound preemptions=2
// copy: atomic_queue
// edit: s/if(ATOMIC_QUEUE_LIKELY(element != NIL))$/if(true)/
//
// The driver over a copy of the header in which a consumer no longer checks that the producer who
// reserved its place has put the item there.
#include "correct.cpp"

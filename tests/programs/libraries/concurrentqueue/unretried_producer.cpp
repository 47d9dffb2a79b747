// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
// args: --bound preemptions=2
// copy: concurrentqueue
// edit: s/while (!\(producerListTail.compare_exchange_weak(.*)\));/while (!\1 \&\& false);/
//
// The driver over a copy of the header in which a producer who loses the race for the head of the list of
// producers does not try again: nobody finds what he puts in.
#include "correct.cpp"

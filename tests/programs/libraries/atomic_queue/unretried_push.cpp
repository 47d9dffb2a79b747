// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
// args: --bound preemptions=2
// copy: atomic_queue
// edit: s/while(.*(!\(head_.compare_exchange_strong(.*)\)));/while(\1 \&\& false);/
//
// The driver over a copy of the header in which a producer who lost the race for a place does not
// try again, but goes on as if he had won it.
#include "correct.cpp"

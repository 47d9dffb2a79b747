// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=2
// args: --bound preemptions=2
// copy: concurrentqueue
// edit: /index_t myDequeueCount = /,/headIndex/s/if ((details::likely)(.*)) {/if (true) {/
//
// The driver over a copy of the header in which a consumer, having counted himself in, no longer looks again
// whether there is an item for him.
#include "correct.cpp"

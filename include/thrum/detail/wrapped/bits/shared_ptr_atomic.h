// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libstdc++'s own bits/shared_ptr_atomic.h, where std::atomic<std::shared_ptr> orders what it promises.
//
// Its load() unlocks by a relaxed operation, so that by the letter of the standard its read races with the next
// writer's write (a bug of the library). No user can do anything about
// that; so inside this header relaxed operations are sequentially consistent ones. Acquiring ones are too: a
// compare-exchange that orders more where it fails than where it succeeds makes g++ 12 warn.
//
// The real header is included each time: this one may stand on the path twice, and then finds itself first.
#pragma GCC system_header
#include <atomic>
#if defined(__THRUM__) && __cplusplus >= 202002L
#define memory_order_relaxed memory_order_seq_cst
#define memory_order_acquire memory_order_seq_cst
#include_next <bits/shared_ptr_atomic.h>
#undef memory_order_acquire
#undef memory_order_relaxed
#else
#include_next <bits/shared_ptr_atomic.h>
#endif

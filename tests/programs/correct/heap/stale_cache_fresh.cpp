// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --heap fresh
// plain: no
//
// What comes of tests/programs/wrong/heap/stale_cache.cpp where no memory is used again.
#include "../../wrong/heap/stale_cache.cpp"

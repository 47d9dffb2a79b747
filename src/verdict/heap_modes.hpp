// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --heap both: a search for each way of giving addresses to blocks, one after the other, and one result of
// the two.
#pragma once

#include "protocol/job.hpp"
#include "report/result.hpp"
#include "verdict/check_options.hpp"

namespace thrum {

inline constexpr char kBothHeaps[] = "both";

// "lifo" or "fresh".
const char* heap_name(Heap heap);

// Which of them --heap begins with.
Heap first_heap(const CheckOptions& options);

// Whether the other search has to be run as well, after the first one's result.
bool wants_other_heap(const CheckOptions& options, const TestResult& first);

// What the first search says alone, in a result of both: `second` was not run.
void note_first_only(TestResult& first);

// Makes one result of two: sums, and of what they cover the weaker. Bugs are left alone; all holds those of
// both.
void merge_heaps(TestResult& all, const TestResult& second);

}  // namespace thrum

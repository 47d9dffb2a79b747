// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assertions about Thrum itself. They stay on in release builds; a failing one is a bug of ours, never
// of the program under test. Thread safety: the reporter is installed once, before any search.
#pragma once

namespace thrum {

// Prints what led to the failure (the running plan, the seed); called before the process ends.
using InternalErrorReporter = void (*)();

void set_internal_error_reporter(InternalErrorReporter reporter);

// Ends the process with exit code 4 after printing one line and what the reporter adds.
[[noreturn, gnu::cold]] void internal_error(const char* file, int line, const char* what);

}  // namespace thrum

#define THRUM_CHECK(condition)                         \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::thrum::internal_error(__FILE__, __LINE__, #condition))

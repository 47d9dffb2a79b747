// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/check.hpp"

#include <unistd.h>
#include <cstdio>
#include <cstring>

namespace thrum {

namespace {
InternalErrorReporter g_reporter = nullptr;
constexpr int kExitInternalError = 4;
}  // namespace

void set_internal_error_reporter(InternalErrorReporter reporter) { g_reporter = reporter; }

void internal_error(const char* file, int line, const char* what) {
  char text[512];
  int length = std::snprintf(text, sizeof text, "thrum: internal error: %s:%d: %s\n", file, line, what);
  if (length > 0 && write(2, text, std::strlen(text)) < 0) {
    // Nothing is left to tell it to.
  }
  if (InternalErrorReporter reporter = g_reporter) {
    g_reporter = nullptr;
    reporter();
  }
  _exit(kExitInternalError);
}

}  // namespace thrum

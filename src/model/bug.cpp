// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/bug.hpp"

#include <array>

namespace thrum {

std::string_view bug_kind_name(BugKind kind) {
  static constexpr std::array<std::string_view, kBugKindCount> kNames = {
      "assertion",      "test-failure",    "deadlock",           "livelock",       "data-race",     "crash",
      "uncaught-exception", "use-after-free", "double-free",     "buffer-overflow", "leak",         "stack-overflow",
      "out-of-memory",  "lock-misuse",     "nonzero-exit",       "undefined-behaviour", "hang"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace thrum

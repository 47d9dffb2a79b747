// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every system call of Linux on x86-64, and what becomes of it when the program or one of its libraries makes
// it in an execution. docs/system-calls.md is made from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace thrum {

enum class Treatment : std::uint8_t {
  allowed,      // done as it is: it leaves nothing behind that an execution could see
  virtualised,  // answered here
  undone,       // done; what it changes is put back before the next execution
  named,        // done, and named in the result, which is inconclusive
  refused,      // not done: the search ends, and names it
};

struct SystemCallRow {
  long number;
  const char* name;
  Treatment treatment;
  const char* how;  // for people; may be empty
};

// By number.
std::span<const SystemCallRow> system_call_table();

// nullptr for a number that is not listed.
const SystemCallRow* find_system_call(long number);

// The page docs/system-calls.md.
std::string system_calls_page();

}  // namespace thrum

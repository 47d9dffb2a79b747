// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every system call of Linux on x86-64, and its treatment when the program or one of its libraries makes it
// in an execution. docs/system-calls.md is generated from this table.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace thrum {

enum class Treatment : std::uint8_t {
  allowed,      // done: it has no effect that an execution could see later
  virtualised,  // answered by the runtime
  undone,       // done; its effect is undone before the next execution
  named,        // done, and named in the result, which is inconclusive
  refused,      // not done: the search ends and names it
};

struct SystemCallRow {
  long number;
  const char* name;
  Treatment treatment;
  const char* how;  // for people; may be empty
};

// By number.
std::span<const SystemCallRow> system_call_table();

// nullptr if the number is not listed.
const SystemCallRow* find_system_call(long number);

// The text of docs/system-calls.md.
std::string system_calls_page();

}  // namespace thrum

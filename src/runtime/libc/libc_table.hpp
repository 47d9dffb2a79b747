// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libc_calls.def as text, for the documentation and the tests.
#pragma once

#include <span>
#include <string>

namespace thrum {

struct LibcRow {
  enum class Kind : unsigned char { part, wrapped, interposed, modelled, formatted, checked };
  Kind kind;
  const char* name;  // or the title of a part
  const char* arguments = "";
  const char* before = "";  // statements, as in the table
  const char* after = "";
};

std::span<const LibcRow> libc_table();

// The part of docs/primitives.md that is generated from the table.
std::string libc_page();

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by libc_table_test.cpp.
#include "runtime/libc/libc_table.hpp"

#include <cstring>

namespace thrum {

namespace {

using Kind = LibcRow::Kind;

constexpr LibcRow kLibcTable[] = {
#define PART(title) {Kind::part, title},
#define WRAPPED(result, name, parameters, arguments, before, after) \
  {Kind::wrapped, #name, #arguments, #before, #after},
#define INTERPOSED(result, name, parameters, arguments, before, after) \
  {Kind::interposed, #name, #arguments, #before, #after},
#define POINT INTERPOSED
#define MODELLED(name, parameters, before, after) {Kind::modelled, #name, #parameters, #before, #after},
#define PRINTS(name, element, parameters, arguments, before, after) \
  {Kind::formatted, #name, #arguments, #before, #after},
#define INTERPOSED_PRINTS PRINTS
#define SCANS(name, element, parameters, arguments, before) {Kind::formatted, #name, #arguments, #before, ""},
#define CHECKED(result, name, parameters, arguments, plain, needed) {Kind::checked, #name},
#define CHECKED_PRINTS(name, element, parameters, arguments, plain, fits) {Kind::checked, #name},
#include "runtime/libc/libc_calls.def"
};

bool is_checked(const char* name) {
  for (const LibcRow& row : kLibcTable) {
    if (row.kind == Kind::checked && std::strcmp(row.name, name) == 0) return true;
  }
  return false;
}

// "- `fgets(to, size, stream)`: afterwards `writes_string(result)`"
std::string line_of(const LibcRow& row) {
  std::string arguments = row.arguments;
  if (row.kind == Kind::formatted) {
    arguments.insert(arguments.size() - 1, arguments == "()" ? "format, ..." : " format, ...");
  }
  std::string line = "- `" + std::string(row.name) + arguments + "`: ";
  if (row.kind == Kind::formatted) line += "what `format` says";
  const char* separator = row.kind == Kind::formatted ? "; " : "";
  if (*row.before != 0) {
    line += std::string(separator) + "`" + row.before + "`";
    separator = "; ";
  }
  if (*row.after != 0) line += std::string(separator) + "afterwards `" + row.after + "`";
  if (is_checked(row.name)) line += " (also `__" + std::string(row.name) + "_chk`)";
  return line + "\n";
}

bool is_shown(const LibcRow& row) {
  return row.kind != Kind::part && row.kind != Kind::checked &&
         (row.kind == Kind::formatted || *row.before != 0 || *row.after != 0);
}

}  // namespace

std::span<const LibcRow> libc_table() { return kLibcTable; }

std::string libc_page() {
  std::string page;
  const char* title = nullptr;  // of a part whose rows have not been shown yet
  for (const LibcRow& row : kLibcTable) {
    if (row.kind == Kind::part) title = row.name;
    if (!is_shown(row)) continue;
    if (title) page += "\n### " + std::string(title) + "\n\n";
    title = nullptr;
    page += line_of(row);
  }
  return page;
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of places in a program that is interpreted: its addresses are those of no file, whose debug
// information would have them. Offsets are those of Place, space `module`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace thrum {

struct CodeLine {
  std::string function;  // as the linker knows it
  std::string file;      // empty where it is not known
  std::uint32_t line = 0;

  friend bool operator==(const CodeLine&, const CodeLine&) = default;
};

struct NamedCode {
  std::uint64_t offset = 0;     // a return address
  std::vector<CodeLine> lines;  // innermost inlined function first
};

struct NamedData {
  std::uint64_t offset = 0;  // of the variable's begin
  std::uint64_t size = 0;
  std::string name;  // as the linker knows it
};

struct NamedLocal {
  std::uint64_t function = 0;  // offset of its begin
  std::uint64_t distance = 0;  // of the variable's begin from the upper end of the function's frame
  std::uint64_t size = 0;
  std::string of;  // the function that declares it, as the linker knows it
  std::string name;
};

struct ProgramNames {
  std::vector<NamedCode> code;  // by offset
  std::vector<NamedData> data;  // by offset
  std::vector<NamedLocal> locals;

  bool empty() const { return code.empty() && data.empty() && locals.empty(); }
};

}  // namespace thrum

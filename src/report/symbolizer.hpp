// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names for addresses of executables and shared libraries, from their debug information and symbol tables.
// Thread safety: none.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/program_names.hpp"
#include "report/source_lines.hpp"
#include "report/trace_file.hpp"

namespace thrum {

// Offsets are addresses as the ELF file counts them: the address in the process less the module's load bias.
// module: its path; a file that cannot be read yields no names. Each file is opened once, and each return
// address is looked up once, since the traces of one check share most of their stacks.
class Symbolizer {
 public:
  Symbolizer();
  ~Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  // The lines of a return address, with their text: of the call before it, innermost inlined function first.
  // Valid as long as the symbolizer.
  const std::vector<SourceLine>& code(const std::string& module, std::uint64_t return_offset);

  // "counter", "table[2].next", "table+16"; empty where no object of the symbol table lies there. size: of
  // the access; 0: a synchronization object.
  std::string data(const std::string& module, std::uint64_t offset, std::uint32_t size = 0);

  // The same of the variable that the linker knows by that name, `inside` bytes behind its begin. Where the
  // file has several of that name, or none, nothing is known of its parts.
  std::string variable(const std::string& module, const std::string& name, std::uint64_t inside,
                       std::uint32_t size);

  // A line of an interpreted program, with its text.
  SourceLine line(const CodeLine& line);

  // The variable of a function at a distance from the upper end of the stack: "main::ready". Empty where none
  // is known to lie there. module: the one that frame.code names.
  std::string local(const std::string& module, const StackFrame& frame, std::uint64_t distance,
                    std::uint32_t size);

 private:
  struct Library;
  Library* open(const std::string& module);

  std::map<std::string, std::unique_ptr<Library>> libraries_;  // by path
  SourceReader sources_;
};

// The one of this process: files of the program do not change while it is checked.
Symbolizer& symbolizer();

// Names all places of the trace. modules must be filled in. names: of the places of a program that was
// interpreted, which is the only module; empty of any other.
void name_places(TraceFile& file, const ProgramNames& names);

}  // namespace thrum

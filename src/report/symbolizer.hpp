// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names for addresses of executables and shared libraries, from their debug information and symbol tables.
// Thread safety: none.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "report/trace_file.hpp"

namespace thrum {

// Offsets are addresses as the ELF file counts them: the address in the process less the module's load bias.
class Symbolizer {
 public:
  // modules: paths. A file that cannot be read yields no names.
  explicit Symbolizer(const std::vector<std::string>& modules);
  ~Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  // The lines of a return address: of the call before it, innermost inlined function first.
  std::vector<SourceLine> code(std::uint16_t module, std::uint64_t return_offset);

  // "counter", "table[2].next", "table+16"; empty where no object of the symbol table lies there. size: of
  // the access; 0: a synchronization object.
  std::string data(std::uint16_t module, std::uint64_t offset, std::uint32_t size = 0);

  // The variable of a function at a distance from the upper end of the stack: "main::ready". Empty where none
  // is known to lie there.
  std::string local(const StackFrame& frame, std::uint64_t distance, std::uint32_t size);

 private:
  struct Library;
  Library* open(std::uint16_t module);

  std::vector<std::string> modules_;
  std::map<std::uint16_t, std::unique_ptr<Library>> libraries_;
};

// Names all places of the trace. modules must be filled in.
void name_places(TraceFile& file);

}  // namespace thrum

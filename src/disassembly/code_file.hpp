// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine code of an executable or shared library, and what its unwind tables (.eh_frame) say of it.
// Addresses are as the ELF file counts them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "disassembly/live_state.hpp"

namespace thrum {

class CodeFile {
 public:
  // Of a file that cannot be read there is no code.
  explicit CodeFile(const std::string& path);
  ~CodeFile();
  CodeFile(const CodeFile&) = delete;
  CodeFile& operator=(const CodeFile&) = delete;

  // The code from that address on, to the end of its section; empty where there is none.
  std::span<const unsigned char> code_at(std::uint64_t address) const;

  // The part of a function that one entry of the unwind tables describes.
  struct Function {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t handlers = 0;  // the address of its table of handlers; 0: it has none
    bool is_clear = true;        // the entry was understood
  };
  // nullptr: no entry describes the address.
  const Function* function_at(std::uint64_t address) const;

  // Where an exception goes that comes out of a call with that return address, which lies in the function.
  struct Handler {
    bool is_known = false;
    std::uint64_t address = 0;  // 0: the function has no handler for it
    bool leaves = false;  // it goes on to the caller; else, without a handler, the program is terminated
  };
  Handler handler_of(const Function& function, std::uint64_t return_address) const;

  // The name of the function whose address the loader puts there (in the global offset table); empty: none.
  std::string import_at(std::uint64_t pointer) const;

  // The registers that still have the caller's values at that address, as far as the unwind tables know: an
  // exception that leaves the function there hands them on. All where that is not known.
  RegisterSet callers_registers(std::uint64_t address) const;

 private:
  struct Elf;
  void read_functions();
  void read_imports();

  std::unique_ptr<Elf> elf_;
  std::vector<Function> functions_;  // in order
  std::unordered_map<std::uint64_t, std::string> imports_;
};

}  // namespace thrum

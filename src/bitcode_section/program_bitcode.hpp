// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bitcode that a program carries, and which of its objects carry none.
//
// Tested by program_bitcode_test.cpp; with what compilers and linkers write, by
// tests/endtoend/bitcode_test.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bitcode_section/records.hpp"

struct Elf;

namespace thrum {

// The records in the file of a program, a shared library or an object.
class ProgramBitcode {
 public:
  explicit ProgramBitcode(const std::string& path);
  ~ProgramBitcode();
  ProgramBitcode(const ProgramBitcode&) = delete;
  ProgramBitcode& operator=(const ProgramBitcode&) = delete;

  // One line that says what is wrong with the file or its section, in the manner of "PATH: …"; empty where
  // nothing is. A file without the section has no records, and nothing is wrong with it.
  const std::string& problem() const { return problem_; }
  // They live as long as this object.
  const std::vector<BitcodeRecord>& records() const { return records_; }

 private:
  void read(const std::string& path);

  int file_ = -1;
  Elf* elf_ = nullptr;
  std::vector<BitcodeRecord> records_;
  std::string problem_;
};

// An object of a program, as the debug information knows it.
struct CompiledObject {
  std::string name;  // the path of its source file, as the compiler was given it
  std::string producer;
  bool is_assembler = false;
};

// The objects of the program with debug information, in the order in which they were linked. Those of
// libraries that the compiler links without being asked are left out.
std::vector<CompiledObject> compiled_objects(const std::string& path);

// Those of the objects that none of the records belongs to. A record belongs to the object of the same name,
// else to one whose file has the same name but for folder and ending: options of the compiler may rename
// folders, and of a preprocessed file the debug information names what it was made from.
std::vector<CompiledObject> objects_without_bitcode(const std::vector<CompiledObject>& objects,
                                                    const std::vector<BitcodeRecord>& records);

// One line that says why the program cannot run from its bitcode and what to do, naming each object that
// lacks it and why; empty where it can.
std::string bitcode_problem(const std::string& path);

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `thrum c++ --bitcode` and `thrum cc --bitcode`: objects that carry the bitcode of which they were made, so
// that the native program and an engine that interprets the bitcode run the same code.
//
// An object is made in three steps:
//
//     clang++-19 <Thrum's flags, the user's> -fno-vectorize -fno-slp-vectorize -emit-llvm -c SOURCE -o x.bc
//     clang++-19 <the user's for the back end> -Xclang -disable-llvm-passes -c x.bc -o temporary.o
//     llvm-objcopy-19 --add-section .thrum.bc=record … temporary.o x.o
//
// So all that optimises and instruments comes before the bitcode is written, and what follows translates it.
// The record is that of src/bitcode_section/records.hpp. Only the last step writes x.o.
//
// Clang names some files after the object: those of dependencies, and of coverage. Clang is asked what it
// would call them (-###), and told so in the first step.
//
// Tested by bitcode_driver_test.cpp and tests/endtoend/bitcode_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/flags.hpp"
#include "cli/process.hpp"

namespace thrum {

// Whether the words contain --bitcode, or the environment variable THRUM_BITCODE is 1. Removes the former.
// Throws UserError where the variable is neither 0 nor 1, nor empty.
bool asks_for_bitcode(std::vector<std::string>& words);
bool environment_asks_for_bitcode();

// Whether the words make objects that can carry bitcode: a source file is compiled, and not for -E or -S
// alone. Else the compiler does all by itself. REQUIRES, here and below: response files are replaced.
bool makes_bitcode(const std::vector<std::string>& words);

// The options of the words that matter when bitcode becomes machine code.
std::vector<std::string> back_end_options(const std::vector<std::string>& words);

// What Clang itself would call the files that it names after an object, as options that say so. listing: the
// output of -###. One entry for each source file, in order.
struct DerivedNames {
  std::string source;
  std::vector<std::string> options;
};
std::vector<DerivedNames> derived_names(const std::string& listing, const std::vector<std::string>& words);

// Does what the words ask for. Returns the exit code: that of the first step that fails. Nothing is left
// behind but what was asked for. tells: says on standard error, in one line, which flags --bitcode adds.
// Throws UserError for what does not go together with --bitcode. toolchain: of find_bitcode_toolchain().
int compile_with_bitcode(const Toolchain& toolchain, const std::vector<std::string>& words, bool tells);

}  // namespace thrum

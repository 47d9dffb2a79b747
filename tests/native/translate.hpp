// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Toy programs as C++, so that the native runtime can be held against the oracle.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/toy_code.hpp"

namespace thrum {

// One source file with all the programs: its first argument says which of them runs, from 0.
//
// What a toy program does not share with a real one is made up for:
//   main               ends by pthread_exit, which ends that thread only
//   a misused mutex    is undefined in C++. Each thread remembers what it holds; where it does not hold the
//                      mutex, there is a scheduling point in the place of the toy's, then a failure
//   join               is left out where the thread was not created
std::string translate(const std::vector<ToyCode>& programs);

// The bug that a failure of a translated program is in its toy program, from the JSON result's kind and
// message. Nothing: the program has no such failure.
std::optional<ToyBug> translated_bug(std::string_view kind, std::string_view message);

}  // namespace thrum

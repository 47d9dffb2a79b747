// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells bugs apart, also those of two versions of a program.
//
// A fingerprint is made of the kind of the bug and, for each stack that takes part in it (where it failed;
// where each thread of a deadlock waits), of the names of its three innermost functions and the text of its
// innermost line, without spaces and comments. Only the program's own code counts. So it stays the same when
// lines move, when other functions are edited, and when the same bug is found by another schedule or in
// another thread; it changes with the failing line itself. What a bug says counts where its place alone does
// not tell it from others: at one line several things can be undefined. Numbers in it do not.
//
// Baselines and suppressions hold fingerprints, so none may change from one version to the next.
#pragma once

#include <string>
#include <string_view>

#include "report/trace_file.hpp"

namespace thrum {

// 16 hexadecimal digits.
std::string fingerprint(const TraceFile& file);

// Of a bug that is told from others by a text alone.
std::string text_fingerprint(std::string_view text);

// A source line without spaces and comments.
std::string normal_line(const std::string& text);

}  // namespace thrum

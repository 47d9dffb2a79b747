// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `thrum sequentialize`: C with threads becomes C without, and a checker of such programs is run on it.
#pragma once

#include <string>
#include <vector>

#include "report/text_style.hpp"

namespace thrum {

struct SequentializeOptions {
  std::vector<std::string> files;
  std::string out;      // empty: standard output, unless there is a checker
  unsigned rounds = 0;  // 0: KISS
  bool eager = false;
  bool normal_form = false;
  unsigned pending = 2;
  unsigned threads_max = 8;
  std::string race;
  std::string compile_flags;
  std::string checker;  // empty: none
  std::string pattern;  // of a checker's own command line: what it prints where the program fails
  double seconds = 60;
  std::string trace_folder = "thrum-out";
  std::string json;
  bool require_exhausted = false;
  std::string color = "auto";
};

// command: the whole command line, for the result.
int sequentialize_command(const SequentializeOptions& options, const std::vector<std::string>& command);

}  // namespace thrum

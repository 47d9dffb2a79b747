// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `thrum bool`: boolean programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "boolprog/trace_json.hpp"
#include "report/text_style.hpp"

namespace thrum {

struct BoolOptions {
  std::string file;
  std::uint32_t contexts = 0;        // 0: none
  std::vector<std::string> threads;  // empty: as the file says
  std::string first;                 // of a pushdown file: its first configuration, and
  std::string target;                // the one that is looked for; empty: as the files beside it say
  std::vector<std::string> labels;   // empty: assertions, and SLIC_ERROR where the program has it
  unsigned bits = 8;                 // of integers, where the file is one of C
  std::string engine = "pushdown";
  double seconds = 60;
  std::string memory = "2G";
  std::uint32_t depth = 64;
  std::uint32_t threads_max = 16;
  std::string out = "thrum-out";
  std::string json;
  bool require_exhausted = false;
  std::string color = "auto";
};

struct FromCOptions {
  std::string file;
  std::string out;  // empty: standard output
  unsigned bits = 8;
  std::vector<std::string> include_folders;
};

// Translates C. Exits with 2 if the file contains something unsupported, or if this build has no libclang.
int bool_from_c_command(const FromCOptions& options);
bool is_c_file(const std::string& path);  // by its name
// The boolean program in a file. A file in C is translated. Throws UserError.
bp::Program read_bool_program(const std::string& path, unsigned bits);
// The program as a flow graph, also from a pushdown file (.pds). For such a file, first and target are set to
// the configurations of the files beside it if they are empty.
bp::Flow read_bool_flow(const std::string& path, unsigned bits, const std::vector<std::string>& threads,
                        std::string& first, std::string& target);

// command: the whole command line, for the result.
int bool_check_command(const BoolOptions& options, const std::vector<std::string>& command);
int bool_print_command(const std::string& file);

// The trace of a boolean program in the file; nothing if the file is no such trace. Throws UserError if it is
// a damaged one.
std::optional<bp::StoredTrace> read_bool_trace(const std::string& path);
int bool_replay_command(const bp::StoredTrace& trace, Colour colour);
std::string bool_trace_text(const bp::StoredTrace& trace, const TextStyle& style);

}  // namespace thrum

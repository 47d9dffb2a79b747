// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The commands of `thrum`. Each returns the exit code, and throws UserError for wrong usage or environment.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "report/text_style.hpp"

namespace thrum {

struct ReplayOptions {
  std::string path;            // of a trace file, or a suite
  std::uint64_t schedule = 0;  // of a suite, the one to run; 0: all
  bool leaks = false;          // lost blocks of the heap are a bug, also if the file does not say so
  Threads threads = Threads::fibers;
  std::string engine;  // empty: the one that the file names
  std::string json;    // a path; "-": standard output; empty: none
  ProgressMode progress = ProgressMode::automatic;
  Colour colour = Colour::automatic;
  std::vector<std::string> command{};  // the whole command line, for the result
};

// command: the whole command line, for the result.
int check_command(const CheckOptions& options, const std::vector<std::string>& command);
int replay_command(const ReplayOptions& options);
int show_command(const std::string& trace_path, bool unfolded, Colour colour);
// out: the path of the picture.
int plot_command(const std::vector<std::string>& results, const std::string& out);
int help_command(const std::string& topic);
int strategies_command();
int doctor_command();

// Replaces this process by the compiler, or by the archiver that belongs to it. name: thrum-c++, thrum-cc,
// thrum-gcc-ar and the like.
int driver_command_line(const std::string& name, const std::vector<std::string>& arguments);

// step: compile or link. compiler: gcc or clang; empty: the one that the driver for C++ runs.
int flags_command(const std::string& step, const std::string& compiler);

// Runs a command line. words: the first is the name of this program, `thrum` or that of a compiler driver.
int thrum_main(const std::vector<std::string>& words);

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The commands of the front door. Each returns the exit code; wrong usage or environment is a UserError.
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"
#include "report/text_style.hpp"

namespace thrum {

// command: the whole command line, for the result.
int check_command(const CheckOptions& options, const std::vector<std::string>& command);
int replay_command(const std::string& trace_path, Threads threads, Colour colour);
int show_command(const std::string& trace_path, bool unfolded, Colour colour);
// out: the path of the picture.
int plot_command(const std::vector<std::string>& results, const std::string& out);
int help_command(const std::string& topic);
int strategies_command();
int doctor_command();

// Becomes the compiler, or the archiver that goes with it. name: thrum-c++, thrum-cc, thrum-gcc-ar and the
// like.
int driver_command_line(const std::string& name, const std::vector<std::string>& arguments);

// step: compile or link. compiler: gcc, clang, or empty for the one that the driver for C++ runs.
int flags_command(const std::string& step, const std::string& compiler);

// The command line of `thrum`, or of `thrum-cc` and `thrum-c++` by the name that it is called by.
int thrum_main(const std::vector<std::string>& words);

}  // namespace thrum

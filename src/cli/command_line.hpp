// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of `thrum`: its commands, with their arguments and options.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_tables.hpp"
#include "cli/options.hpp"

namespace thrum {

class CommandLine {
 public:
  CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // All commands, for the manual.
  const CLI::App& app() const { return app_; }

  // Runs the command that the words name, "thrum" first, and returns the exit code. Throws UserError.
  // REQUIRES: it was not called before.
  int run(const std::vector<std::string>& words);

 private:
  void add_check();
  void add_traces();
  void add_information();
  void add_bool();
  void add_sequentialize();
  int run_check(const std::vector<std::string>& words);

  CLI::App app_;
  std::vector<std::string> arguments_;  // of the program
  CheckOptions check_options_;
  TraceOptions trace_options_;
  PlotOptions plot_options_;
  FlagsOptions flags_options_;
  VmLibraryOptions vm_library_options_;
  ManualOptions manual_options_;
  BoolOptions bool_options_;
  FromCOptions from_c_options_;
  SequentializeOptions sequentialize_options_;
  std::string topic_;  // of help
  // Each command and what runs it. command: the words of the command line.
  using Run = std::function<int(const std::vector<std::string>& command)>;
  std::vector<std::pair<const CLI::App*, Run>> commands_;
};

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of the options of all commands but `thrum check`, and the options of the small ones.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/boolean_program.hpp"
#include "cli/option_row.hpp"
#include "cli/sequentialize.hpp"
#include "cli/vm_library.hpp"

namespace thrum {

// Of replay and show.
struct TraceOptions {
  std::string trace;
  std::uint64_t schedule = 0;
  bool leaks = false;
  std::string threads = "auto";
  std::string engine;
  std::string json;
  std::string progress = "auto";
  bool unfolded = false;
  std::string color = "auto";
};

struct PlotOptions {
  std::vector<std::string> results;
  std::string picture;
};

struct FlagsOptions {
  std::string step;
  std::string compiler;  // empty: the one that the driver for C++ runs
};

// Each makes a text of the manual (manual.hpp).
struct ManualOptions {
  bool markdown = false;
  bool man = false;
  bool bash = false;
};

std::span<const OptionRow<BoolOptions>> bool_check_rows();
std::span<const OptionRow<FromCOptions>> bool_from_c_rows();
std::span<const OptionRow<SequentializeOptions>> sequentialize_rows();
std::span<const OptionRow<TraceOptions>> replay_rows();
std::span<const OptionRow<TraceOptions>> show_rows();
std::span<const OptionRow<PlotOptions>> plot_rows();
std::span<const OptionRow<FlagsOptions>> flags_rows();
std::span<const OptionRow<VmLibraryOptions>> vm_library_rows();
std::span<const OptionRow<ManualOptions>> manual_rows();

}  // namespace thrum

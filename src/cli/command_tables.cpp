// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/command_tables.hpp"

#include "cli/options.hpp"

namespace thrum {

namespace {

constexpr const char* kColours = "auto|always|never";
constexpr const char* kColoursHelp = "Colours in the report. auto: on a terminal, unless NO_COLOR is set";
constexpr const char* kJsonHelp =
    "Write the result as JSON to this file; -: to standard output, and nothing else there";
constexpr const char* kExhaustedHelp = "Exit with 3 if a limit ended the search";
constexpr const char* kBitsHelp = "For C: the bits of integers, of types that have more";

constexpr OptionRow<BoolOptions> kBoolCheckRows[] = {
    {.names = "--contexts",
     .value = "N",
     .member = &BoolOptions::contexts,
     .range = {0, UINT32_MAX},
     .help = "Stop after so many contexts; 0: no limit"},
    {.names = "--threads",
     .value = "NAME,...",
     .member = &BoolOptions::threads,
     .help = "The procedures that run as threads from the beginning"},
    {.names = "--init",
     .value = "CONFIGURATION",
     .member = &BoolOptions::first,
     .help = "For FILE.pds: its first configuration, such as '0|1,9'; without it FILE.init says it"},
    {.names = "--target",
     .value = "CONFIGURATION",
     .member = &BoolOptions::target,
     .help = "For FILE.pds: the configuration that is searched for, such as '20|23,-'; without it FILE.spec "
             "says it"},
    {.names = "--label",
     .value = "NAME|asserts",
     .member = &BoolOptions::labels,
     .help = "What is an error: a label, or 'asserts' (repeatable)"},
    {.names = "--engine",
     .value = "pushdown|explicit",
     .member = &BoolOptions::engine,
     .help = "pushdown: exact; explicit: lists states, with bounded stacks"},
    {.names = "--time",
     .value = "SECONDS",
     .member = &BoolOptions::seconds,
     .range = kSeconds,
     .help = "Stop after so many seconds; 0: no limit"},
    {.names = "--search-memory",
     .value = "SIZE",
     .member = &BoolOptions::memory,
     .help = "The memory of the search"},
    {.names = "--depth",
     .value = "N",
     .member = &BoolOptions::depth,
     .range = {1, UINT32_MAX},
     .help = "For --engine explicit: the frames of a stack"},
    {.names = "--threads-max",
     .value = "N",
     .member = &BoolOptions::threads_max,
     .range = {1, 255},
     .help = "For --engine explicit: the threads of an execution, those that have ended included"},
    {.names = "--out", .value = "DIR", .member = &BoolOptions::out, .help = "The folder of the trace file"},
    {.names = "--json", .value = "FILE", .member = &BoolOptions::json, .help = kJsonHelp},
    {.names = "--require-exhausted", .member = &BoolOptions::require_exhausted, .help = kExhaustedHelp},
    {.names = "--color", .value = kColours, .member = &BoolOptions::color, .help = kColoursHelp},
    {.names = "--bits", .value = "N", .member = &BoolOptions::bits, .range = {2, 64}, .help = kBitsHelp},
};

constexpr OptionRow<FromCOptions> kFromCRows[] = {
    {.names = "-o,--output",
     .value = "OUT.bp",
     .member = &FromCOptions::out,
     .help = "Write the program to this file; without it to standard output"},
    {.names = "--bits", .value = "N", .member = &FromCOptions::bits, .range = {2, 64}, .help = kBitsHelp},
    {.names = "-I,--include",
     .value = "FOLDER",
     .member = &FromCOptions::include_folders,
     .help = "A folder with headers (repeatable)"},
};

constexpr OptionRow<SequentializeOptions> kSequentializeRows[] = {
    {.names = "-o,--output",
     .value = "OUT.c",
     .member = &SequentializeOptions::out,
     .help = "Write the sequential program to this file; without it to standard output"},
    {.names = "--rounds",
     .value = "N",
     .member = &SequentializeOptions::rounds,
     .range = {1, 200},
     .help = "Round-robin rounds; without it, by KISS, threads run as calls",
     .default_text = ""},
    {.names = "--eager",
     .member = &SequentializeOptions::eager,
     .help = "Rounds by copies of the shared variables, guessed and then compared"},
    {.names = "--normal-form",
     .member = &SequentializeOptions::normal_form,
     .help = "Write only the normal form, which still has its threads"},
    {.names = "--pending",
     .value = "N",
     .member = &SequentializeOptions::pending,
     .range = {0, 200},
     .help = "KISS: so many threads may wait for their start; others run at once"},
    {.names = "--threads-max",
     .value = "N",
     .member = &SequentializeOptions::threads_max,
     .range = {1, 200},
     .help = "The threads of an execution, main included"},
    {.names = "--race",
     .value = "VAR|TYPE.FIELD",
     .member = &SequentializeOptions::race,
     .help = "Search for data races on a variable or a field"},
    {.names = "--compile-flags",
     .value = "FLAGS",
     .member = &SequentializeOptions::compile_flags,
     .help = "Flags of the compiler, such as '-DN=2 -Iinclude'"},
    {.names = "--checker",
     .value = "NAME|COMMAND",
     .member = &SequentializeOptions::checker,
     .help = "What checks the sequential program: thrum, bool, clang-analyzer, gcc-analyzer, frama-c, or a "
             "command line in which {} is the file"},
    {.names = "--pattern",
     .value = "REGEX",
     .member = &SequentializeOptions::pattern,
     .help = "What the command line of --checker prints where the program fails, as a regular expression; a "
             "first group is the line"},
    {.names = "--time",
     .value = "SECONDS",
     .member = &SequentializeOptions::seconds,
     .range = kSeconds,
     .help = "Stop the checker after so many seconds; 0: no limit"},
    {.names = "--out",
     .value = "DIR",
     .member = &SequentializeOptions::trace_folder,
     .help = "The folder of traces"},
    {.names = "--json", .value = "FILE", .member = &SequentializeOptions::json, .help = kJsonHelp},
    {.names = "--require-exhausted",
     .member = &SequentializeOptions::require_exhausted,
     .help = kExhaustedHelp},
    {.names = "--color", .value = kColours, .member = &SequentializeOptions::color, .help = kColoursHelp},
};

constexpr OptionRow<TraceOptions> kColourRow = {
    .names = "--color", .value = kColours, .member = &TraceOptions::color, .help = kColoursHelp};

constexpr OptionRow<TraceOptions> kReplayRows[] = {
    {.names = "--schedule",
     .value = "N",
     .member = &TraceOptions::schedule,
     .range = kPositive,
     .help = "Of a suite, run only the schedule of this number",
     .default_text = "all"},
    {.names = "--leaks",
     .member = &TraceOptions::leaks,
     .help = "Lost memory is a bug, also where it is not known whether another schedule frees it"},
    {.names = "--threads",
     .value = "auto|fibers|system",
     .member = &TraceOptions::threads,
     .help = "What the program's threads are, as for thrum check"},
    {.names = "--engine",
     .value = "native|vm",
     .member = &TraceOptions::engine,
     .help = "What runs the program, as for thrum check",
     .default_text = "that of the trace"},
    {.names = "--json", .value = "FILE", .member = &TraceOptions::json, .help = kJsonHelp},
    {.names = "--progress",
     .value = "auto|always|never",
     .member = &TraceOptions::progress,
     .help = "Tell on standard error how far a suite is, as for thrum check"},
    {.names = "--gdb", .group = ""},
    kColourRow,
};

constexpr OptionRow<TraceOptions> kShowRows[] = {
    {.names = "--all", .member = &TraceOptions::unfolded, .help = "Show every operation, nothing folded"},
    kColourRow,
};

constexpr OptionRow<PlotOptions> kPlotRows[] = {
    {.names = "--out",
     .value = "FILE.svg",
     .member = &PlotOptions::picture,
     .help = "Draw the picture into this file"},
};

constexpr OptionRow<FlagsOptions> kFlagsRows[] = {
    {.names = "--compiler",
     .value = "gcc|clang",
     .member = &FlagsOptions::compiler,
     .help = "The compiler; without it the one that thrum c++ runs"},
};

constexpr OptionRow<VmLibraryOptions> kVmLibraryRows[] = {
    {.names = "--where",
     .member = &VmLibraryOptions::where,
     .help = "Only print where the library lies; exit with 1 if it is not there"},
    {.names = "--sources",
     .value = "FOLDER",
     .member = &VmLibraryOptions::sources,
     .help = "The folder in which gcc-N/ lies, with the sources of GCC as the package gcc-N-source has them"},
    {.names = "--jobs",
     .value = "N",
     .member = &VmLibraryOptions::jobs,
     .range = {1, kJobsMax},
     .help = "Run so many compilers at a time",
     .default_text = "all processors"},
};

constexpr OptionRow<ManualOptions> kManualRows[] = {
    {.names = "--markdown", .member = &ManualOptions::markdown, .help = "As a page of Markdown"},
    {.names = "--man", .member = &ManualOptions::man, .help = "As a man page"},
    {.names = "--bash", .member = &ManualOptions::bash, .help = "As a script for bash, which completes them"},
};

}  // namespace

std::span<const OptionRow<BoolOptions>> bool_check_rows() { return kBoolCheckRows; }
std::span<const OptionRow<FromCOptions>> bool_from_c_rows() { return kFromCRows; }
std::span<const OptionRow<SequentializeOptions>> sequentialize_rows() { return kSequentializeRows; }
std::span<const OptionRow<TraceOptions>> replay_rows() { return kReplayRows; }
std::span<const OptionRow<TraceOptions>> show_rows() { return kShowRows; }
std::span<const OptionRow<PlotOptions>> plot_rows() { return kPlotRows; }
std::span<const OptionRow<FlagsOptions>> flags_rows() { return kFlagsRows; }
std::span<const OptionRow<VmLibraryOptions>> vm_library_rows() { return kVmLibraryRows; }
std::span<const OptionRow<ManualOptions>> manual_rows() { return kManualRows; }

}  // namespace thrum

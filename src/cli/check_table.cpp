// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of the options of `thrum check`. The manual prints it in this order.
#include "cli/option_row.hpp"
#include "cli/options.hpp"
#include "model/policy.hpp"

namespace thrum {

namespace {

using Row = OptionRow<CheckOptions>;
using O = CheckOptions;

constexpr AtResume kMayChange = AtResume::may_change;
constexpr AtResume kMustEqual = AtResume::must_equal;

constexpr const char* kSearch = "Which schedules are run";
constexpr const char* kLimits = "Limits";
constexpr const char* kProgram = "The program and how it runs";
constexpr const char* kBugs = "Bugs";
constexpr const char* kOutput = "Output";
constexpr const char* kCheckpoints = "Long searches";
constexpr const char* kNone = "";

constexpr Row kRows[] = {
    {.names = "--strategy",
     .value = "NAME",
     .member = &O::strategy,
     .at_resume = kMustEqual,
     .group = kSearch,
     .help = "How the search chooses the next schedule; thrum strategies lists the names",
     .field = "strategy"},
    {.names = "--bound",
     .value = "BOUND",
     .member = &O::bound,
     .at_resume = kMustEqual,
     .group = kSearch,
     .help =
         "Run only schedules with at most so many preemptions (preemptions=N) or delays (delays=N), and "
         "executions in which no thread comes to the same yield more than N times (yields=N); two of them "
         "with a comma between them; with --state-cache also schedules of at most N steps (depth=N); none: "
         "no "
         "bound",
     .field = "bound"},
    {.names = "--fair",
     .value = "auto|on|off",
     .member = &O::fair,
     .at_resume = kMustEqual,
     .group = kSearch,
     .help =
         "Scheduling of threads that yield in a loop. on: such a thread waits for those that starve "
         "meanwhile; off: it may go on for ever; auto: on as soon as a thread starves, where the strategy "
         "permits it",
     .field = "fair"},
    {.names = "--waiting",
     .value = "repeat|block|await|merge",
     .member = &O::waiting,
     .at_resume = kMustEqual,
     .group = kSearch,
     .help =
         "Which rounds of waiting loops a reduction without a bound leaves out. repeat: none; block: those "
         "behind one that came to nothing; await: also each that is known to come to nothing; merge: also "
         "reads that lead where a later read would have led",
     .field = "waiting"},
    {.names = "--seed",
     .value = "N",
     .member = &O::seed,
     .range = {0, UINT64_MAX},
     .at_resume = kMustEqual,
     .group = kSearch,
     .help = "The seed of everything random",
     .field = "seed"},
    {.names = "--depth",
     .value = "N",
     .member = &O::depth,
     .range = {1, kPctDepthMax},
     .at_resume = kMustEqual,
     .group = kSearch,
     .help = "For --strategy pct: the number of orders of two events that a bug needs together",
     .field = "depth"},
    {.names = "--priority",
     .value = "A,B,...",
     .member = &O::priority,
     .at_resume = kMustEqual,
     .group = kSearch,
     .help =
         "For best-first search: which schedules are run first, of pb, db, dpor, mdpor, ss, rand, method, "
         "var; the next one in the list decides where one does not",
     .default_text = "mdpor,pb; best-first-dpor: mdpor,db",
     .field = "priority"},
    {.names = "--focus-method",
     .value = "NAME",
     .member = &O::focus_methods,
     .at_resume = kMustEqual,
     .group = kSearch,
     .help = "A function for the priority method, such as push or Queue::push (repeatable)"},
    {.names = "--focus-var",
     .value = "NAME",
     .member = &O::focus_variables,
     .at_resume = kMustEqual,
     .group = kSearch,
     .help = "A global variable for the priority var (repeatable)"},
    {.names = "--jobs",
     .value = "N",
     .member = &O::jobs,
     .range = {1, kJobsMax},
     .group = kSearch,
     .help = "How many processes search at once",
     .default_text = "one for each processor"},
    {.names = "--engine",
     .value = "native|vm",
     .member = &O::engine,
     .at_resume = kMustEqual,
     .group = kSearch,
     .help = "What runs the program. native: the compiled program itself; vm: an interpreter of the bitcode "
             "that it carries (thrum c++ --bitcode), for which source files are compiled so"},
    {.names = "--state-cache",
     .member = &O::state_cache,
     .at_resume = kMustEqual,
     .group = kSearch,
     .help =
         "With --engine vm: visit each state of the program once, by --strategy icb (the default), dfs or "
         "bfs. Programs that never end are searched to the end if they have finitely many states"},
    {.names = "--state-curves",
     .value = "N",
     .member = &O::state_curves,
     .range = {0, 1e9},
     .at_resume = kMustEqual,
     .group = kSearch,
     .help = "With --state-cache: after the search, how many states N executions come to that are chosen by "
             "icb, dfs, "
             "random and depth-bounded search, and know nothing of each other (--plot draws it)"},
    {.names = "--symmetry",
     .value = "heap|none",
     .member = &O::symmetry,
     .at_resume = kMustEqual,
     .group = kSearch,
     .help =
         "With --state-cache: which states are one. heap: those that differ only in where blocks of the heap "
         "lie, as long as the program does nothing that depends on it; none: equal ones only"},

    {.names = "--time",
     .value = "SECONDS",
     .member = &O::time_seconds,
     .range = kSeconds,
     .group = kLimits,
     .help = "The time of the search, of all tests together; 0: no limit"},
    {.names = "--time-per-test",
     .value = "SECONDS",
     .member = &O::time_per_test_seconds,
     .range = {0.001L, 1e9},
     .group = kLimits,
     .help = "The time of each test; without it the tests share --time. Without --time there is no limit for "
             "all tests together",
     .default_text = "",
     .field = "time"},
    {.names = "--executions",
     .value = "N",
     .member = &O::executions,
     .range = kAnyCount,
     .group = kLimits,
     .help = "End the search after so many executions; 0: no limit",
     .field = "executions"},
    {.names = "--steps",
     .value = "N",
     .member = &O::steps,
     .range = kPositive,
     .at_resume = kMustEqual,
     .group = kLimits,
     .help = "Cut an execution after so many instrumented operations",
     .field = "steps"},
    {.names = "--hang",
     .value = "SECONDS",
     .member = &O::hang_seconds,
     .range = {1, 1'000'000},
     .at_resume = kMustEqual,
     .group = kLimits,
     .help = "So many seconds of an execution without an instrumented operation are a bug",
     .field = "hang"},
    {.names = "--program-memory",
     .value = "SIZE",
     .member = &O::program_memory,
     .at_resume = kMayChange,
     .group = kLimits,
     .help = "Cut an execution in which the program has more memory than this",
     .field = "program_memory"},
    {.names = "--search-memory",
     .value = "SIZE",
     .member = &O::search_memory,
     .at_resume = kMayChange,
     .group = kLimits,
     .help = "Memory for schedules that wait to be run; the rest of them is kept in a temporary file"},
    {.names = "--require-exhausted",
     .member = &O::require_exhausted,
     .group = kLimits,
     .help = "Exit with 3 if a limit of time or executions ended the search",
     .field = "require_exhausted"},

    {.names = "--test",
     .value = "GLOB",
     .member = &O::tests,
     .at_resume = kMustEqual,
     .group = kProgram,
     .help = "Check only the tests of such names; * and ? match anything (repeatable)"},
    {.names = "--list-tests",
     .member = &O::list_tests,
     .group = kProgram,
     .help = "Print the names of the tests, and search nothing"},
    {.names = "--compile-flags",
     .value = "FLAGS",
     .member = &O::compile_flags,
     .at_resume = kMustEqual,
     .group = kProgram,
     .help = "Flags for the compiler, where source files are given; they follow -O1 -g and the language's "
             "standard"},
    {.names = "--memory-model",
     .value = "sc",
     .member = &O::memory_model,
     .at_resume = kMustEqual,
     .group = kProgram,
     .help = "The memory model of atomic operations; sc: sequential consistency",
     .later = "tso|pso|ra|rc11|c11"},
    {.names = "--heap",
     .value = "lifo|fresh|both",
     .member = &O::heap,
     .at_resume = kMustEqual,
     .group = kProgram,
     .help =
         "Which memory the program's allocations get. lifo: memory that was freed last; fresh: memory that "
         "was never used; both: a search with each",
     .field = "heap"},
    {.names = "--threads",
     .value = "auto|fibers|system",
     .member = &O::threads,
     .at_resume = kMustEqual,
     .group = kProgram,
     .help = "What the program's threads are. fibers: fibers of one system thread; system: system threads, "
             "which debuggers see; auto: fibers, where the machine supports them"},
    {.names = "--early-timeouts",
     .value = "SECONDS",
     .member = &O::early_timeouts_seconds,
     .range = kSeconds,
     .at_resume = kMustEqual,
     .group = kProgram,
     .help =
         "Timed waits, sleeps and timers of at most so many seconds of virtual time may end early; longer "
         "ones end only where nothing else can go on",
     .field = "early_timeouts"},
    {.names = "--spurious",
     .member = &O::spurious,
     .at_resume = kMustEqual,
     .group = kProgram,
     .help = "Condition variables may also wake up for no reason",
     .field = "spurious"},

    {.names = "--races",
     .value = "report|explore|ignore",
     .member = &O::races,
     .at_resume = kMustEqual,
     .group = kBugs,
     .help = "report: a data race is a bug; explore: it is a bug, and then the search also switches threads "
             "before its accesses; ignore: data races and wrong uses of memory are not searched for",
     .field = "races"},
    {.names = "--no-leads-to",
     .member = &O::no_leads_to,
     .group = kBugs,
     .help =
         "Do not search for the consequences of a data race, which takes a tenth of the time, at most 2 s"},
    {.names = "--leaks",
     .member = &O::leaks,
     .at_resume = kMustEqual,
     .group = kBugs,
     .help =
         "Memory that an execution allocates on the heap, and to which nothing points at its end, is a bug",
     .field = "leaks"},
    {.names = "--keep-going",
     .member = &O::keep_going,
     .at_resume = kMustEqual,
     .group = kBugs,
     .help = "Do not stop at the first bug; report each distinct one",
     .field = "keep_going"},
    {.names = "--baseline",
     .value = "RESULT.json",
     .member = &O::baseline,
     .at_resume = kMayChange,
     .is_input = true,
     .group = kBugs,
     .help = "An earlier result (--json): exit with 1 only for bugs that it does not contain; implies "
             "--keep-going"},
    {.names = "--suppressions",
     .value = "FILE",
     .member = &O::suppressions,
     .at_resume = kMayChange,
     .is_input = true,
     .group = kBugs,
     .help = "Bugs that are not reported, in ThreadSanitizer's syntax (race:, race_top:, mutex:, deadlock:, "
             "called_from_lib:) and LeakSanitizer's (leak:); implies --keep-going"},

    {.names = "--out",
     .value = "DIR",
     .member = &O::out,
     .at_resume = kMayChange,
     .group = kOutput,
     .help = "The folder of trace files"},
    {.names = "--suite",
     .value = "FILE",
     .member = &O::suite,
     .group = kOutput,
     .help =
         "For --strategy unfolding: write the schedules that together show every state of each thread into "
         "this file; thrum replay runs them all as a test of the program"},
    {.names = "--json",
     .value = "FILE",
     .member = &O::json,
     .group = kOutput,
     .help = "Write the result as JSON to this file; -: to standard output, and nothing else there"},
    {.names = "--progress",
     .value = "auto|always|never",
     .member = &O::progress,
     .group = kOutput,
     .help = "Tell on standard error how far the search is. auto: in one line on a terminal, else in a line "
             "after 10 s, 20 s, 40 s, ...; always: else from the first second on; never"},
    {.names = "--color",
     .value = "auto|always|never",
     .member = &O::color,
     .group = kOutput,
     .help = "Colours in the report. auto: on a terminal, unless NO_COLOR is set"},
    {.names = "--assumptions",
     .member = &O::assumptions,
     .group = kOutput,
     .help = "The report says in full what was assumed, also what every check assumes"},
    {.names = "--statistics",
     .member = &O::statistics,
     .group = kOutput,
     .help = "The report says how many executions each number of preemptions had"},
    {.names = "--count-classes",
     .member = &O::count_classes,
     .at_resume = kMustEqual,
     .group = kOutput,
     .help = "Count the executions that differ in more than the order of independent operations; the search "
             "is slower for it (dpor with one worker counts them anyway)"},
    {.names = "--coverage",
     .value = "local-states|values",
     .member = &O::coverage,
     .at_resume = kMustEqual,
     .group = kOutput,
     .help =
         "Count what executions have met. local-states: states that threads are in, each with all that led "
         "there; values: what threads have read, each value behind those before it; the search is slower for "
         "it"},
    {.names = "--plot",
     .value = "FILE.svg",
     .member = &O::plot,
     .group = kOutput,
     .help = "Draw a picture into this file: coverage by the bound, and classes by executions, also "
             "local states or values with --coverage; implies --count-classes"},
    {.names = "--decisions",
     .member = &O::decisions,
     .group = kOutput,
     .help = "For --strategy mcr: the report lists the reads that gave several values, with these, and says "
             "whether others are possible"},
    {.names = "--plot-unfolding",
     .value = "FILE.svg",
     .member = &O::plot_unfolding,
     .group = kOutput,
     .help = "For --strategy unfolding and unfolding-replicated: draw the events of the unfolding into this "
             "file; of more than 200 the first 200"},

    {.names = "--checkpoint",
     .value = "FILE",
     .member = &O::checkpoint,
     .group = kCheckpoints,
     .help =
         "Save the state of the search in this file from time to time, and when a limit or Ctrl-C ends it"},
    {.names = "--checkpoint-interval",
     .value = "SECONDS",
     .member = &O::checkpoint_seconds,
     .range = kSeconds,
     .at_resume = kMayChange,
     .group = kCheckpoints,
     .help = "The time from one checkpoint to the next"},
    {.names = "--resume",
     .value = "FILE",
     .member = &O::resume,
     .group = kCheckpoints,
     .help = "Continue the search of such a file, with its program, arguments and options; --time begins "
             "at 0 again, --executions also counts the earlier executions"},

    // For tests and benchmarks.
    // The whole search so many times.
    {.names = "--repeat", .value = "N", .member = &O::repeat, .range = kPositive, .group = kNone},
    // Each execution from the beginning.
    {.names = "--no-waypoints", .member = &O::no_waypoints, .group = kNone},
    // Each execution is judged for races.
    {.names = "--judge-all", .member = &O::judge_all, .group = kNone},
    // As on machines that do not let programs change the FS base.
    {.names = "--no-fsgsbase", .member = &O::no_fsgsbase, .group = kNone},
    // A digest of all events of the search.
    {.names = "--trace-digest", .member = &O::trace_digest, .at_resume = kMustEqual, .group = kNone},
    // For scripts/tree-memory.
    {.names = "--measure-tree", .member = &O::measure_tree, .group = kNone},
    // In a checkpoint: the names of the options that the command line gave.
    {.names = "--given", .value = "NAME", .member = &O::given, .at_resume = kMayChange, .group = kNone},
    {.names = "--isolate", .value = "WORD", .group = kNone},
};

}  // namespace

std::span<const OptionRow<CheckOptions>> check_rows() { return kRows; }

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The supervisor's job for a worker, and the worker's report. Both are passed as bytes through the channel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "campaign/explore.hpp"
#include "campaign/strategies.hpp"
#include "model/plan.hpp"
#include "model/program_names.hpp"
#include "model/waiting_loop.hpp"

namespace thrum {

enum class Heap : std::uint8_t {
  lifo,   // a freed block is reused next by the thread that freed it
  fresh,  // a freed block is never reused
};

// How the program's threads are implemented.
enum class Threads : std::uint8_t {
  fibers,  // of one system thread
  system,  // system threads, one of which runs at a time
};

// The treatment of data races.
enum class Races : std::uint8_t {
  report,   // a race is a bug
  explore,  // the same, and then its accesses are visible operations
  ignore,   // races are not searched for
};

// What is done about a reduced test suite, in the file that the board names.
enum class SuiteUse : std::uint8_t {
  none,
  record,  // the search writes the schedules that its strategy chooses into the file
  replay,  // no search: the schedules in the file run, one after the other, until one fails
};

struct Job {
  std::string strategy = "auto";
  StrategySettings settings;
  std::string temporary_folder = "/tmp";  // for data that does not fit into memory
  // Functions and variables of the executable that priorities need.
  std::vector<OffsetRange> focus_code;
  std::vector<OffsetRange> focus_data;
  std::uint64_t executions = 0;                      // 0: no limit
  std::uint64_t steps = 1'000'000;                   // instrumented operations of one execution
  std::uint64_t program_memory = ~std::uint64_t{0};  // bytes that the program may have in one execution
  std::uint32_t hang_seconds = 10;                   // without an instrumented operation: a bug
  std::uint64_t early_timeouts_ns = 10'000'000'000;  // longer waits time out only if nothing else can go on
  std::uint32_t yields = 0;                          // of a thread at one place in one execution; 0: no bound
  std::uint64_t repeat = 1;  // runs of the whole search, for benchmarks; each must have as many executions
  bool keep_going = false;
  Heap heap = Heap::lifo;
  Races races = Races::report;
  bool leaks = false;                 // a lost heap block is a bug
  Fairness fairness = Fairness::off;  // watch: turned on once it is seen to be needed
  bool spurious = false;              // condition waits may end without a reason
  bool state_cache = false;           // each state is visited once; REQUIRES: the worker runs bitcode
  std::uint64_t state_curves = 0;     // executions of each order; 0: none (stateful/state_curves.hpp)
  bool heap_symmetry = true;          // states that differ only in where blocks lie are one
  std::optional<std::uint32_t> state_depth = {};  // steps of a schedule then; nothing: no bound
  Threads threads = Threads::fibers;              // if the worker can have them; else system
  bool count_classes = false;                     // Limits::count_classes
  bool keeps_classes = false;                     // Limits::keeps_classes
  bool count_local_states = false;                // Limits::count_local_states
  bool count_values = false;                      // Limits::count_values
  bool waypoints = true;       // executions may begin at waypoints (runtime/shortcuts/waypoints.hpp)
  bool trusts_classes = true;  // executions of judged classes may be trusted (runtime/judge/judging.hpp)
  bool fsgsbase = true;        // may be used if the machine has it (runtime/base/fiber.hpp)
  bool digest_traces = false;  // Report::trace_digest is wanted
  // The name, as it was announced, of the one test to be checked. Empty: if the program announces tests, it
  // ends with their names; else the program is one test.
  std::string test;
  std::uint32_t part = 0;  // of a test that its framework runs in several parts, one after the other
  bool only_list = false;  // nothing is searched: a program without tests ends at its first choice
  std::vector<KnownRace> known_races;  // for Races::explore: the initial list
  bool has_solver = false;  // `auto` may have a member that the supervisor leads (remote_strategy.hpp)
  bool led = false;         // plans come from outside (remote_program.hpp); no strategy runs here
  SuiteUse suite = SuiteUse::none;
  std::optional<Plan> replay;  // run only this plan, once, with everything recorded and its output shown
  // For a worker that interprets the program: the bitcode of the C++ library and of C functions, which is
  // linked to the program in this order. Empty: it is not there.
  std::string cpp_bitcode;
  std::string c_bitcode;
};

void write_job(ByteWriter& out, const Job& job, const ThreadNames& names);
std::optional<Job> read_job(ByteReader& in, ThreadNames& names);  // nothing if the bytes are no job

// An executable or shared library in the worker. Place::owner counts them from 0.
struct Module {
  std::string path;
  bool instrumented = false;  // was built with the driver
  // Where it was: what is added to the addresses of its file, and its addresses in the process.
  std::uint64_t bias = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// Something that weakens the result, or that the user should know.
struct Note {
  std::string kind;  // as in the JSON result's assumptions: "weaker-atomics", "uncontrolled-call", ...
  std::uint64_t count = 0;
  std::string text;
  bool uncontrolled = false;   // the search's result is inconclusive because of it
  std::vector<Place> stack{};  // the place of the first time: return addresses, innermost first; may be empty
};

// A condition that is no bug, but that the user should know of.
struct Warning {
  std::string kind;         // as in the JSON result's warnings: "lock-order", "blocked-at-exit"
  std::uint64_t count = 0;  // executions that showed it, among those examined
  // Parts of traces with everything recorded. lock-order: for each thread of the cycle, how it acquired the
  // lock that it holds, and the lock that it wants. blocked-at-exit: the threads, in others.
  std::vector<Trace> evidence;
};

// The note on a wait that is too long to time out while other threads can go on. Its text is the length in
// words; its count says how often the wait was seen to time out.
inline constexpr const char* kLateWait = "late-timeouts";

// The note on an invalid call of one of Thrum's own functions. Its text tells the user what is wrong, in one
// line.
inline constexpr const char* kWrongUse = "wrong-use";

// The note on inputs of many values. Its count is the number of vectors that were tried.
inline constexpr const char* kSomeInputs = "inputs-fixed";

// A test of the program, announced by a framework or by thrum::check().
struct AnnouncedTest {
  std::string name;
  std::vector<std::string> options;  // given by its code, as words of the command line: "--strategy=pct"
};

// How the schedules of a suite ran (SuiteUse::replay). They are numbered from 1.
struct SuiteRun {
  // A schedule that the program could not follow, or that came to an end of another kind than it had.
  struct Departed {
    std::uint64_t schedule = 0;
    std::uint32_t departure = 0;  // of its plan, the first that was not met; their number: all were met
    End end = End::diverged;      // of its execution now
  };
  std::uint64_t run = 0;  // schedules, the failed one among them
  std::vector<Departed> departed;
  std::vector<std::uint64_t> changed;  // that ended well, by other operations than then
  std::uint64_t failed = 0;            // the schedule that showed a bug, and was the last to run; 0: none
  bool leaks = false;  // that bug is a leak, which it alone may not show: another schedule frees every block
};

struct Report {
  SearchResult result;
  bool started_threads = false;  // false: the program ended before its first choice; one execution
  Threads threads = Threads::fibers;
  std::uint64_t trace_digest = 0;  // of all events of all executions; 0: not asked for
  std::vector<Module> modules;
  std::vector<Note> notes;
  std::vector<Warning> warnings;
  std::vector<WaitingLoop> loops;                   // that the worker has met
  std::optional<Trace> replayed;                    // for Job::replay
  std::uint32_t unmet = 0;                          // departures of its plan that were not met
  std::optional<SuiteRun> suite;                    // for SuiteUse::replay
  std::optional<std::vector<AnnouncedTest>> tests;  // of the program; if set, nothing was searched
  std::string part_name;                            // of the requested part; may be empty
  bool part_missing = false;   // the test has no such part, or never reaches it: nothing was searched
  bool may_have_more = false;  // there is another part, or this could not be determined
  std::uint64_t executions_skipped = 0;  // executions that the test itself ended as skipped
  std::string skip_reason;               // the reason that the first of them gave
  std::string alone;                     // why only one worker could search; empty: several could
  // Why the search could not be resumed, or the program not be run, in one line; nothing was run. Empty: it
  // could.
  std::string refused;
  // Of a program that was interpreted: the names of its places. A module's debug information has the others.
  ProgramNames names;
};

void write_report(ByteWriter& out, const Report& report, const ThreadNames& names);
std::optional<Report> read_report(ByteReader& in, ThreadNames& names);

// A single bug, for the ledger (ledger.hpp).
void write_bug(ByteWriter& out, const FoundBug& bug, const ThreadNames& names);
std::optional<FoundBug> read_bug(ByteReader& in, ThreadNames& names);

void write_trace(ByteWriter& out, const Trace& trace, const ThreadNames& names);
std::optional<Trace> read_trace(ByteReader& in, ThreadNames& names);

// Parts of a report, for a search that is saved and resumed in another process.
struct ReportSoFar {
  SearchResult before;  // of searches before this one began again
  SearchResult result;
  std::vector<Note> notes;
  std::vector<Place> weaker_atomics;
  std::vector<KnownRace> known_races;
};

void write_so_far(ByteWriter& out, const ReportSoFar& value, const ThreadNames& names);
std::optional<ReportSoFar> read_so_far(ByteReader& in, ThreadNames& names);

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the supervisor asks of a worker, and what the worker answers. Both pass as bytes through the channel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "campaign/explore.hpp"
#include "campaign/strategies.hpp"
#include "model/plan.hpp"

namespace thrum {

enum class Heap : std::uint8_t {
  lifo,   // a freed block is reused next by the thread that freed it
  fresh,  // a freed block is never reused
};

// What the program's threads are.
enum class Threads : std::uint8_t {
  fibers,  // of one system thread
  system,  // system threads, one of which runs at a time
};

// What comes of data races.
enum class Races : std::uint8_t {
  report,   // one is a bug
  explore,  // likewise, and then its accesses are visible operations
  ignore,   // they are not looked for
};

struct Job {
  std::string strategy = "auto";
  StrategySettings settings;
  std::string temporary_folder = "/tmp";  // for what the search cannot keep in memory
  // Parts of the executable that priorities ask for: of its code, and of its variables.
  std::vector<OffsetRange> focus_code;
  std::vector<OffsetRange> focus_data;
  std::uint64_t executions = 0;                      // 0: no limit
  std::uint64_t steps = 1'000'000;                   // instrumented operations of one execution
  std::uint64_t program_memory = ~std::uint64_t{0};  // bytes that the program may have in one execution
  std::uint32_t hang_seconds = 10;                   // without an instrumented operation: a bug
  std::uint64_t early_timeouts_ns = 10'000'000'000;  // longer waits run out only where nothing else can go on
  std::uint32_t yields = 0;                          // of a thread at one place in one execution; 0: no bound
  std::uint64_t repeat = 1;  // the whole search, so often, for benchmarks; each must take as many executions
  bool keep_going = false;
  Heap heap = Heap::lifo;
  Races races = Races::report;
  bool leaks = false;                 // a block of the heap that is lost is a bug
  Fairness fairness = Fairness::off;  // watch: on, once that is seen to be needed
  bool spurious = false;              // condition waits may end for no reason
  Threads threads = Threads::fibers;  // where the worker can have them; else system
  bool count_classes = false;         // Limits::count_classes
  bool waypoints = true;  // executions may begin where earlier ones came by (runtime/shortcuts/waypoints.hpp)
  bool trusts_classes = true;  // one execution of a class may be judged for all (runtime/judge/judging.hpp)
  bool fsgsbase = true;        // may be used, where the machine has it (runtime/base/fiber.hpp)
  bool digest_traces = false;  // Report::trace_digest is wanted
  // The one test that is to be checked, by the name that it was announced by. Empty: where the program
  // announces tests, it ends with their names; else it is one test itself.
  std::string test;
  std::uint32_t part = 0;  // of a test that its framework runs in several parts, one after another
  bool only_list = false;  // nothing is to be searched: a program without tests ends at its first choice
  std::vector<KnownRace> known_races;  // of Races::explore, where it is to begin with some
  bool led = false;            // plans come from outside (remote_program.hpp), and no strategy runs here
  std::optional<Plan> replay;  // run just this plan, once, with everything recorded, its output live
};

void write_job(ByteWriter& out, const Job& job, const ThreadNames& names);
std::optional<Job> read_job(ByteReader& in, ThreadNames& names);  // nothing where the bytes are no job

// An executable or shared library in the worker. Place::owner counts them from 0.
struct Module {
  std::string path;
  bool instrumented = false;  // was built with the driver
};

// Something that weakens what a result says, or that the user should know.
struct Note {
  std::string kind;  // as in the JSON result's assumptions: "weaker-atomics", "uncontrolled-call", ...
  std::uint64_t count = 0;
  std::string text;
  bool uncontrolled = false;   // the search's result is inconclusive because of it
  std::vector<Place> stack{};  // where, for the first time: return addresses, innermost first; may be empty
};

// Something that is no bug, and that the user should look at.
struct Warning {
  std::string kind;         // as in the JSON result's warnings: "lock-order", "blocked-at-exit"
  std::uint64_t count = 0;  // executions that showed it, of those that were looked at
  // Parts of traces with everything recorded. lock-order: for each thread of the circle how it acquired the
  // lock that it holds, and how the one that it wants. blocked-at-exit: the threads, in others.
  std::vector<Trace> evidence;
};

// Of a wait that is too long to run out while others can go on: its text is the length in words, its count
// how often it was seen to run out.
inline constexpr const char* kLateWait = "late-timeouts";

// Of a call of Thrum's own functions that cannot be: its text says to the user what is wrong, in one line.
inline constexpr const char* kWrongUse = "wrong-use";

// Of inputs of many values: its count is how many vectors of them were tried.
inline constexpr const char* kSomeInputs = "inputs-fixed";

// A test that the program has, by a framework or by thrum::check().
struct AnnouncedTest {
  std::string name;
  std::vector<std::string> options;  // that its code gives, as words of the command line: "--strategy=pct"
};

struct Report {
  SearchResult result;
  bool started_threads = false;  // false: the program ended before its first choice; one execution
  Threads threads = Threads::fibers;
  std::uint64_t trace_digest = 0;  // of all events of all executions; 0: not asked for
  std::vector<Module> modules;
  std::vector<Note> notes;
  std::vector<Warning> warnings;
  std::optional<Trace> replayed;                    // for Job::replay
  std::optional<std::vector<AnnouncedTest>> tests;  // that the program has; then nothing was searched
  std::string part_name;                            // of the part that was asked for; may be empty
  bool part_missing = false;   // the test has no such part, or never comes to it: nothing was searched
  bool may_have_more = false;  // there is another part, or that was not to be learned
  std::uint64_t executions_skipped = 0;  // that the test itself ended as skipped
  std::string skip_reason;               // what the first of them said
  std::string alone;                     // why one worker had to search; empty: several could
  std::string refused;  // not empty: why the search could not be taken up again, in one line; nothing was run
};

void write_report(ByteWriter& out, const Report& report, const ThreadNames& names);
std::optional<Report> read_report(ByteReader& in, ThreadNames& names);

// A bug by itself, for the ledger (ledger.hpp).
void write_bug(ByteWriter& out, const FoundBug& bug, const ThreadNames& names);
std::optional<FoundBug> read_bug(ByteReader& in, ThreadNames& names);

void write_trace(ByteWriter& out, const Trace& trace, const ThreadNames& names);
std::optional<Trace> read_trace(ByteReader& in, ThreadNames& names);

// Parts of a report, for a search that is put down and taken up in another process.
struct ReportSoFar {
  SearchResult before;  // of searches that had to begin anew
  SearchResult result;
  std::vector<Note> notes;
  std::vector<Place> weaker_atomics;
  std::vector<KnownRace> known_races;
};

void write_so_far(ByteWriter& out, const ReportSoFar& value, const ThreadNames& names);
std::optional<ReportSoFar> read_so_far(ByteReader& in, ThreadNames& names);

}  // namespace thrum

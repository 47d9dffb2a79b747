// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `thrum check` answers, and its JSON: the stable contract with other programs, described by
// docs/result.schema.json. Fields may be added, none renamed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace thrum {

inline constexpr char kVersion[] = "0.1.0";

// The worst of several is the greatest.
enum class Verdict { skipped, exhausted, inconclusive, bug };
const char* verdict_name(Verdict verdict);

// Where something of a bug happened. Roles: "failure", "access", "waiter", "allocation".
struct Location {
  std::string role;
  std::string thread;
  std::string file;
  std::uint32_t line = 0;
  std::string function;
};

// What a data race leads to, as far as a short search saw whose threads also switch before its accesses.
struct ConsequenceResult {
  std::uint64_t executions = 0;  // of that search
  std::string kind;              // of the failure; empty: none was found
  std::string message;
  std::vector<Location> locations;
  std::string trace;  // the path of the trace file
};

struct BugResult {
  int id = 1;
  std::string kind;
  std::string message;
  std::string fingerprint;
  std::uint32_t preemptions = 0;
  bool minimal = false;  // proved: every execution with fewer was run
  std::uint64_t execution = 0;
  double seconds = 0;
  std::string strategy;  // of several that took turns the one that found it; else empty
  std::vector<Location> locations;
  std::string trace;                          // the path of the trace file
  std::string heap;                           // how blocks were given addresses: "lifo" or "fresh"
  bool known = false;                         // stands in the baseline
  std::optional<std::uint32_t> switches;      // of threads in its schedule; nothing: not counted
  std::optional<bool> is_native = {};         // as in FoundBug (campaign/explore.hpp)
  bool switches_minimal = false;              // proved: no schedule with as few preemptions has fewer
  std::string unconfirmed;                    // why its schedule was not seen to show it again; empty: it was
  bool simplified = false;                    // its schedule is as simple as could be found
  std::string without;                        // of a leak: the trace file of an execution that has none
  std::optional<ConsequenceResult> leads_to;  // of a data race, where that was looked for
};

// A bug of an earlier result.
struct KnownBug {
  std::string test;
  std::string kind;
  std::string message;
  std::string fingerprint;
};

// What came of --baseline.
struct BaselineResult {
  std::string file;
  std::uint64_t known = 0;  // bugs that stand in it
  std::uint64_t fresh = 0;  // and that do not
  std::vector<KnownBug> not_seen;
};

// What a line of the file of --suppressions did.
struct SuppressionResult {
  std::string kind;  // "race"
  std::string pattern;
  std::uint32_t line = 0;
  std::uint64_t count = 0;  // distinct bugs that it suppressed
};

struct BoundResult {
  std::string kind;                        // "preemptions", "delays" or "yields"
  std::optional<std::uint32_t> limit;      // nothing: none
  std::optional<std::uint32_t> completed;  // nothing: not even 0
  std::string covers = "executions";       // or "local-states": docs/strategies.md, "Within a bound"
};

// Executions that did not run to their end.
struct CutResult {
  std::string kind;  // what cut them: campaign/claims.hpp
  std::uint64_t count = 0;
};

// What a randomised search says of each execution by itself.
struct ProbabilityResult {
  std::string of;                       // "bug-of-depth", "interleaving", "object-order"
  std::optional<double> per_execution;  // at least; nothing: no number can be given
  std::uint32_t depth = 0;              // these two of a bug-of-depth
  std::uint32_t threads = 0;
  std::uint64_t steps = 0;
  std::uint64_t executions = 0;  // those that it holds for
  std::string text;
};

// What a reader has to know before relying on the verdict.
struct Assumption {
  std::string kind;
  std::uint64_t count = 0;
  std::string text;
  std::vector<Location> locations{};  // where in the program, for the first time; innermost first
};

// What is no bug, and should be looked at all the same.
struct WarningResult {
  std::string kind;         // "lock-order", "blocked-at-exit"
  std::uint64_t count = 0;  // executions that showed it, of those that were looked at
  std::string text;         // without places
  std::vector<Location> locations;
  std::vector<std::string> lines;  // for people: the places in words
};

// What one search did, in numbers.
struct LevelResult {
  std::uint32_t cost = 0;
  std::uint64_t executions = 0;          // that cost exactly that
  std::optional<std::uint64_t> classes;  // seen there first; nothing: not counted
  std::uint64_t bugs = 0;                // distinct ones, found there first
  std::optional<double> completed;  // seconds until all that costs no more had been run; nothing: it was not
};

struct GrowthResult {
  std::uint64_t executions = 0;
  std::optional<std::uint64_t> classes;  // seen until then; nothing: not counted
  double seconds = 0;
  std::optional<std::uint64_t> local_states{};     // met until then; nothing: not counted
  std::optional<std::uint64_t> value_sequences{};  // the same
};

// What executions have met (--coverage).
struct CoverageResult {
  std::uint64_t count = 0;
  bool is_exact = true;
  std::uint64_t last_new = 0;  // the execution that met the last new one; 0: none did
};

struct MemberResult {
  std::string name;
  std::uint64_t executions = 0;
  std::uint64_t bugs = 0;  // distinct ones, that it found first
  double seconds = 0;
};

// A waiting loop that the search has met.
struct LoopResult {
  Location where;
  std::string kind;  // "spin", "idle-round", "block", "await", "merge", "ordinary"
  std::string text;  // how its rounds are treated, or why they are ordinary
};

// UnfoldingStatistics (search/reporting.hpp).
struct UnfoldingResult {
  std::uint64_t local_states = 0;
  std::uint64_t vain = 0;
  std::uint64_t restarts = 0;
  std::uint64_t queries = 0;
  std::uint64_t denied = 0;
  std::uint64_t pairs = 0;
  std::uint64_t bytes = 0;
};

// StatefulStatistics (search/reporting.hpp).
struct StatefulResult {
  std::uint64_t states = 0;
  std::uint64_t ends = 0;
  std::uint64_t steps = 0;
  std::uint64_t depth = 0;
  std::uint64_t blocking = 0;
  std::uint64_t preemptions = 0;
  std::uint64_t bytes = 0;
  std::uint64_t restarts = 0;
  double expected_collisions = 0;
  double seconds = 0;
  bool is_symmetric = false;
  struct Bound {
    std::uint64_t states = 0;
    std::uint64_t steps = 0;
  };
  std::vector<Bound> bounds = {};
  struct Curve {
    std::string name;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> points;  // executions, states
  };
  std::vector<Curve> curves = {};
};

// Where in the program a thread reads, and what that gave (--decisions). Reads of one place that were alike
// are one, whatever the thread.
struct ReadResult {
  Location where;
  std::string object;  // what is read, where its name is known
  std::vector<std::string> threads;
  std::vector<std::string> values;  // at most kValuesMax of them
  std::uint64_t values_count = 0;
  std::uint64_t ways = 0;       // ways there, each a decision by itself
  std::uint64_t undecided = 0;  // of the ways: nobody knows whether another value is possible; else none is
  std::string reason;           // why, if some are undecided

  static constexpr std::size_t kValuesMax = 64;
};

// Something that a thread might do, and nobody knows whether it can.
struct UndecidedResult {
  Location where;  // its thread is filled in
  std::string reason;
};

// CausalityStatistics (search/reporting.hpp).
struct CausalityResult {
  std::uint64_t decisions = 0;
  std::uint64_t shown = 0;
  std::uint64_t unreachable = 0;
  std::uint64_t undecided = 0;
  std::uint64_t nodes = 0;
  std::uint64_t states = 0;
  std::uint64_t clauses = 0;
  std::uint64_t restarts = 0;
  std::uint64_t queries = 0;
  std::uint64_t satisfiable = 0;
  std::uint64_t unsatisfiable = 0;
  std::uint64_t unknown = 0;
  double seconds = 0;
  std::vector<UndecidedResult> undecided_places{};
  std::optional<std::vector<ReadResult>> reads{};  // by place; nothing: not asked for
};

struct StatisticsResult {
  std::string cost;                      // what levels are counted by: "preemptions" or "delays"
  std::optional<std::uint64_t> classes;  // nothing: not counted
  std::uint64_t in_vain = 0;             // executions that were broken off, since they led to nothing new
  std::uint64_t waited = 0;              // executions in which a thread in a loop would have gone on later
  std::uint64_t before = 0;  // executions of searches that had to begin again; nothing else here counts them
  std::vector<LevelResult> levels;  // those that had executions
  std::vector<GrowthResult> growth;
  std::vector<MemberResult> strategies{};  // of several that took turns
  std::vector<LoopResult> loops{};
  std::optional<UnfoldingResult> unfolding{};
  std::optional<StatefulResult> stateful{};
  std::optional<CausalityResult> causality{};
  std::optional<CoverageResult> local_states{};     // nothing: not counted
  std::optional<CoverageResult> value_sequences{};  // the same
};

// What --heap both found with one of the two.
struct HeapResult {
  std::string heap;
  Verdict verdict = Verdict::inconclusive;
  std::string reason;
  bool complete = false;
  std::string guarantee;
  std::vector<BoundResult> bounds;
  std::uint64_t executions = 0;
  std::optional<StatisticsResult> statistics;
};

// What the search kept in order to go on.
struct SearchMemory {
  std::uint64_t waiting = 0;    // schedules, at the end
  std::uint64_t nodes = 0;      // of the execution tree, at the end
  std::uint64_t nodes_max = 0;  // at once
  std::uint64_t spilled = 0;    // schedules that were written to a file
  // At the end: nodes of a tree of partial schedules; steps of all schedules, each by itself; and nodes of
  // the tree where each schedule goes on to its end. 0: not measured.
  std::uint64_t uncompressed = 0;
  std::uint64_t apart = 0;
  std::uint64_t complete = 0;
  // Bytes of insertions at points that may be passed again, at the end. 0: none, and it is not written.
  std::uint64_t remembered = 0;
};

// Two runs of one schedule that were not the same.
struct DivergenceResult {
  struct Side {
    std::string thread;
    std::string operation;        // "the end" where the run had ended
    std::vector<Location> stack;  // innermost first
  };
  std::uint64_t event = 0;  // the first that differs, from 1
  Side first;
  Side second;
  std::string cause;  // a likely one
};

struct TestResult {
  std::string name = "main";
  std::string test;  // as the framework calls it, of which this may be a part; not written
  Verdict verdict = Verdict::inconclusive;
  std::string reason;
  std::string advice;  // what would help; may be empty
  std::string next;    // a command that would; may be empty
  bool complete = false;
  std::string guarantee;  // in words
  // What the search looks for, but for bounds, which say it of themselves; or "assertions":
  // docs/strategies.md, "Classes by reads-from"; or "deadlocks-and-races": docs/unfoldings.md.
  std::string covers = "executions";
  std::string memory_model = "sc";
  std::string heap;
  std::string inputs = "fixed";
  std::vector<BoundResult> bounds;
  std::vector<CutResult> cut;  // by kind, those that there are
  std::optional<ProbabilityResult> probability;
  std::vector<Assumption> assumptions;
  std::string strategy;
  std::vector<std::string> priorities;        // of best-first
  std::optional<SearchMemory> search_memory;  // nothing: the strategy keeps nothing
  std::string engine = "native";
  std::string threads = "fibers";  // what the program's threads were: fibers or system threads
  std::uint64_t executions = 0;
  std::uint64_t steps = 0;
  double seconds = 0;
  std::optional<std::uint64_t> happens_before_classes;  // nothing: not counted
  std::optional<std::string> trace_digest;              // of all events of all executions
  std::optional<StatisticsResult> statistics;           // nothing: not begun, or several heaps have their own
  int threads_max = 0;
  std::uint32_t workers = 1;                   // the most that searched at once
  std::uint64_t workers_killed = 0;            // so often, from outside; what they had done was done again
  std::string one_worker;                      // why no more than one could search; empty: more could
  std::uint64_t trusted = 0;                   // executions of classes that were judged for races before
  std::uint64_t midway = 0;                    // executions that began where an earlier one came by
  std::uint64_t audited = 0;                   // executions whose schedules were run again, to see the same
  std::optional<DivergenceResult> divergence;  // where control was lost, if it is known
  std::vector<BugResult> bugs;
  std::vector<WarningResult> warnings;
  std::vector<HeapResult> heaps;  // of --heap both
  std::uint64_t suppressed = 0;   // distinct bugs, by --suppressions

  // Of those: what hides nothing behind it. A leak ends an execution that is over anyway; a race was passed
  // over in a further search, and its accesses were visible operations.
  std::uint64_t suppressed_without_loss = 0;
  bool whole = false;      // the search ran all it was to, and nothing weakens its result
  bool bounded = false;    // by what it was to run
  bool fair_only = false;  // schedules that are not fair were left out

  // For people only.
  bool begun = true;   // false: the check ended before this test's turn
  std::string output;  // of the program, where control over it was lost
};

// What came of --checkpoint and --resume.
struct CheckpointResult {
  std::string file;
  std::optional<std::uint64_t>
      executions_before;   // of the check that was gone on with; nothing: it was begun
  bool can_go_on = false;  // something is left, and the file says where
};

// The suite of --suite.
struct SuiteResult {
  std::string file;
  std::uint64_t schedules = 0;
  bool exhausted = false;  // the search that made it was
};

struct Result {
  std::vector<std::string> command;
  std::vector<TestResult> tests;
  std::optional<BaselineResult> baseline;
  std::optional<std::vector<SuppressionResult>> suppressions;
  std::optional<CheckpointResult> checkpoint;
  std::optional<SuiteResult> suite;

  Verdict verdict() const;
};

std::string to_json(const Result& result);

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string_view>
#include <thread>

#include "cli/priority_options.hpp"
#include "verdict/error.hpp"
#include "verdict/sizes.hpp"

namespace thrum {

namespace {

constexpr int kJobsMax = 128;
constexpr std::uint32_t kHangSecondsMax = 1'000'000;
constexpr std::uint64_t kCountMax = INT64_MAX;

// Options of the contract for which nothing exists yet, each with the number of words it takes.
struct Later {
  const char* name;
  int words;
};
constexpr std::array kLater = {Later{"--isolate", 1}};

[[noreturn]] void not_yet(const std::string& what) { throw UserError(what + " is not available yet"); }

// A word of those allowed; of the others, some will be later.
void check_word(const std::string& option, const std::string& word,
                std::initializer_list<std::string_view> now, std::initializer_list<std::string_view> later) {
  if (std::find(now.begin(), now.end(), word) != now.end()) return;
  if (std::find(later.begin(), later.end(), word) != later.end()) not_yet(option + " " + word);
  std::string list;
  for (std::string_view allowed : now) list.append(list.empty() ? "" : ", ").append(allowed);
  throw UserError(option + ": '" + word + "' is unknown; it takes " + list);
}

void check_strategy(const std::string& name) {
  auto known = strategies();
  if (std::any_of(known.begin(), known.end(), [&](const StrategyRow& row) { return row.name == name; }))
    return;
  throw UserError("--strategy: '" + name + "' is unknown; thrum strategies lists what there is");
}

// The fair scheduler depends on what was run before, and schedules that are equivalent to a reduced search
// are not so to it.
void read_fairness(CheckOptions& options) {
  check_word("--fair", options.fair, {"auto", "on", "off"}, {});
  const StrategyRow* strategy = find_strategy(options.strategy);
  const bool reduces = strategy && (strategy->kind == StrategyKind::reduction ||
                                    strategy->kind == StrategyKind::bounded_reduction);
  if (options.fair == "on" && reduces) {
    throw UserError(fmt::format(
        "--fair on: the strategy {} runs one of several equivalent schedules, which may not be the fair one; "
        "take --strategy icb or dfs, or leave it out",
        options.strategy));
  }
  options.fairness = options.fair == "on"               ? Fairness::on
                     : options.fair == "off" || reduces ? Fairness::off
                                                        : Fairness::watch;
}

// "preemptions=2" -> 2, where the kind is as wanted.
std::optional<std::uint16_t> bound_of(std::string_view part, std::string_view kind) {
  if (!part.starts_with(kind) || part.substr(kind.size(), 1) != "=") return std::nullopt;
  const std::string_view number = part.substr(kind.size() + 1);
  std::uint16_t limit = 0;
  auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), limit);
  if (number.empty() || error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  return limit;
}

// Not every strategy can have a bound on what a schedule costs.
void check_cost_bound(const CheckOptions& options) {
  const StrategyRow* strategy = find_strategy(options.strategy);
  if (!strategy) return;
  if (strategy->kind == StrategyKind::randomised)
    throw UserError(fmt::format("--bound: the strategy {} has no bound; leave it out", options.strategy));
  if (strategy->kind == StrategyKind::reduction) {
    throw UserError(fmt::format(
        "--bound: with {} schedules within the bound could be missed; leave it out, or take bpor or icb",
        options.strategy));
  }
  if (strategy->kind == StrategyKind::bounded_reduction && options.settings.base == Base::round_robin) {
    throw UserError(fmt::format("--bound: {} has a bound on preemptions only; take preemptions=N, or icb",
                                options.strategy));
  }
}

// One of those that --bound lists. False where it is none, or one of its kind was given.
bool read_one_bound(CheckOptions& options, std::string_view text) {
  const std::optional<std::uint16_t> preemptions = bound_of(text, "preemptions");
  const std::optional<std::uint16_t> delays = bound_of(text, "delays");
  if (const std::optional<std::uint16_t> yields = bound_of(text, "yields")) {
    if (*yields == 0 || options.yields != 0) return false;
    options.yields = *yields;
    return true;
  }
  if ((!preemptions && !delays) || options.settings.limit) return false;
  options.settings.base = delays ? Base::round_robin : Base::nonpreemptive;
  options.settings.limit = delays ? delays : preemptions;
  check_cost_bound(options);
  return true;
}

void read_bound(CheckOptions& options) {
  options.yields = 0;
  options.settings.limit.reset();
  options.settings.base = StrategySettings().base;
  if (options.bound == "none") return;
  std::istringstream bounds(options.bound + ",");
  for (std::string one; std::getline(bounds, one, ',');) {
    if (read_one_bound(options, one)) continue;
    throw UserError(
        fmt::format("--bound: '{}' is none; it takes preemptions=N or delays=N, and yields=N (N up "
                    "to {}, yields from 1), with a comma between them, or none",
                    options.bound, UINT16_MAX));
  }
}

void add_budgets(CLI::App& app, CheckOptions& options) {
  CLI::Option* time = app.add_option("--time", options.time_seconds,
                                     "Seconds for the search, of all tests together; 0: no limit");
  time->check(CLI::Range(0.0, 1e9))->capture_default_str();
  app.add_option("--time-per-test", options.time_per_test_seconds,
                 "Seconds for each test (else the tests share --time); alone, it takes the place of --time")
      ->check(CLI::Range(0.001, 1e9))
      ->each([time, &options](const std::string&) {
        if (time->count() == 0) options.time_seconds = 0;
      });
  app.add_option("--executions", options.executions, "At most so many executions; 0: no limit")
      ->check(CLI::Range(std::uint64_t{0}, kCountMax))
      ->capture_default_str();
  app.add_option("--steps", options.steps, "At most so many instrumented operations in one execution")
      ->check(CLI::Range(std::uint64_t{1}, kCountMax))
      ->capture_default_str();
  app.add_option("--program-memory", options.program_memory,
                 "At most so much memory of the program's in one execution")
      ->type_name("SIZE")
      ->capture_default_str();
  app.add_option("--hang", options.hang_seconds,
                 "A bug: so many seconds in one execution without an instrumented operation")
      ->check(CLI::Range(std::uint32_t{1}, kHangSecondsMax))
      ->capture_default_str();
  app.add_option(
         "--early-timeouts", options.early_timeouts_seconds,
         "Timed waits, sleeps and timers of at most so many seconds of virtual time may run out early; "
         "longer ones only where nothing else can go on")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  app.add_option("--jobs", options.jobs, "Workers that search at once")
      ->check(CLI::Range(1, kJobsMax))
      ->default_str("one for each processor");
  app.add_option("--seed", options.seed, "Seed of everything random")->capture_default_str();
  app.add_option("--depth", options.depth,
                 "Of the bugs that --strategy pct is to find: how many orders of "
                 "two events must come together")
      ->check(CLI::Range(1u, kPctDepthMax))
      ->capture_default_str();
}

void add_checkpoint(CLI::App& app, CheckOptions& options) {
  app.add_option("--checkpoint", options.checkpoint,
                 "Where the state of the search goes now and then, and when a budget or Ctrl-C ends it")
      ->type_name("FILE");
  app.add_option("--checkpoint-interval", options.checkpoint_seconds, "Seconds from one to the next")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  app.add_option("--resume", options.resume,
                 "Go on where such a file says, with its program, arguments and options; --time counts anew, "
                 "--executions what was run then as well")
      ->type_name("FILE");
}

void add_statistics(CLI::App& app, CheckOptions& options) {
  app.add_option("--progress", options.progress,
                 "How far the search is, on standard error. auto: one line on a terminal; elsewhere a line "
                 "after 10 s, 20 s, 40 s, ...; always: elsewhere from the first second on; never")
      ->capture_default_str();
  app.add_flag("--statistics", options.statistics,
               "The report says how many executions each number of preemptions had");
  app.add_flag("--count-classes", options.count_classes,
               "Count the executions that differ in more than the order of independent operations; the "
               "search is slower for it (dpor counts them anyway)");
  app.add_option("--plot", options.plot,
                 "Where a picture goes: coverage by the bound, and classes by executions; implies "
                 "--count-classes")
      ->type_name("FILE.svg");
}

// What only tests and benchmarks use; no help names it.
void add_hidden(CLI::App& app, CheckOptions& options) {
  CLI::Option_group& hidden = *app.add_option_group("");
  // The same search so many times.
  hidden.add_option("--repeat", options.repeat)->check(CLI::Range(std::uint64_t{1}, kCountMax));
  // Each execution from the beginning.
  hidden.add_flag("--no-waypoints", options.no_waypoints);
  // Each execution judged for races.
  hidden.add_flag("--judge-all", options.judge_all);
  // As on machines that do not let programs change the FS base.
  hidden.add_flag("--no-fsgsbase", options.no_fsgsbase);
  // Of all events of the search.
  hidden.add_flag("--trace-digest", options.trace_digest);
  // In a checkpoint: what the command line gave, among the options that stand there.
  hidden.add_option("--given", options.given)->allow_extra_args(false);
}

}  // namespace

void add_check_options(CLI::App& app, CheckOptions& options) {
  app.add_option("inputs", options.inputs, "A program built with thrum c++, or source files")
      ->type_name("PROGRAM|FILE.c|FILE.cpp");
  app.add_option("--strategy", options.strategy, "What to run next: see thrum strategies")
      ->capture_default_str();
  app.add_option("--engine", options.engine, "native")->capture_default_str();
  app.add_option("--bound", options.bound, "preemptions=N or delays=N, yields=N, both with a comma, or none")
      ->capture_default_str();
  add_priority_options(app, options);
  add_budgets(app, options);
  app.add_option("--fair", options.fair,
                 "on: a thread that yields in a loop goes behind those that starve meanwhile; off: it may go "
                 "on for ever; auto: on once a thread starves, where the strategy can do so")
      ->capture_default_str();
  app.add_option("--test", options.tests,
                 "Only the tests of such names; * and ? stand for anything (repeatable)")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app.add_flag("--list-tests", options.list_tests, "Print the names of the tests, and search nothing");
  app.add_option("--memory-model", options.memory_model, "sc")->capture_default_str();
  app.add_option("--heap", options.heap,
                 "lifo: freed memory is reused next; fresh: never; both: a search with each")
      ->capture_default_str();
  app.add_option(
         "--threads", options.threads,
         "fibers: of one system thread; system: system threads, which debuggers see; auto: fibers, where "
         "the machine can have them")
      ->capture_default_str();
  app.add_option("--races", options.races,
                 "report: a data race is a bug; explore: likewise, and then its accesses become scheduling "
                 "points; ignore: races, and memory that is freed or not allocated, are not looked "
                 "for")
      ->capture_default_str();
  app.add_flag("--no-leads-to", options.no_leads_to,
               "Do not look for what a data race leads to, which takes a tenth of the time, at most 2 s");
  app.add_flag(
      "--leaks", options.leaks,
      "Memory of the heap that an execution allocates and that nothing points to at its end is a bug");
  app.add_flag("--spurious", options.spurious, "Condition variables may also wake up for no reason");
  app.add_flag("--keep-going", options.keep_going, "Do not stop at the first bug; report each distinct one");
  app.add_option(
         "--baseline", options.baseline,
         "An earlier result (--json): fail on bugs only that do not stand in it; implies --keep-going")
      ->type_name("RESULT.json");
  app.add_option("--suppressions", options.suppressions,
                 "Bugs not to report, in ThreadSanitizer's syntax (race:, race_top:, mutex:, deadlock:, "
                 "called_from_lib:) and LeakSanitizer's (leak:); implies --keep-going")
      ->type_name("FILE");
  app.add_flag("--require-exhausted", options.require_exhausted,
               "Exit with 3 where a budget ended the search");
  app.add_option("--compile-flags", options.compile_flags,
                 "For source files, after -O1 -g and the language's standard");
  app.add_flag("--assumptions", options.assumptions,
               "The report says in full what was assumed, also what every check assumes");
  app.add_option("--out", options.out, "Where trace files go")->capture_default_str();
  app.add_option("--json", options.json,
                 "Where the result goes as JSON; -: standard output, and nothing else there");
  add_statistics(app, options);
  add_checkpoint(app, options);
  add_hidden(app, options);
  for (const Later& later : kLater) {
    CLI::callback_t refuse = [name = later.name](const CLI::results_t&) -> bool { not_yet(name); };
    if (later.words == 0) {
      app.add_flag_callback(later.name, [name = later.name] { not_yet(name); })->group("");
    } else {
      app.add_option(later.name, refuse, "")->group("");
    }
  }
}

std::vector<std::string> given_options(const CLI::App& app) {
  std::vector<std::string> names;
  const auto is_given = [](const CLI::Option* option) { return option->count() > 0; };
  for (const CLI::Option* option : app.get_options(is_given)) names.push_back(option->get_name());
  return names;
}

std::vector<std::string> read_options(CheckOptions& options, std::vector<std::string> words) {
  CLI::App app;
  std::string colour;
  app.add_option("--color", colour);
  add_check_options(app, options);
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    throw UserError(in_one_line(error.what()));
  }
  return given_options(app);
}

std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

Races races_of(const std::string& word) {
  check_word("--races", word, {"report", "explore", "ignore"}, {});
  return word == "report" ? Races::report : word == "explore" ? Races::explore : Races::ignore;
}

ProgressMode progress_of(const std::string& word) {
  check_word("--progress", word, {"auto", "always", "never"}, {});
  return word == "auto"     ? ProgressMode::automatic
         : word == "always" ? ProgressMode::always
                            : ProgressMode::never;
}

Threads threads_of(const std::string& word) {
  check_word("--threads", word, {"auto", "fibers", "system"}, {});
  return word == "system" ? Threads::system : Threads::fibers;
}

namespace {

void validate_checkpoint(const CheckOptions& options) {
  const char* option = !options.checkpoint.empty() ? "--checkpoint"
                       : !options.resume.empty()   ? "--resume"
                                                   : nullptr;
  if (option == nullptr) return;
  if (options.list_tests)
    throw UserError(std::string(option) + ": --list-tests searches nothing; leave one out");
  if (options.repeat > 1) throw UserError(std::string(option) + ": does not go together with --repeat");
}

}  // namespace

void validate(CheckOptions& options) {
  if (options.inputs.empty()) throw UserError("inputs is required; see thrum --help");
  check_strategy(options.strategy);
  check_word("--engine", options.engine, {"native"}, {"vm"});
  check_word("--memory-model", options.memory_model, {"sc"}, {"tso", "pso", "ra", "rc11", "c11"});
  check_word("--heap", options.heap, {"lifo", "fresh", "both"}, {});
  threads_of(options.threads);
  races_of(options.races);
  progress_of(options.progress);
  if (options.jobs == 0)
    options.jobs = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kJobsMax);
  read_bound(options);
  read_fairness(options);
  // What is known already must not end the search.
  if (!options.baseline.empty() || !options.suppressions.empty()) options.keep_going = true;
  // The picture shows classes.
  options.count_classes = options.count_classes || !options.plot.empty();
  options.settings.seed = options.seed;
  options.settings.depth = options.depth;
  options.program_memory_bytes = read_size("--program-memory", options.program_memory);
  validate_priorities(options);
  validate_checkpoint(options);
}

}  // namespace thrum

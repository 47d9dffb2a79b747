// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string_view>
#include <thread>

#include "cli/engine.hpp"
#include "cli/option_row.hpp"
#include "cli/priority_options.hpp"
#include "cli/suite_recording.hpp"
#include "report/unfolding_picture.hpp"
#include "verdict/error.hpp"
#include "verdict/sizes.hpp"

namespace thrum {

namespace {

constexpr std::string_view kBreadthFirst = "bfs";  // of states, no strategy of executions

void check_strategy(const CheckOptions& options) {
  const std::string& name = options.strategy;
  if (options.state_cache && name == kBreadthFirst) return;
  if (name == kBreadthFirst)
    throw UserError("--strategy bfs: it searches states, with --engine vm --state-cache");
  auto known = strategies();
  if (std::any_of(known.begin(), known.end(), [&](const StrategyRow& row) { return row.name == name; }))
    return;
  const auto for_inputs = strategies_for_inputs();
  if (std::ranges::find(for_inputs, name) != for_inputs.end()) {
    throw UserError(
        "--strategy " + name +
        ": needs --engine vm to follow what is computed from inputs, which it does not yet; take --strategy "
        "mcr, which searches the same way for fixed inputs");
  }
  throw UserError("--strategy: '" + name + "' is unknown; thrum strategies lists what there is");
}

// Fills in what --state-cache says of other options. Called before these are looked at.
void use_state_cache(CheckOptions& options) {
  if (!options.state_cache) return;
  if (options.engine != kVmEngine)
    throw UserError(
        "--state-cache: states are known to --engine vm only; add it, or leave --state-cache out");
  if (options.strategy == "auto") options.strategy = "icb";
  const std::string& name = options.strategy;
  if (name == "icb" || name == "dfs" || name == kBreadthFirst) return;
  throw UserError("--state-cache: it takes --strategy icb, dfs or bfs, and not " + name);
}

// What does not go together with --state-cache.
void check_state_cache(const CheckOptions& options) {
  if (options.symmetry != "heap" && options.symmetry != "none")
    throw UserError("--symmetry: '" + options.symmetry + "' is unknown; it is heap or none");
  if (!options.state_cache && options.state_curves != 0)
    throw UserError("--state-curves: it takes --state-cache; add that, or leave --state-curves out");
  if (!options.state_cache) return;
  const auto refuse = [](const std::string& what) {
    throw UserError("--state-cache: does not go together with " + what + "; leave one out");
  };
  if (!options.checkpoint.empty() || !options.resume.empty()) refuse("--checkpoint and --resume");
  if (!options.suite.empty()) refuse("--suite");
  if (!options.coverage.empty()) refuse("--coverage");
  if (options.races == "explore") refuse("--races explore, which it does by itself");
  if (options.fair == "on") refuse("--fair on");
  if (options.repeat > 1) refuse("--repeat");
  if (options.yields != 0) refuse("--bound yields=N");
  if (options.settings.limit && options.settings.base == Base::round_robin) refuse("--bound delays=N");
  if (options.settings.limit && options.strategy == kBreadthFirst)
    throw UserError("--bound: bfs takes depth=N only; or take --strategy dfs or icb");
  if (options.state_depth && options.strategy == "icb")
    throw UserError("--bound: depth=N takes --strategy dfs or bfs");
  if (options.state_depth && options.settings.limit)
    throw UserError("--bound: depth=N and preemptions=N do not go together");
}

// The fair scheduler depends on the order of all steps, so it distinguishes schedules that are equivalent to
// a reduction.
void read_fairness(CheckOptions& options) {
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

// "preemptions=2" -> 2; nothing if the part is of another kind, or wrong.
std::optional<std::uint16_t> bound_of(std::string_view part, std::string_view kind) {
  if (!part.starts_with(kind) || part.substr(kind.size(), 1) != "=") return std::nullopt;
  const std::string_view number = part.substr(kind.size() + 1);
  std::uint16_t limit = 0;
  auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), limit);
  if (number.empty() || error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  return limit;
}

// An unfolding has each pair of accesses of two threads in no execution, so that it must know them all.
void check_races(const CheckOptions& options) {
  if (options.races != "ignore" || !options.strategy.starts_with("unfolding")) return;
  throw UserError(
      fmt::format("--races ignore: {} has to see which memory threads access; leave it out, or take dpor",
                  options.strategy));
}

void check_plot_unfolding(const CheckOptions& options) {
  if (options.plot_unfolding.empty() || options.strategy.starts_with("unfolding")) return;
  throw UserError(
      fmt::format("--plot-unfolding: it takes --strategy unfolding or unfolding-replicated, and not {}",
                  options.strategy));
}

void check_decisions(const CheckOptions& options) {
  if (!options.decisions || options.strategy == "mcr") return;
  throw UserError(fmt::format("--decisions: it takes --strategy mcr, and not {}", options.strategy));
}

// Refuses a bound on the cost of schedules where the strategy cannot have one.
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

// Reads one of the bounds in the list of --bound. False if it is wrong, or the second of its kind.
bool read_one_bound(CheckOptions& options, std::string_view text) {
  const std::optional<std::uint16_t> preemptions = bound_of(text, "preemptions");
  const std::optional<std::uint16_t> delays = bound_of(text, "delays");
  if (const std::optional<std::uint16_t> yields = bound_of(text, "yields")) {
    if (*yields == 0 || options.yields != 0) return false;
    options.yields = *yields;
    return true;
  }
  if (const std::optional<std::uint16_t> depth = bound_of(text, "depth"); depth && options.state_cache) {
    if (*depth == 0 || options.state_depth) return false;
    options.state_depth = *depth;
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
  options.state_depth.reset();
  options.settings.limit.reset();
  options.settings.base = StrategySettings().base;
  if (options.bound == "none") return;
  std::istringstream bounds(options.bound + ",");
  for (std::string one; std::getline(bounds, one, ',');) {
    if (read_one_bound(options, one)) continue;
    throw UserError(
        fmt::format("--bound: '{}' is none; it takes preemptions=N or delays=N, and yields=N (N up "
                    "to {}, yields from 1), with a comma between them{}, or none",
                    options.bound, UINT16_MAX, options.state_cache ? "; or depth=N" : ""));
  }
}

const OptionRow<CheckOptions>& row_of(std::string_view name) {
  const auto rows = check_rows();
  return *std::find_if(rows.begin(), rows.end(),
                       [&](const OptionRow<CheckOptions>& row) { return is_named(row.names, name); });
}

// Throws UserError where the option does not take the word.
void check_word_of(std::string_view option, const std::string& word) {
  check_word(std::string(option), word, row_of(option).value);
}

}  // namespace

void add_check_options(CLI::App& app, CheckOptions& options) {
  app.add_option("inputs", options.inputs, "A program built with thrum c++, or source files")
      ->type_name("PROGRAM|FILE.c|FILE.cpp");
  add_options(app, check_rows(), options);
  const CLI::Option* time = app.get_option("--time");
  app.get_option("--time-per-test")->each([time, &options](const std::string&) {
    if (time->count() == 0) options.time_seconds = 0;
  });
}

std::vector<std::string> given_options(const CLI::App& app) {
  std::vector<std::string> names;
  const auto is_given = [](const CLI::Option* option) { return option->count() > 0; };
  for (const CLI::Option* option : app.get_options(is_given)) {
    // get_name() is empty for an option that the manual leaves out.
    const std::vector<std::string>& long_names = option->get_lnames();
    names.push_back(long_names.empty() ? option->get_name() : "--" + long_names.front());
  }
  return names;
}

std::vector<std::string> read_options(CheckOptions& options, std::vector<std::string> words) {
  CLI::App app;
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
  check_word_of("--races", word);
  return word == "report" ? Races::report : word == "explore" ? Races::explore : Races::ignore;
}

ProgressMode progress_of(const std::string& word) {
  check_word_of("--progress", word);
  return word == "auto"     ? ProgressMode::automatic
         : word == "always" ? ProgressMode::always
                            : ProgressMode::never;
}

Rounds rounds_of(const std::string& word) {
  check_word_of("--waiting", word);
  return word == "repeat"  ? Rounds::repeat
         : word == "block" ? Rounds::block
         : word == "await" ? Rounds::await
                           : Rounds::merge;
}

Threads threads_of(const std::string& word) {
  check_word_of("--threads", word);
  return word == "system" ? Threads::system : Threads::fibers;
}

Colour colour_of(const std::string& word) {
  check_word_of("--color", word);
  return word == "always" ? Colour::always : word == "never" ? Colour::never : Colour::automatic;
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
  use_state_cache(options);
  check_strategy(options);
  validate_suite(options);
  read_bound(options);
  check_state_cache(options);
  refuse_what_engine_lacks(options);
  if (options.jobs == 0 && options.engine == kVmEngine) options.jobs = 1;
  if (options.jobs == 0)
    options.jobs = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kJobsMax);
  read_fairness(options);
  check_races(options);
  check_plot_unfolding(options);
  check_decisions(options);
  // A known bug must not end the search.
  if (!options.baseline.empty() || !options.suppressions.empty()) options.keep_going = true;
  // The picture shows classes.
  options.count_classes = options.count_classes || !options.plot.empty();
  options.settings.seed = options.seed;
  options.settings.depth = options.depth;
  options.settings.rounds = rounds_of(options.waiting);
  options.settings.shown_max = options.plot_unfolding.empty() ? 0 : kPictureEventsMax;
  options.settings.measure_tree = options.measure_tree;
  options.program_memory_bytes = read_size("--program-memory", options.program_memory);
  validate_priorities(options);
  validate_checkpoint(options);
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line: which command, and how errors reach the user.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <utility>

#include "cli/boolean_program.hpp"
#include "cli/checkpoint.hpp"
#include "cli/commands.hpp"
#include "cli/sequentialize.hpp"
#include "report/result.hpp"
#include "verdict/error.hpp"

namespace thrum {

namespace {

using Words = std::vector<std::string>;

// What stands behind "--" belongs to the program under test.
Words cut_program_arguments(Words& words) {
  auto separator = std::find(words.begin(), words.end(), "--");
  if (separator == words.end()) return {};
  Words arguments(separator + 1, words.end());
  words.erase(separator, words.end());
  return arguments;
}

void add_colour_option(CLI::App& app, std::string& colour) {
  app.add_option("--color", colour, "auto: on a terminal, unless NO_COLOR is set; always; never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
}

// word: one that --color takes.
Colour colour_of(const std::string& word) {
  return word == "always" ? Colour::always : word == "never" ? Colour::never : Colour::automatic;
}

constexpr const char* kExitCodes =
    "Exit codes: 0 no bug, 1 a bug, 2 wrong usage, 3 inconclusive, 4 internal error.";

void add_bits_option(CLI::App& app, unsigned& bits) {
  app.add_option("--bits", bits, "Of C: bits of integers, of types that have more")
      ->check(CLI::Range(2, 64))
      ->capture_default_str();
}

CLI::App* add_plot(CLI::App& app, std::vector<std::string>& results, std::string& picture) {
  CLI::App* plot = app.add_subcommand("plot", "One picture of several results, as of thrum check --plot");
  plot->add_option("results", results, "Results of thrum check --json, with --count-classes")
      ->required()
      ->type_name("RESULT.json");
  plot->add_option("--out", picture, "Where the picture goes")->required()->type_name("FILE.svg");
  return plot;
}

// `thrum bool` and its own commands.
class BoolCommands {
 public:
  explicit BoolCommands(CLI::App& app) {
    bool_ = app.add_subcommand("bool", "Boolean programs: finite data, unbounded stacks, bounded contexts");
    bool_->require_subcommand(1);
    check_ = bool_->add_subcommand("check", "Search a boolean program for failing assertions");
    check_->footer(kExitCodes);
    BoolOptions& o = options_;
    check_->add_option("file", o.file, "A boolean program, a program of C, or a pushdown file")
        ->required()
        ->type_name("FILE.bp|FILE.c|FILE.pds");
    check_->add_option("--contexts", o.contexts, "Stop behind so many contexts; 0: go on")
        ->capture_default_str();
    check_->add_option("--threads", threads_, "The procedures that run as threads from the beginning")
        ->type_name("main,t1,...");
    check_->add_option("--init", o.first,
                       "Of FILE.pds: its first configuration, such as '0|1,9'; else FILE.init says it");
    check_->add_option("--target", o.target,
                       "Of FILE.pds: the one that is looked for, such as '20|23,-'; else FILE.spec");
    check_->add_option("--label", o.labels, "What is an error: a label, or 'asserts' (repeatable)")
        ->allow_extra_args(false)
        ->type_name("NAME|asserts");
    check_->add_option("--engine", o.engine, "pushdown: exact; explicit: lists states, with bounded stacks")
        ->check(CLI::IsMember({"pushdown", "explicit"}))
        ->capture_default_str();
    check_->add_option("--time", o.seconds, "Stop after so many seconds; 0: never")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    check_->add_option("--search-memory", o.memory, "What the search may keep")->capture_default_str();
    check_->add_option("--depth", o.depth, "explicit: frames of a stack")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    check_->add_option("--threads-max", o.threads_max, "explicit: threads that were ever there")
        ->check(CLI::Range(1, 255))
        ->capture_default_str();
    check_->add_option("--out", o.out, "Where the trace file goes")->capture_default_str();
    check_->add_option("--json", o.json,
                       "Where the result goes as JSON; -: standard output, and nothing else there");
    check_->add_flag("--require-exhausted", o.require_exhausted,
                     "Exit with 3 where a budget ended the search");
    add_colour_option(*check_, colour_);
    add_bits_option(*check_, o.bits);
    print_ = bool_->add_subcommand("print", "Read a boolean program and write it anew");
    print_->add_option("file", o.file, "A boolean program")->required()->type_name("FILE.bp");
    from_c_ = bool_->add_subcommand("from-c", "Translate C with finite data to a boolean program");
    from_c_->add_option("file", c_.file, "A C program")->required()->type_name("FILE.c");
    from_c_->add_option("-o,--output", c_.out, "Where it goes; else to standard output")->type_name("OUT.bp");
    add_bits_option(*from_c_, c_.bits);
    from_c_->add_option("-I,--include", c_.include_folders, "A folder with headers (repeatable)")
        ->allow_extra_args(false)
        ->type_name("FOLDER");
  }

  bool parsed() const { return bool_->parsed(); }

  int run(const Words& command) {
    if (print_->parsed()) return bool_print_command(options_.file);
    if (from_c_->parsed()) return bool_from_c_command(c_);
    options_.colour = colour_of(colour_);
    if (check_->count("--threads") > 0) options_.threads = CLI::detail::split(threads_, ',');
    return bool_check_command(options_, command);
  }

 private:
  CLI::App* bool_;
  CLI::App* check_;
  CLI::App* print_;
  CLI::App* from_c_;
  BoolOptions options_;
  FromCOptions c_;
  std::string threads_;
  std::string colour_ = "auto";
};

class SequentializeCommand {
 public:
  explicit SequentializeCommand(CLI::App& app) {
    command_ = app.add_subcommand("sequentialize", "Turn C with threads into C without, and check that");
    command_->footer(kExitCodes);
    SequentializeOptions& o = options_;
    command_->add_option("files", o.files, "The program's files")->required()->type_name("FILE.c...");
    command_->add_option("-o,--output", o.out, "Where the sequential program goes; else to standard output")
        ->type_name("OUT.c");
    command_->add_option("--rounds", o.rounds, "Round-robin rounds; else, by KISS, threads run as calls")
        ->check(CLI::Range(1, 200));
    command_->add_flag("--eager", o.eager,
                       "Rounds by copies of the shared variables, guessed and then compared");
    command_->add_flag("--normal-form", o.normal_form, "Only the normal form: it has its threads still");
    command_
        ->add_option("--pending", o.pending,
                     "KISS: threads that may wait for their start; others run at once")
        ->check(CLI::Range(0, 200))
        ->capture_default_str();
    command_->add_option("--threads-max", o.threads_max, "Threads of an execution, main included")
        ->check(CLI::Range(1, 200))
        ->capture_default_str();
    command_->add_option("--race", o.race, "Look for data races on a variable or a field")
        ->type_name("VAR|TYPE.FIELD");
    command_->add_option("--compile-flags", o.compile_flags, "Of the compiler, such as '-DN=2 -Iinclude'");
    command_
        ->add_option("--checker", o.checker,
                     "Checks it: thrum, bool, clang-analyzer, gcc-analyzer, frama-c, or a command line "
                     "in which {} is the file")
        ->type_name("NAME|COMMAND");
    command_->add_option("--pattern", o.pattern,
                         "What a command line prints where the program fails, as a regular expression; "
                         "a first group is the line");
    command_->add_option("--time", o.seconds, "Stop the checker after so many seconds; 0: never")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    command_->add_option("--out", o.trace_folder, "Where traces go")->capture_default_str();
    command_->add_option("--json", o.json,
                         "Where the result goes as JSON; -: standard output, and nothing else there");
    command_->add_flag("--require-exhausted", o.require_exhausted,
                       "Exit with 3 where a budget ended the search");
    add_colour_option(*command_, colour_);
  }

  bool parsed() const { return command_->parsed(); }

  int run(const Words& command) {
    options_.colour = colour_of(colour_);
    return sequentialize_command(options_, command);
  }

 private:
  CLI::App* command_;
  SequentializeOptions options_;
  std::string colour_ = "auto";
};

int run_check(CheckOptions options, const Words& command) {
  if (!options.resume.empty())
    options =
        resumed_options(options, {command.begin() + 2, std::find(command.begin(), command.end(), "--")});
  validate(options);
  return check_command(options, command);
}

constexpr const char* kFooterOfCheck =
    "Arguments of the program stand behind --. Exit codes: 0 no bug, 1 a bug, 2 wrong usage or environment,\n"
    "3 inconclusive, 4 internal error.";

int parse_and_run(Words words) {
  const Words command = words;
  CheckOptions options;
  options.arguments = cut_program_arguments(words);
  std::string trace;
  std::string threads = "auto";
  bool unfolded = false;
  std::string step;
  std::string compiler;

  CLI::App app("Runs a multithreaded program under every thread schedule that matters.", "thrum");
  app.set_version_flag("--version", std::string("thrum ") + kVersion);
  app.require_subcommand(1);
  CLI::App* check = app.add_subcommand("check", "Search a program's schedules for bugs");
  check->footer(kFooterOfCheck);
  add_check_options(*check, options);
  CLI::App* replay = app.add_subcommand("replay", "Run one schedule again");
  replay->add_option("trace", trace, "A trace file of thrum check")->required()->type_name("TRACE.json");
  replay->add_option("--threads", threads, "fibers, system or auto, as of thrum check")
      ->capture_default_str();
  replay->add_flag_callback("--gdb", [] { throw UserError("--gdb is not available yet"); })->group("");
  CLI::App* show = app.add_subcommand("show", "Show a trace file");
  show->add_option("trace", trace, "A trace file of thrum check")->required()->type_name("TRACE.json");
  show->add_flag("--all", unfolded, "Every operation, nothing folded");
  std::vector<std::string> results;
  std::string picture;
  CLI::App* plot = add_plot(app, results, picture);
  std::string colour = "auto";
  for (CLI::App* command_app : {check, replay, show}) add_colour_option(*command_app, colour);
  app.add_subcommand("c++", "Compile and link C++ as the compiler would, so that it can be checked");
  app.add_subcommand("cc", "Compile and link C as the compiler would, so that it can be checked");
  std::string topic;
  CLI::App* help = app.add_subcommand("help", "Pages on a topic");
  help->add_option("topic", topic, "assumptions: what every check assumes")
      ->required()
      ->check(CLI::IsMember({"assumptions"}));
  CLI::App* strategies_app = app.add_subcommand("strategies", "The search strategies there are");
  CLI::App* flags =
      app.add_subcommand("flags", "The flags that make a compiler's output checkable, one a line");
  flags->add_option("step", step, "compile or link")->required()->check(CLI::IsMember({"compile", "link"}));
  flags->add_option("--compiler", compiler, "gcc or clang; else the one that thrum c++ runs")
      ->check(CLI::IsMember({"gcc", "clang"}));
  CLI::App* doctor = app.add_subcommand("doctor", "What this machine can do");
  BoolCommands boolean(app);
  SequentializeCommand sequentialize(app);

  try {
    std::reverse(words.begin(), words.end());  // as CLI11 wants them
    words.pop_back();
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    throw UserError(in_one_line(error.what()) + "; see thrum --help");
  }
  if (check->parsed()) {
    options.colour = colour_of(colour);
    options.given = given_options(*check);
    return run_check(std::move(options), command);
  }
  if (boolean.parsed()) return boolean.run(command);
  if (sequentialize.parsed()) return sequentialize.run(command);
  if (replay->parsed()) return replay_command(trace, threads_of(threads), colour_of(colour));
  if (show->parsed()) return show_command(trace, unfolded, colour_of(colour));
  if (plot->parsed()) return plot_command(results, picture);
  if (help->parsed()) return help_command(topic);
  if (strategies_app->parsed()) return strategies_command();
  if (flags->parsed()) return flags_command(step, compiler);
  if (doctor->parsed()) return doctor_command();
  return kExitUsage;
}

int run_command(const Words& words) {
  // The drivers' arguments are the compiler's, not ours.
  std::string name = std::filesystem::path(words[0]).filename().string();
  if (name.starts_with("thrum-")) return driver_command_line(name, {words.begin() + 1, words.end()});
  if (words.size() > 1 && (words[1] == "c++" || words[1] == "cc")) {
    return driver_command_line("thrum-" + words[1], {words.begin() + 2, words.end()});
  }
  return parse_and_run(words);
}

}  // namespace

int thrum_main(const std::vector<std::string>& words) {
  try {
    return run_command(words);
  } catch (const UserError& error) {
    fmt::print(stderr, "thrum: {}\n", error.what());
    return kExitUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "thrum: internal error: {}\n", error.what());
    return kExitInternal;
  }
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <utility>

#include "cli/checkpoint.hpp"
#include "cli/commands.hpp"
#include "cli/manual.hpp"
#include "report/result.hpp"
#include "report/text_style.hpp"
#include "verdict/error.hpp"

namespace thrum {

namespace {

using Words = std::vector<std::string>;

constexpr const char* kExitCodes =
    "Exit codes: 0 no bug, 1 a bug, 2 wrong usage, 3 inconclusive, 4 internal error.";
constexpr const char* kFooterOfCheck =
    "Arguments of the program stand behind --. Exit codes: 0 no bug, 1 a bug, 2 wrong usage or environment,\n"
    "3 inconclusive, 4 internal error.";

// What stands behind "--" belongs to the program under test.
Words cut_program_arguments(Words& words) {
  auto separator = std::find(words.begin(), words.end(), "--");
  if (separator == words.end()) return {};
  Words arguments(separator + 1, words.end());
  words.erase(separator, words.end());
  return arguments;
}

// Breaks long descriptions into lines.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override {
    constexpr int kWidth = 70;
    std::string lines = wrap(option->get_description(), "", kWidth);
    lines.pop_back();  // the last line's end
    return lines;
  }
};

}  // namespace

CommandLine::CommandLine()
    : app_("Runs a multithreaded program under every thread schedule that matters.", "thrum") {
  app_.set_version_flag("--version", std::string("thrum ") + kVersion);
  app_.require_subcommand(1);
  app_.formatter(std::make_shared<HelpFormatter>());
  add_check();
  add_traces();
  add_information();
  add_bool();
  add_sequentialize();
}

void CommandLine::add_check() {
  CLI::App* check = app_.add_subcommand("check", "Search a program's schedules for bugs");
  check->footer(kFooterOfCheck);
  add_check_options(*check, check_options_);
  commands_.emplace_back(check, [this, check](const Words& command) {
    check_options_.given = given_options(*check);
    return run_check(command);
  });
}

int CommandLine::run_check(const Words& command) {
  CheckOptions options = check_options_;
  options.arguments = arguments_;
  if (!options.resume.empty())
    options =
        resumed_options(options, {command.begin() + 2, std::find(command.begin(), command.end(), "--")});
  validate(options);
  return check_command(options, command);
}

void CommandLine::add_traces() {
  TraceOptions& o = trace_options_;
  CLI::App* replay = app_.add_subcommand("replay", "Run a schedule again, or a suite of them");
  CLI::App* show = app_.add_subcommand("show", "Show a trace file");
  replay->add_option("trace", o.trace, "A trace file of thrum check, or a suite of thrum check --suite")
      ->required()
      ->type_name("TRACE.json|SUITE");
  show->add_option("trace", o.trace, "A trace file of thrum check")->required()->type_name("TRACE.json");
  add_options(*replay, replay_rows(), o);
  add_options(*show, show_rows(), o);
  commands_.emplace_back(replay, [&o](const Words& command) {
    return replay_command({o.trace, o.schedule, o.leaks, threads_of(o.threads), o.engine, o.json,
                           progress_of(o.progress), colour_of(o.color), command});
  });
  commands_.emplace_back(
      show, [&o](const Words&) { return show_command(o.trace, o.unfolded, colour_of(o.color)); });
  CLI::App* plot = app_.add_subcommand("plot", "One picture of several results, as of thrum check --plot");
  plot->add_option("results", plot_options_.results, "Results of thrum check --json, with --count-classes")
      ->required()
      ->type_name("RESULT.json");
  add_options(*plot, plot_rows(), plot_options_);
  plot->get_option("--out")->required();
  commands_.emplace_back(
      plot, [this](const Words&) { return plot_command(plot_options_.results, plot_options_.picture); });
}

void CommandLine::add_information() {
  app_.add_subcommand("c++", "Compile and link C++ as the compiler would, so that it can be checked");
  app_.add_subcommand("cc", "Compile and link C as the compiler would, so that it can be checked");
  CLI::App* help = app_.add_subcommand("help", "Pages on a topic");
  help->add_option("topic", topic_, "assumptions: what every check assumes")
      ->required()
      ->type_name("assumptions")
      ->check(CLI::IsMember({"assumptions"}).description(""));
  commands_.emplace_back(help, [this](const Words&) { return help_command(topic_); });
  commands_.emplace_back(app_.add_subcommand("strategies", "The search strategies there are"),
                         [](const Words&) { return strategies_command(); });
  CLI::App* flags =
      app_.add_subcommand("flags", "The flags that make a compiler's output checkable, one a line");
  flags->add_option("step", flags_options_.step, "compile or link")
      ->required()
      ->type_name("compile|link")
      ->check(CLI::IsMember({"compile", "link"}).description(""));
  add_options(*flags, flags_rows(), flags_options_);
  commands_.emplace_back(
      flags, [this](const Words&) { return flags_command(flags_options_.step, flags_options_.compiler); });
  commands_.emplace_back(app_.add_subcommand("doctor", "What this machine can do"),
                         [](const Words&) { return doctor_command(); });
  CLI::App* library = app_.add_subcommand(
      "vm-library", "Compile the C++ library for the machine, once, into the user's cache");
  add_options(*library, vm_library_rows(), vm_library_options_);
  commands_.emplace_back(library, [this](const Words&) { return vm_library_command(vm_library_options_); });
  CLI::App* manual = app_.add_subcommand("options", "The options of all commands, as text for programs");
  manual->group("");
  add_options(*manual, manual_rows(), manual_options_);
  commands_.emplace_back(manual, [this](const Words&) { return manual_command(app_, manual_options_); });
}

void CommandLine::add_bool() {
  CLI::App* all =
      app_.add_subcommand("bool", "Boolean programs: finite data, unbounded stacks, bounded contexts");
  all->require_subcommand(1);
  CLI::App* check = all->add_subcommand("check", "Search a boolean program for failing assertions");
  check->footer(kExitCodes);
  check->add_option("file", bool_options_.file, "A boolean program, a program of C, or a pushdown file")
      ->required()
      ->type_name("FILE.bp|FILE.c|FILE.pds");
  add_options(*check, bool_check_rows(), bool_options_);
  commands_.emplace_back(check,
                         [this](const Words& command) { return bool_check_command(bool_options_, command); });
  CLI::App* print = all->add_subcommand("print", "Read a boolean program and write it again");
  print->add_option("file", bool_options_.file, "A boolean program")->required()->type_name("FILE.bp");
  commands_.emplace_back(print, [this](const Words&) { return bool_print_command(bool_options_.file); });
  CLI::App* from_c = all->add_subcommand("from-c", "Translate C with finite data to a boolean program");
  from_c->add_option("file", from_c_options_.file, "A C program")->required()->type_name("FILE.c");
  add_options(*from_c, bool_from_c_rows(), from_c_options_);
  commands_.emplace_back(from_c, [this](const Words&) { return bool_from_c_command(from_c_options_); });
}

void CommandLine::add_sequentialize() {
  CLI::App* command =
      app_.add_subcommand("sequentialize", "Turn C with threads into C without, and check that");
  command->footer(kExitCodes);
  command->add_option("files", sequentialize_options_.files, "The program's files")
      ->required()
      ->type_name("FILE.c");
  add_options(*command, sequentialize_rows(), sequentialize_options_);
  commands_.emplace_back(
      command, [this](const Words& words) { return sequentialize_command(sequentialize_options_, words); });
}

int CommandLine::run(const Words& command) {
  Words words = command;
  arguments_ = cut_program_arguments(words);
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 wants them
    words.pop_back();
    app_.parse(words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app_.exit(error);  // --help, --version
    throw UserError(in_one_line(error.what()) + "; see thrum --help");
  }
  for (const auto& [app, run] : commands_) {
    if (app->parsed()) return run(command);
  }
  return kExitUsage;
}

}  // namespace thrum

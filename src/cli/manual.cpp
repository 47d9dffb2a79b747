// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/manual.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "campaign/strategies.hpp"
#include "cli/options.hpp"
#include "report/result.hpp"
#include "verdict/error.hpp"

namespace thrum {

namespace {

using Words = std::vector<std::string>;

// What the user writes for an option, or for an argument without a name.
struct Entry {
  std::string names;  // "-o,--output"; empty: an argument
  std::string value;
  std::string text;
  std::string default_text;
  std::string group;
};

// A command, such as "bool check", with what its help shows.
struct Page {
  std::string name;
  std::string text;
  Words commands;  // its own ones
  std::vector<Entry> arguments;
  std::vector<Entry> options;
};

// CLI11's marks for options that are shown in no group.
bool is_shown(const std::string& group) { return !group.empty(); }

void add_pages(const CLI::App& app, const std::string& name, std::vector<Page>& pages) {
  Page page;
  page.name = name;
  page.text = app.get_description();
  const CLI::Option* help = app.get_help_ptr();
  for (const CLI::Option* option : app.get_options()) {
    if (option == help || !is_shown(option->get_group())) continue;
    const bool is_argument = option->get_positional();
    Entry entry = {is_argument ? "" : option->get_name(false, true), option->get_type_name(),
                   option->get_description(), option->get_default_str(), option->get_group()};
    if (is_argument && option->get_items_expected_max() > 1) entry.value += "...";
    if (!is_argument && option->get_required()) entry.text += " (required)";
    (is_argument ? page.arguments : page.options).push_back(std::move(entry));
  }
  const auto commands = app.get_subcommands(
      [](const CLI::App* command) { return is_shown(command->get_group()) && !command->get_name().empty(); });
  for (const CLI::App* command : commands) page.commands.push_back(command->get_name());
  pages.push_back(std::move(page));
  for (const CLI::App* command : commands)
    add_pages(*command, name + (name.empty() ? "" : " ") + command->get_name(), pages);
}

// The first one is thrum itself.
std::vector<Page> pages_of(const CLI::App& app) {
  std::vector<Page> pages;
  add_pages(app, "", pages);
  return pages;
}

// "check [OPTION...] PROGRAM|FILE.c|FILE.cpp [-- ARGUMENT...]".
std::string usage(const Page& page) {
  std::string text = page.name;
  if (!page.options.empty()) text += " [OPTION...]";
  for (const Entry& argument : page.arguments) text += " " + argument.value;
  if (page.name == "check") text += " [-- ARGUMENT...]";
  if (page.name == "c++" || page.name == "cc") text += " ARGUMENT...";
  return text;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

const OptionRow<CheckOptions>* check_row(const Page& page, const std::string& names) {
  if (page.name != "check") return nullptr;
  for (const OptionRow<CheckOptions>& row : check_rows()) {
    if (row.names == names) return &row;
  }
  return nullptr;
}

constexpr std::string_view kIntroduction =
    R"(# Options

Each command has a help of its own, such as `thrum check --help`. This page is made from the tables of options
in `src/cli` by `thrum options --markdown`; a test holds it against them.

A number outside its range, or a word that an option does not take, is refused in one line, with exit code 2.
A `SIZE` is a number of bytes, or one with K, M, G or T behind it, which count in powers of 1024.
)";

constexpr std::string_view kColumnsOfCheck = R"(
Two columns say more. *Checkpoint*: what `--resume` does with the option. *kept*: it is as it was, and the new
command line may change it; *fixed*: it is as it was, and another value is refused, because it belongs to the
saved search; nothing: the new command line alone decides. *In code*: the field of `thrum::Options` by which a
program gives a test the option (`docs/testing.md`).
)";

std::string in_cell(const std::string& text) { return replaced(text, "|", "\\|"); }

std::string code(const std::string& text) { return text.empty() ? "" : "`" + in_cell(text) + "`"; }

std::string columns_of_check(const OptionRow<CheckOptions>& row) {
  const std::string_view field = row.field;
  return fmt::format(" {} | {} |",
                     row.at_resume == AtResume::must_equal   ? "fixed"
                     : row.at_resume == AtResume::may_change ? "kept"
                                                             : "",
                     field.empty() ? "" : fmt::format("`.{}`", field));
}

std::string table_of(const Page& page, const std::string& group) {
  const bool is_check = page.name == "check";
  std::string text = is_check
                         ? "\n| option | default | meaning | checkpoint | in code |\n|---|---|---|---|---|\n"
                         : "\n| option | default | meaning |\n|---|---|---|\n";
  for (const Entry& entry : page.options) {
    if (entry.group != group) continue;
    const std::string names = replaced(entry.names, ",", ", ");
    text += fmt::format("| {} | {} | {} |", code(names + (entry.value.empty() ? "" : " " + entry.value)),
                        code(entry.default_text), in_cell(entry.text));
    if (const auto* row = check_row(page, entry.names)) text += columns_of_check(*row);
    text += "\n";
  }
  return text;
}

Words groups_of(const Page& page) {
  Words groups;
  for (const Entry& entry : page.options) {
    if (std::find(groups.begin(), groups.end(), entry.group) == groups.end()) groups.push_back(entry.group);
  }
  return groups;
}

// A line of text, in which roff sees no command.
std::string in_roff(const std::string& text) {
  std::string line = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
  if (line.starts_with('.') || line.starts_with('\'')) line.insert(0, "\\&");
  return line;
}

std::string roff_entry(const Entry& entry) {
  std::string head = "\\fB" + in_roff(replaced(entry.names, ",", ", ")) + "\\fR";
  if (!entry.value.empty()) head += " \\fI" + in_roff(entry.value) + "\\fR";
  if (!entry.default_text.empty()) head += " (" + in_roff(entry.default_text) + ")";
  return ".TP\n" + head + "\n" + in_roff(entry.text) + "\n";
}

// What completes the value of an option.
enum class Completion : std::uint8_t { words, files, nothing };

Completion completion_of(const std::string& value) {
  if (!words_of_value(value).empty()) return Completion::words;
  // The end of a file's name is in small letters: "RESULT.json".
  const std::size_t end = value.find('.') + 1;  // 0: there is none
  const bool has_end = end != 0 && end < value.size() && std::islower(static_cast<unsigned char>(value[end]));
  const bool is_path = value.starts_with("FILE") || value == "DIR" || value == "FOLDER" || has_end;
  return is_path ? Completion::files : Completion::nothing;
}

Words names_of_strategies() {
  Words names;
  for (const StrategyRow& row : strategies()) names.emplace_back(row.name);
  return names;
}

Words names_of(const Entry& entry) { return CLI::detail::split(entry.names, ','); }

// The cases of the script for the values of a page's options.
std::string bash_values(const Page& page) {
  std::string text, unknown;
  for (const Entry& entry : page.options) {
    if (entry.value.empty()) continue;
    Words words = words_of_value(entry.value);
    if (page.name == "check" && entry.names == "--strategy") words = names_of_strategies();
    for (const std::string& name : names_of(entry)) {
      const std::string pattern = fmt::format("\"{}:{}\"", page.name, name);
      if (!words.empty()) {
        text += fmt::format("    {}) words=\"{}\" ;;\n", pattern, fmt::join(words, " "));
      } else if (completion_of(entry.value) == Completion::files) {
        text += fmt::format("    {}) return ;;\n", pattern);
      } else {
        unknown += (unknown.empty() ? "" : "|") + pattern;
      }
    }
  }
  if (!unknown.empty()) text += fmt::format("    {}) compopt +o default; return ;;\n", unknown);
  return text;
}

// The case of the script for what else may follow the page's command.
std::string bash_words(const Page& page) {
  Words options;
  for (const Entry& entry : page.options) {
    for (std::string& name : names_of(entry)) options.push_back(std::move(name));
  }
  options.emplace_back("--help");
  Words words = page.commands;
  for (const Entry& argument : page.arguments) {
    for (std::string& word : words_of_value(argument.value)) words.push_back(std::move(word));
  }
  return fmt::format("    \"{}:\"*) words=\"{}\" options=\"{}\" ;;\n", page.name, fmt::join(words, " "),
                     fmt::join(options, " "));
}

constexpr std::string_view kBashBegin =
    R"(# How bash completes the command line of thrum. Made by `thrum options --bash`.
_thrum() {
  COMPREPLY=()
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= words= options= i
  # bash makes three words of --option=value.
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
  # Behind -- are arguments of the program: files.
  for ((i = 1; i < COMP_CWORD; ++i)); do
    [[ ${COMP_WORDS[i]} == -- ]] && return
  done
  ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}
  [[ $command == bool ]] && ((COMP_CWORD > 2)) && command="bool ${COMP_WORDS[2]}"
  case "$command:$before" in
)";

constexpr std::string_view kBashEnd =
    R"(  esac
  [[ $word == -* ]] && words=$options
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _thrum thrum
)";

}  // namespace

std::string markdown_manual(const CLI::App& app) {
  std::string text(kIntroduction);
  for (const Page& page : pages_of(app)) {
    if (page.name.empty() || (page.options.empty() && page.arguments.empty())) continue;
    text += fmt::format("\n## thrum {}\n\n{}.\n\n    thrum {}\n", page.name, page.text, usage(page));
    if (page.name == "check") text += kColumnsOfCheck;
    const Words groups = groups_of(page);
    for (const std::string& group : groups) {
      if (groups.size() > 1) text += "\n### " + group + "\n";
      text += table_of(page, group);
    }
  }
  return text;
}

std::string man_page(const CLI::App& app) {
  const std::vector<Page> pages = pages_of(app);
  std::string text = fmt::format(".TH THRUM 1 \"\" \"thrum {}\"\n.SH NAME\n", kVersion);
  text += "thrum \\- finds the bugs of multithreaded programs\n.SH SYNOPSIS\n.nf\n";
  for (const Page& page : pages) {
    if (!page.name.empty() && page.commands.empty()) text += "\\fBthrum\\fR " + in_roff(usage(page)) + "\n";
  }
  text += ".fi\n.SH DESCRIPTION\n" + in_roff(pages.front().text) + "\n.SH COMMANDS\n";
  for (const Page& page : pages) {
    if (page.name.empty() || !page.commands.empty()) continue;
    text += fmt::format(".SS thrum {}\n{}.\n", in_roff(page.name), in_roff(page.text));
    for (const std::string& group : groups_of(page)) {
      if (page.name == "check") text += ".PP\n\\fI" + in_roff(group) + "\\fR\n";
      for (const Entry& entry : page.options) {
        if (entry.group == group) text += roff_entry(entry);
      }
    }
  }
  text += ".SH EXIT STATUS\n";
  for (const char* code :
       {"0 no bug", "1 a bug", "2 wrong usage or environment", "3 inconclusive", "4 an internal error"}) {
    text += fmt::format(".TP\n{}\n{}\n", std::string(code, 1), code + 2);
  }
  return text;
}

std::string bash_completion(const CLI::App& app) {
  const std::vector<Page> pages = pages_of(app);
  std::string text(kBashBegin);
  for (const Page& page : pages) text += bash_values(page);
  for (const Page& page : pages) text += bash_words(page);
  return text.append(kBashEnd);
}

int manual_command(const CLI::App& app, const ManualOptions& options) {
  if (options.markdown + options.man + options.bash != 1)
    throw UserError("options: name one text, --markdown, --man or --bash");
  fmt::print("{}", options.markdown ? markdown_manual(app)
                   : options.man    ? man_page(app)
                                    : bash_completion(app));
  return kExitDone;
}

}  // namespace thrum

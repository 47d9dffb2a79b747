// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by tests/endtoend/best_first_test.cpp.
#include "cli/priority_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/named_ranges.hpp"
#include "search/systematic/priorities.hpp"
#include "verdict/error.hpp"
#include "verdict/sizes.hpp"

namespace thrum {

namespace {

constexpr const char* kReducing = "best-first-dpor";
constexpr const char* kDefaultPriorities = "mdpor,pb";
constexpr const char* kDefaultWhereReducing = "mdpor,db";

bool is_best_first(const std::string& strategy) { return strategy == "best-first" || strategy == kReducing; }

std::string names_of_priorities() {
  std::string names;
  for (const PriorityRow& row : priorities()) names.append(names.empty() ? "" : ", ").append(row.name);
  return names;
}

// "a,b" -> a and b.
std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t comma = std::min(text.find(',', begin), text.size());
    words.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return words;
}

void check_names(const std::vector<std::string>& names) {
  auto known = priorities();
  for (auto name = names.begin(); name != names.end(); ++name) {
    bool found =
        std::any_of(known.begin(), known.end(), [&](const PriorityRow& row) { return row.name == *name; });
    if (!found) {
      throw UserError(fmt::format("--priority: '{}' is unknown; it takes a list, with commas, of {}", *name,
                                  names_of_priorities()));
    }
    if (std::find(names.begin(), name, *name) != name)
      throw UserError(fmt::format("--priority: {} stands there twice", *name));
  }
}

// A priority that needs a focus, and the option that names a focus, must be given together.
void check_focus(const CheckOptions& options, const char* priority, const char* option,
                 const std::vector<std::string>& names) {
  const std::vector<std::string>& list = options.settings.priorities;
  bool asked = std::find(list.begin(), list.end(), priority) != list.end();
  if (asked && names.empty())
    throw UserError(fmt::format("--priority {}: nothing is in focus; name it with {}", priority, option));
  if (!asked && !names.empty())
    throw UserError(fmt::format("{}: no priority asks for it; add --strategy best-first --priority {}",
                                option, priority));
}

void add_ranges(const std::vector<OffsetRange>& found, std::vector<OffsetRange>& ranges,
                const std::string& problem) {
  if (found.empty()) throw UserError(problem);
  ranges.insert(ranges.end(), found.begin(), found.end());
}

}  // namespace

void validate_priorities(CheckOptions& options) {
  options.settings.memory_max = read_size("--search-memory", options.search_memory);
  options.settings.priorities.clear();
  if (is_best_first(options.strategy)) {
    const char* fallback = options.strategy == kReducing ? kDefaultWhereReducing : kDefaultPriorities;
    options.settings.priorities = split_list(options.priority.empty() ? fallback : options.priority);
    check_names(options.settings.priorities);
  } else if (!options.priority.empty()) {
    throw UserError(
        "--priority: only best-first search has priorities; add --strategy best-first, or best-first-dpor");
  }
  check_focus(options, "method", "--focus-method", options.focus_methods);
  check_focus(options, "var", "--focus-var", options.focus_variables);
}

void find_focus(const CheckOptions& options, const std::string& program, Job& job) {
  for (const std::string& name : options.focus_methods) {
    add_ranges(ranges_of_function(program, name), job.focus_code,
               fmt::format("--focus-method: {} has no function {}; it must be one of the program's own, "
                           "compiled with -g or not stripped",
                           program, name));
  }
  for (const std::string& name : options.focus_variables) {
    add_ranges(ranges_of_variable(program, name), job.focus_data,
               fmt::format("--focus-var: {} has no global variable {}; it must be one of the program's own, "
                           "and its symbols not stripped",
                           program, name));
  }
}

}  // namespace thrum

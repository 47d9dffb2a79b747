// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of `thrum check`. check_table.cpp says what each is; here they are read and checked.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "protocol/job.hpp"
#include "report/text_style.hpp"
#include "verdict/check_options.hpp"

namespace CLI {
class App;
}

namespace thrum {

template <class Options>
struct OptionRow;  // option_row.hpp

inline constexpr int kJobsMax = 128;

// The table, in the order of the manual.
std::span<const OptionRow<CheckOptions>> check_rows();

// When to say how far the search is.
enum class ProgressMode : std::uint8_t { automatic, always, never };

// Makes the command line fill in options, which must outlive app.
void add_check_options(CLI::App& app, CheckOptions& options);

// The names of those options that app has met.
std::vector<std::string> given_options(const CLI::App& app);

// Fills in what the words say, as on the command line, and returns the names of the options among them.
// Throws UserError.
std::vector<std::string> read_options(CheckOptions& options, std::vector<std::string> words);

// A message of CLI11 without its line breaks.
std::string in_one_line(std::string text);

// The meaning of the words of --races, --progress, --threads and --color. They throw UserError for others.
Races races_of(const std::string& word);
ProgressMode progress_of(const std::string& word);
Rounds rounds_of(const std::string& word);
Threads threads_of(const std::string& word);
Colour colour_of(const std::string& word);

// Checks what the table cannot: values that are wrong only together, and values with a syntax of their own.
// Fills in the members that follow from others. Throws UserError. It may be called again when options have
// changed.
void validate(CheckOptions& options);

}  // namespace thrum

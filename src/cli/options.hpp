// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `thrum check` can be told.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "protocol/job.hpp"
#include "verdict/check_options.hpp"

namespace thrum {

// When to say how far the search is.
enum class ProgressMode : std::uint8_t { automatic, always, never };

// Makes the command line fill in options, which must outlive app.
void add_check_options(CLI::App& app, CheckOptions& options);

// The names of those options that app has met.
std::vector<std::string> given_options(const CLI::App& app);

// Fills in what the words say, as on the command line, and returns the names of the options among them.
// Throws UserError.
std::vector<std::string> read_options(CheckOptions& options, std::vector<std::string> words);

// What CLI11 says of a wrong word.
std::string in_one_line(std::string text);

// What --races says. Throws UserError.
Races races_of(const std::string& word);

// What --progress says. Throws UserError.
ProgressMode progress_of(const std::string& word);

// What --threads means. Throws UserError where it is no such word.
Threads threads_of(const std::string& word);

// Throws UserError for what cannot be, or cannot be done yet. It may be called again when options have
// changed.
void validate(CheckOptions& options);

}  // namespace thrum

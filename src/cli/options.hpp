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

// Seconds of virtual time, in nanoseconds.
std::uint64_t nanoseconds_of(double seconds);

// What --races says. Throws UserError.
Races races_of(const std::string& word);

// What --progress says. Throws UserError.
ProgressMode progress_of(const std::string& word);

// What --threads means. Throws UserError where it is no such word.
Threads threads_of(const std::string& word);

// Throws UserError for what cannot be, or cannot be done yet.
void validate(CheckOptions& options);

}  // namespace thrum

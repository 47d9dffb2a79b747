// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of the house that a machine can check. Each returns what it finds wrong in a tree.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tidy/tree.hpp"

namespace tidy {

struct Finding {
  std::string path;
  std::size_t line = 0;
  std::string what;
  // What an exception names: "file-length PATH", "function-length PATH:FUNCTION", "named-file PATH:NAME",
  // "include PATH:HEADER", "include-cycle ROOM" (the first of the rooms) or "private-word PATH".
  // Empty: the rule has no exceptions.
  std::string exception_key = {};
};
using Findings = std::vector<Finding>;
std::ostream& operator<<(std::ostream& out, const Finding& finding);

constexpr std::size_t kFileLinesMax = 800;
constexpr std::size_t kFunctionLinesMax = 70;

// For each folder of src/, those that it may include: itself, the declared ones and all below them.
using Dependencies = std::map<std::string, std::set<std::string>>;
// Reads the lines `folder: folder...` that CMake writes. A folder stands after those that it names.
Dependencies parse_dependencies(std::istream& in);

// The #include lines of a file that name it in quotes.
struct Include {
  std::size_t line = 0;
  std::string header;
};
std::vector<Include> includes_of(const File& file);

Findings long_files(const Tree& tree);
Findings long_functions(const Tree& tree);
Findings wrong_includes(const Tree& tree, const Dependencies& dependencies);
Findings include_cycles(const Tree& tree);  // cycles.hpp
Findings missing_named_files(const Tree& tree);
Findings undescribed_folders(const Tree& tree);
Findings untidy_lines(const Tree& tree);
// Words in comments of src/ that a reader of the field would have to decode.
Findings private_words(const Tree& tree);

// Takes out what the tree's exceptions.txt allows, and adds its lines that allow nothing or give no reason. A
// subject that ends in / is a folder, and stands for all files in it.
Findings apply_exceptions(const Tree& tree, Findings findings);

// Lines for people: how many folders, cycles, and the longest function and file of src/.
void describe(const Tree& tree, std::ostream& out);

// All of the above.
Findings check(const Tree& tree, const Dependencies& dependencies);

}  // namespace tidy

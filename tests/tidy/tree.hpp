// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text files of a source tree, as lines, and for C++ as lines of code and lines of comment.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace tidy {

struct File {
  std::string path;  // relative to the tree's root, with forward slashes
  std::vector<std::string> lines;

  bool has_extension(std::initializer_list<std::string_view> extensions) const;
  bool is_c_family() const { return has_extension({".c", ".cpp", ".h", ".hpp", ".S"}); }
};

struct Tree {
  std::vector<File> files;      // text files, sorted by path
  std::set<std::string> paths;  // every file, binary ones too

  // The text file of that path; nullptr: there is none.
  const File* find(std::string_view path) const;
};

// Leaves out what git keeps or what a build or a run leaves behind: .git, build*, thrum-out.
// Throws std::filesystem::filesystem_error where the root cannot be read.
Tree read_tree(const std::filesystem::path& root);

// The same lines twice: `code` without comments and with the contents of literals blanked out, and
// `comments` without anything else.
struct Split {
  std::vector<std::string> code;
  std::vector<std::string> comments;
};
Split split(const File& file);

}  // namespace tidy

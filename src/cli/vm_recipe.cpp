// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/vm_recipe.hpp"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "cli/process.hpp"
#include "verdict/error.hpp"

namespace thrum {

namespace {

using Words = std::vector<std::string>;

class RecipeReader {
 public:
  explicit RecipeReader(std::string folder) : folder_(std::move(folder)) {}

  // Returns what is wrong with the line; empty: nothing.
  std::string read(const Words& words) {
    const std::string& first = words[0];
    const Words rest(words.begin() + 1, words.end());
    if (first == "unpack" || first == "include") {
      if (rest.size() != 1) return first + " takes one word";
      if (first == "unpack") {
        recipe_.unpack.push_back(rest[0]);
      } else {
        includes_.push_back("-I" + placed(rest[0]));
      }
    } else if (first == "flags") {
      append(flags_, rest);
    } else if (first == "group") {
      if (rest.empty()) return "group needs a folder";
      group_ = placed(rest[0]);
      group_flags_ = Words(rest.begin() + 1, rest.end());
    } else {
      return add_file(first, rest);
    }
    return "";
  }

  const Recipe& recipe() const { return recipe_; }

 private:
  static void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

  std::string placed(const std::string& path) const {
    return path.starts_with("./") ? folder_ + path.substr(1) : path;
  }

  std::string add_file(const std::string& name, const Words& flags) {
    if (group_.empty())
      return "'" + name + "' is no word of recipes, and no group is open whose file it could be";
    if (name.find('.') == std::string::npos)
      return "'" + name + "' is no word of recipes, and no source file";
    RecipeFile file = {group_ + "/" + name, includes_};
    append(file.flags, flags_);
    append(file.flags, group_flags_);
    append(file.flags, flags);
    recipe_.files.push_back(std::move(file));
    return "";
  }

  std::string folder_;
  Words includes_, flags_, group_flags_;
  std::string group_;
  Recipe recipe_;
};

}  // namespace

Recipe parse_recipe(const std::string& text, const std::string& folder, const std::string& name) {
  RecipeReader reader(folder);
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const Words words = split_words(line);
    if (words.empty() || words[0].starts_with('#')) continue;
    const std::string problem = reader.read(words);
    if (!problem.empty()) throw UserError(fmt::format("{}:{}: {}", name, number, problem));
  }
  if (reader.recipe().files.empty()) throw UserError(name + ": names no source file");
  return reader.recipe();
}

}  // namespace thrum

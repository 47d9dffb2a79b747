// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/vm_recipe.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "verdict/error.hpp"
#include "verdict/text_file.hpp"

namespace thrum {
namespace {

using Words = std::vector<std::string>;

Recipe parse(const std::string& text) { return parse_recipe(text, "/lib", "test.recipe"); }

std::string problem_of(const std::string& text) {
  try {
    parse(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(VmRecipe, FilesHaveTheFlagsOfAllTheirGroupAndTheirOwnLast) {
  const Recipe recipe = parse(
      "# a remark\n"
      "unpack a/*\n"
      "unpack b/c.h\n"
      "\n"
      "include ./headers\n"
      "include a\n"
      "flags -O1 -w\n"
      "group a -std=gnu++98 -DA\n"
      "  one.cc\n"
      "two.cc -std=gnu++11 '-DB=x y'\n"
      "group ./own\n"
      "three.cpp\n");
  EXPECT_EQ(recipe.unpack, (Words{"a/*", "b/c.h"}));
  ASSERT_EQ(recipe.files.size(), 3U);
  EXPECT_EQ(recipe.files[0].source, "a/one.cc");
  EXPECT_EQ(recipe.files[0].flags, (Words{"-I/lib/headers", "-Ia", "-O1", "-w", "-std=gnu++98", "-DA"}));
  EXPECT_EQ(recipe.files[1].source, "a/two.cc");
  EXPECT_EQ(recipe.files[1].flags,
            (Words{"-I/lib/headers", "-Ia", "-O1", "-w", "-std=gnu++98", "-DA", "-std=gnu++11", "-DB=x y"}));
  EXPECT_EQ(recipe.files[2].source, "/lib/own/three.cpp");
  EXPECT_EQ(recipe.files[2].flags, (Words{"-I/lib/headers", "-Ia", "-O1", "-w"}));
}

TEST(VmRecipe, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_EQ(problem_of("group a\na.cc\nunpack\n"), "test.recipe:3: unpack takes one word");
  EXPECT_EQ(problem_of("include a b\n"), "test.recipe:1: include takes one word");
  EXPECT_EQ(problem_of("group\n"), "test.recipe:1: group needs a folder");
  EXPECT_EQ(problem_of("a.cc\n"),
            "test.recipe:1: 'a.cc' is no word of recipes, and no group is open whose file it could be");
  EXPECT_EQ(problem_of("group a\n\nflag -O1\n"),
            "test.recipe:3: 'flag' is no word of recipes, and no source file");
  EXPECT_EQ(problem_of("flags -O1\n"), "test.recipe: names no source file");
}

// What lies beside the recipes is compiled, each file once.
TEST(VmRecipe, TheRecipesNameAllSourcesOfOurOwn) {
  const std::string folder = std::string(THRUM_SOURCE_DIR) + "/libraries";
  std::multiset<std::string> named;
  for (const char* name : {"machine.recipe", "libstdc++.recipe"}) {
    for (const RecipeFile& file : parse_recipe(read_file(folder + "/" + name), folder, name).files) {
      if (file.source.starts_with(folder)) named.insert(file.source);
    }
  }
  std::multiset<std::string> there;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string ending = entry.path().extension();
    if (ending == ".c" || ending == ".cpp") there.insert(entry.path());
  }
  EXPECT_EQ(named, there);
  EXPECT_GE(there.size(), 8U);
}

}  // namespace
}  // namespace thrum

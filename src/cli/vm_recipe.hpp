// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recipes: text files that say which sources become bitcode for the machine, and by which flags. The files
// lie in libraries/; libstdc++.recipe there begins with the language.
//
// Tested by vm_recipe_test.cpp.
#pragma once

#include <string>
#include <vector>

namespace thrum {

// A source file and the compiler's flags for it, the folders of headers included.
struct RecipeFile {
  std::string source;
  std::vector<std::string> flags;
};

struct Recipe {
  std::vector<std::string> unpack;  // patterns of what is needed of an archive
  std::vector<RecipeFile> files;
};

// folder: where the recipe lies, in place of "." in folders that begin with "./". Other folders stay
// relative. Throws UserError with the line that is wrong. name: of the recipe, for that.
Recipe parse_recipe(const std::string& text, const std::string& folder, const std::string& name);

}  // namespace thrum

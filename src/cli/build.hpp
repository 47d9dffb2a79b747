// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs given as source files on the command line.
#pragma once

#include <string>
#include <vector>

#include "cli/temporary_folder.hpp"

namespace thrum {

// Whether a file's name says that it is C or C++ source.
bool is_source(const std::string& file);

// A program compiled into a folder of its own. The folder is removed with this object.
class TemporaryBuild {
 public:
  // Compiles for checking: gnu++20 or gnu17, -O1 -g, then compile_flags. bitcode: as with --bitcode. The
  // compiler's messages go to standard error. Throws UserError if it fails.
  TemporaryBuild(const std::vector<std::string>& sources, const std::string& compile_flags, bool bitcode);
  TemporaryBuild(const TemporaryBuild&) = delete;
  TemporaryBuild& operator=(const TemporaryBuild&) = delete;

  std::string program() const { return folder_.path() + "/program"; }

 private:
  void compile(const std::vector<std::string>& sources, const std::string& compile_flags, bool bitcode);

  TemporaryFolder folder_;
};

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tidy ROOT DEPENDENCIES: prints what the tree is made of, and what is untidy in the source tree ROOT as
// `file:line: what`, and fails if there is anything. DEPENDENCIES is the file in which CMake writes what each
// folder may depend on.
#include <exception>
#include <fstream>
#include <iostream>

#include "tidy/rules.hpp"

int main(int argc, char** argv) try {
  std::ifstream dependencies(argc == 3 ? argv[2] : "");
  if (!dependencies) {
    std::cerr << "usage: tidy ROOT DEPENDENCIES\n";
    return 2;
  }
  tidy::Tree tree = tidy::read_tree(argv[1]);
  tidy::Findings findings = tidy::check(tree, tidy::parse_dependencies(dependencies));
  tidy::describe(tree, std::cout);
  for (const tidy::Finding& finding : findings) std::cout << finding << '\n';
  std::cout << tree.files.size() << " files, " << findings.size() << " findings\n";
  return findings.empty() ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << "tidy: " << error.what() << '\n';
  return 2;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the functions of a program know of each other while they are written.
#pragma once

#include <clang/AST/Decl.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sequentialize/declarations.hpp"
#include "sequentialize/options.hpp"
#include "sequentialize/source.hpp"

namespace thrum::seq {

// A function that has a body.
struct Defined {
  std::string name;
  const clang::FunctionDecl* declaration = nullptr;
  std::size_t file = 0;
  std::vector<std::string> parameters{};  // their names
  // Of the first reading:
  bool has_points = false;
  bool calls_pointers = false;
  std::set<std::string> callees{};
  // Whether it may reach a scheduling point, so that its callers must look whether it came back.
  bool visible = true;
  bool address_taken = false;
};

// The features of the prelude that the program asks for.
enum class Feature {
  arguments,  // threads look at what they are given
  results,    // joins look at what threads give back
  meeting,    // any of the types by which threads meet
  choose,
  recursion,  // mutexes that may be locked again by the thread that has them
};

// What is looked for with Options::race.
struct RaceTarget {
  std::string type;   // of the field; empty: a variable
  std::string field;  // or the variable
  bool found = false;
};

struct Program {
  Options options;
  ProgramNames names;
  std::map<std::string, Defined> functions;   // by their names in the sequential program
  std::vector<std::string> thread_functions;  // number 0 is main
  std::set<Feature> features;
  std::optional<RaceTarget> race;
  std::set<std::string> recursive_calls;  // "caller callee"

  // The number by which the function is started.
  unsigned thread_number(const std::string& function);
  bool is_recursive_call(const std::string& caller, const std::string& callee) const {
    return recursive_calls.contains(caller + ' ' + callee);
  }
  // From what the first reading of the functions found: which are visible, and which recursive.
  void close();
};

}  // namespace thrum::seq

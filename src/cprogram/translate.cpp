// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cprogram/translate.hpp"

#include "cprogram/function_translator.hpp"
#include "cprogram/unit.hpp"

namespace thrum::cprogram {

bp::Program translate(const std::string& path, const std::string& text, const Options& options) {
  Tree tree(path, text, options.include_folders);
  Unit unit(tree, options.bits);
  return unit.program([&](const Callee& callee) { return FunctionTranslator(unit, callee).function(); });
}

std::string to_text(const bp::Program& program, const std::string& path, const Options& options) {
  std::string bits = std::to_string(options.bits);
  return "// Translated by thrum bool from-c --bits " + bits + " from " + path +
         ".\n// Unlike in C, integer types that have more than " + bits + " bits have " + bits +
         " here, and wrap around.\n" +
         "// x$0 is the lowest bit of x; _$0$0, _$1$0, ... are those of intermediate values.\n" +
         bp::to_text(program);
}

}  // namespace thrum::cprogram

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What initialises variables of static storage, as text.
#pragma once

#include <clang/AST/Expr.h>

#include <string>

#include "sequentialize/declarations.hpp"
#include "sequentialize/source.hpp"

namespace thrum::seq {

std::string initial_value(const Source& source, const Declarations& declarations, clang::QualType type,
                          const clang::Expr* from);

}  // namespace thrum::seq

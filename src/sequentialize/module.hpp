// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What passes between `thrum` and the module that writes sequential programs. Clang is large and not
// everywhere, so the module is loaded where it is needed. No exception passes: each side has types of its own
// to catch.
#pragma once

#include <string>
#include <vector>

#include "sequentialize/sequentialize.hpp"

namespace thrum::seq {

struct Request {
  std::vector<std::string> files;
  Options options;
};

struct Reply {
  Sequential program;
  std::string message;  // not empty: why there is no program, and where
  Place where;
};

inline constexpr const char* kModule = "lib/thrum/libthrum-sequentialize.so";
inline constexpr const char* kModuleFunction = "thrum_sequentialize";
using ModuleFunction = void (*)(const Request& request, Reply& reply);

}  // namespace thrum::seq

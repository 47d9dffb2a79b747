// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What passes between `thrum` and the module that reads C (src/cprogram/module.cpp). libclang is large and
// not everywhere, and `thrum` is also the compiler driver; so the module is loaded where C is read, and only
// then. No exception passes: each side has types of its own to catch.
#pragma once

#include <string>
#include <vector>

#include "boolprog/syntax.hpp"

namespace thrum::bp {

struct FromCRequest {
  std::string path;
  std::string text;
  unsigned bits = 0;
  std::vector<std::string> include_folders{};
};

struct FromCReply {
  Program program{};
  std::string text{};     // of the program, with a comment on where it comes from
  std::string message{};  // not empty: why there is no program, and where
  std::string file{};
  Position where{};
};

inline constexpr const char* kFromCModule = "lib/thrum/libthrum-from-c.so";
inline constexpr const char* kFromCFunction = "thrum_from_c";
using FromCFunction = void (*)(const FromCRequest& request, FromCReply& reply);

}  // namespace thrum::bp

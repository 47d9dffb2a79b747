// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface between `thrum` and the module that reads C (src/cprogram/module.cpp). libclang is large and
// not always installed, and `thrum` is also the compiler driver. So the module is loaded only when C is read.
// No exception crosses the interface, since each side has its own exception types.
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
  std::string text{};     // of the program, with a comment on its origin
  std::string message{};  // not empty: why there is no program, and where
  std::string file{};
  Position where{};
};

inline constexpr const char* kFromCModule = "lib/thrum/libthrum-from-c.so";
inline constexpr const char* kFromCFunction = "thrum_from_c";
using FromCFunction = void (*)(const FromCRequest& request, FromCReply& reply);

}  // namespace thrum::bp

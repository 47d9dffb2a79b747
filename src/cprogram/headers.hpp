// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C library's headers as a translated program sees them: what has a meaning in a boolean program, and no
// more. So the translation needs no headers of the machine, and reads the same program on each.
#pragma once

#include <string>
#include <vector>

namespace thrum::cprogram {

struct Header {
  std::string path;
  std::string text;
};

// A folder that exists in libclang's view only.
inline constexpr const char* kHeadersFolder = "/thrum-headers";
const std::vector<Header>& headers();

}  // namespace thrum::cprogram

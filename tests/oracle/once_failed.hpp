// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The programs of regressions/, each of which a search once got wrong.
#pragma once

#include <string>
#include <vector>

#include "oracle/toy_code.hpp"

namespace thrum {

struct OnceFailed {
  std::string name;  // of its file
  ToyCode code;
};

// In the order of their names. Throws where a file is no toy program, or none is there.
std::vector<OnceFailed> programs_that_once_failed();

}  // namespace thrum

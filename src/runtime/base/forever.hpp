// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A global that is never destroyed. The process under test ends in many ways, and the runtime must outlive
// all of them.
#pragma once

namespace thrum {

template <typename T>
union Forever {
  constexpr Forever() : value() {}
  constexpr ~Forever() {}  // not destroying is the point
  T value;
};

}  // namespace thrum

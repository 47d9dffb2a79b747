// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The policies that there are, as they work.
#pragma once

#include <memory>

#include "execution/policy.hpp"

namespace thrum {

// Nothing for Policy::Kind::base, which needs none.
std::unique_ptr<RunningPolicy> make_policy(Policy::Kind kind);

}  // namespace thrum

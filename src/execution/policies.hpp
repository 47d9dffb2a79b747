// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the object that runs a policy.
#pragma once

#include <memory>

#include "execution/policy.hpp"

namespace thrum {

// nullptr for Policy::Kind::base, which needs none.
std::unique_ptr<RunningPolicy> make_policy(Policy::Kind kind);

}  // namespace thrum

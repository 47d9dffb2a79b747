// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "execution/policies.hpp"

#include "execution/pct_policy.hpp"
#include "execution/pos_policy.hpp"
#include "execution/random_policy.hpp"
#include "execution/surw_policy.hpp"

namespace thrum {

std::unique_ptr<RunningPolicy> make_policy(Policy::Kind kind) {
  switch (kind) {
    case Policy::Kind::base: break;
    case Policy::Kind::random: return std::make_unique<RandomWalkPolicy>();
    case Policy::Kind::pct: return std::make_unique<PctPolicy>();
    case Policy::Kind::pos: return std::make_unique<PosPolicy>();
    case Policy::Kind::surw: return std::make_unique<SurwPolicy>();
  }
  return nullptr;
}

}  // namespace thrum

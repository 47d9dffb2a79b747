// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/policy.hpp"

#include "search/pct.hpp"
#include "search/pos.hpp"
#include "search/random_walk.hpp"
#include "search/surw.hpp"

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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/random/pos.hpp"

namespace thrum {

bool Pos::next(Plan& plan) {
  plan.policy = {.kind = Policy::Kind::pos, .seed = random_.next(), .waiting = Waiting::values};
  plan.departures.clear();
  return true;
}

bool Pos::load(ByteReader& in, ThreadNames&) {
  random_ = Random(in.get<std::uint64_t>());
  return in.ok();
}

}  // namespace thrum

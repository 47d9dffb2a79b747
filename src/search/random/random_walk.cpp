// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/random/random_walk.hpp"

namespace thrum {

bool RandomWalk::next(Plan& plan) {
  plan.policy = {.kind = Policy::Kind::random, .seed = random_.next(), .waiting = Waiting::values};
  plan.departures.clear();
  return true;
}

std::unique_ptr<Strategy> RandomWalk::split() { return std::make_unique<RandomWalk>(random_.next()); }

void RandomWalk::save(ByteWriter& out, const ThreadNames&) const { out.put(random_.state()); }

bool RandomWalk::load(ByteReader& in, ThreadNames&) {
  random_ = Random(in.get<std::uint64_t>());
  return in.ok();
}

}  // namespace thrum

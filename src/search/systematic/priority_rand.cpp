// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// BF(rand), GAMBIT, section 4.2: each execution has a random priority, so that the search lingers nowhere and
// yet runs each once. It is a function of the seed and of the departures that name the execution: so it is
// the same whenever the execution is found.
#include "search/systematic/priorities.hpp"
#include "support/random.hpp"

namespace thrum {

namespace {

std::uint64_t mix(std::uint64_t so_far, const Departure& departure) {
  std::uint64_t key = std::uint64_t{departure.key.index} << 32 | std::uint64_t{departure.key.thread} << 16 |
                      std::uint64_t(departure.key.kind) << 8 | std::uint64_t(departure.option.via);
  return Random(Random(so_far ^ key).next() ^ departure.option.value).next();
}

}  // namespace

Level rand_priority(const Execution& execution, std::size_t choice, std::uint16_t option) {
  const ChoicePoint& point = execution.trace.choices[choice];
  std::uint64_t hash = execution.seed;
  for (const Departure& departure : execution.plan.departures) hash = mix(hash, departure);
  hash = mix(hash, {point.key, execution.trace.options_of(point)[option]});
  return static_cast<Level>(hash >> 48);
}

}  // namespace thrum

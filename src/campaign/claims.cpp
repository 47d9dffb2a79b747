// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "campaign/claims.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace thrum {

namespace {

std::optional<Cut> cut_of(End end) {
  switch (end) {
    case End::finished:
    case End::bug:
    case End::stopped:
    case End::yields:
    case End::waiting:
    case End::assumption: return std::nullopt;
    case End::steps: return Cut::steps;
    case End::memory: return Cut::memory;
    case End::threads: return Cut::threads;
    case End::refused: return Cut::refused_call;
    case End::time: return Cut::time;
    case End::goes_round: return Cut::rounds;
    case End::diverged:
    case End::uncontrolled: break;
  }
  return Cut::divergence;
}

}  // namespace

const char* cut_name(Cut cut) {
  switch (cut) {
    case Cut::refused_call: return "refused-call";
    case Cut::uncontrolled_call: return "uncontrolled-call";
    case Cut::steps: return "steps";
    case Cut::memory: return "memory";
    case Cut::threads: return "threads";
    case Cut::time: return "time";
    case Cut::rounds: return "rounds";
    case Cut::divergence: break;
  }
  return "divergence";
}

void Claims::take(Base base, const Trace& trace) {
  if (trace.end == End::assumption) {
    ++assumed_away;
    return;
  }
  std::optional<Cut> cut = cut_of(trace.end);
  if (!cut && trace.counts.left_control) cut = Cut::uncontrolled_call;
  if (!cut) {
    ++passed;
    if (trace.end == End::yields) ++beyond_yields;
    return;
  }
  ++cuts[static_cast<std::size_t>(*cut)];
  std::uint32_t& open = open_from[static_cast<std::size_t>(base)];
  open = std::min(open, trace.cost);
}

void Claims::lose(Cut cut) {
  ++cuts[static_cast<std::size_t>(cut)];
  open_from.fill(0);
}

std::uint64_t Claims::cut() const { return std::accumulate(cuts.begin(), cuts.end(), std::uint64_t{0}); }

Guarantee Claims::weigh(Guarantee guarantee) const {
  const bool nothing = none_passed();
  if (nothing || cut() > 0) guarantee.complete = guarantee.exhausted = false;
  for (Bound& bound : guarantee.bounds) {
    // A reversal after a cut, which a reduction did not see, may have cost less than the cut execution.
    const bool is_void = nothing || (bound.covers == Covers::local_states && cut() > 0);
    const std::uint32_t open = is_void ? 0 : open_from[static_cast<std::size_t>(bound.base)];
    if (!bound.completed || *bound.completed < open) continue;
    bound.completed = open == 0 ? std::nullopt : std::optional(open - 1);
  }
  return guarantee;
}

void Claims::merge(const Claims& other) {
  for (std::size_t i = 0; i < cuts.size(); ++i) cuts[i] += other.cuts[i];
  passed += other.passed;
  assumed_away += other.assumed_away;
  beyond_yields += other.beyond_yields;
  for (std::size_t i = 0; i < open_from.size(); ++i)
    open_from[i] = std::min(open_from[i], other.open_from[i]);
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/policy.hpp"

#include <algorithm>

namespace thrum {

namespace {

constexpr PolicyParameter kOfPct[] = {{"depth", kPctDepthMax}, {"steps", ~std::uint64_t{0}}};
constexpr PolicyParameter kOfSurw[] = {{"object", ~std::uint64_t{0}}};

constexpr PolicyRow kPolicies[] = {
    {Policy::Kind::base, "base", {}},
    {Policy::Kind::random, "random", {}},
    {Policy::Kind::pct, "pct", kOfPct},
    {Policy::Kind::pos, "pos", {}},
    {Policy::Kind::surw, "surw", kOfSurw, true},
};

}  // namespace

std::span<const PolicyRow> policies() { return kPolicies; }

const PolicyRow& row_of(Policy::Kind kind) { return kPolicies[static_cast<std::size_t>(kind)]; }

const PolicyRow* find_policy(std::string_view name) {
  const auto row = std::find_if(std::begin(kPolicies), std::end(kPolicies),
                                [&](const PolicyRow& one) { return one.name == name; });
  return row != std::end(kPolicies) ? row : nullptr;
}

bool is_possible(const Policy& policy) {
  if (static_cast<std::size_t>(policy.kind) >= std::size(kPolicies) || policy.base > Base::round_robin ||
      policy.fairness > Fairness::on || policy.waiting > Waiting::values || policy.rounds > Rounds::merge)
    return false;
  const PolicyRow& row = row_of(policy.kind);
  if (policy.parameters.size() > row.parameters.size() || (!row.has_counts && !policy.counts.empty()))
    return false;
  for (std::size_t i = 0; i < policy.parameters.size(); ++i) {
    if (policy.parameters[i] > row.parameters[i].max) return false;
  }
  return true;
}

}  // namespace thrum

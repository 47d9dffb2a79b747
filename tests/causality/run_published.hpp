// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs strategies that ask each question of one trace, and others beside them, on toy programs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "causality/compare_causality.hpp"
#include "causality/mpc_by_traces.hpp"
#include "oracle/toy_program.hpp"
#include "search/strategy.hpp"

namespace thrum {

// To the end, or until so many executions were run: is_cut then.
struct PublishedShown : CausalityShown {
  bool is_cut = false;
  std::uint64_t stopped = 0;  // executions that could not go on as planned
  std::string not_covered;
};
PublishedShown run_published(ToyProgram& program, Strategy& search, PathForm form,
                             std::uint64_t executions_max);

PublishedShown run_by_traces(const ToyCode& code, MpcByTraces::Retrying retrying,
                             std::uint64_t executions_max = 3'000);

// The first one that is among these and not among those; empty: there is none.
std::string first_missing(const std::set<std::string>& these, const std::set<std::string>& those);
std::uint64_t count_missing(const std::set<std::string>& these, const std::set<std::string>& those);

}  // namespace thrum

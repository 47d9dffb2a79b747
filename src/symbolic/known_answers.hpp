// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What earlier questions have shown: models, which may be models of other conditions too, and cores, which no
// conditions can hold together with.
//
// Tested by conditions_test.cpp.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "symbolic/conditions.hpp"

namespace thrum {

class KnownAnswers final : public Conditions {
 public:
  KnownAnswers(const Terms& terms, Conditions& next) : terms_(terms), next_(next) {}

  ConditionAnswer ask(std::span<const Term> conditions) override;

  // Values that an execution has had: a model of whatever held there.
  void learn_model(std::vector<Bits> symbols);
  void learn_core(std::vector<Term> conditions);

  std::uint64_t by_models() const { return by_models_; }
  std::uint64_t by_cores() const { return by_cores_; }

 private:
  static constexpr std::size_t kModels = 16;
  const std::vector<Term>* core_within(std::span<const Term> sorted) const;

  const Terms& terms_;
  Conditions& next_;
  std::deque<std::vector<Bits>> models_;                           // the last ones first
  std::vector<std::vector<Term>> cores_;                           // each sorted
  std::unordered_map<Term, std::vector<std::uint32_t>> cores_of_;  // by their first condition
  std::uint64_t by_models_ = 0;
  std::uint64_t by_cores_ = 0;
};

}  // namespace thrum

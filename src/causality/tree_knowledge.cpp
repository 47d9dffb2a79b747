// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/tree_knowledge.hpp"

#include <algorithm>

#include "causality/planned_steps.hpp"

namespace thrum {

bool TreeKnowledge::learn(const Trace& trace) {
  const bool begins_again = trace.grew || trace.begins_again;
  if (begins_again) {
    encoding_.reset();
    trees_ = ThreadTrees();
    initial_ = InitialState();
    inputs_.clear();
  }
  if (!trace.begins_again) learner_.learn(trace);
  for (const RecordedInput& input : trace.inputs) {
    if (std::ranges::find(inputs_, input.symbol, &RecordedInput::symbol) == inputs_.end())
      inputs_.push_back(input);
  }
  if (problem_.empty()) problem_ = learner_.not_covered();
  if (problem_.empty()) problem_ = trees_.problem();
  const bool rounds_write =
      trace.waiting != Waiting::spins || trace.rounds > Rounds::block || trace.end == End::goes_round;
  if (problem_.empty() && rounds_write) problem_ = "loops whose rounds write, and take it back";
  if (problem_.empty() && trace.compares_deadlines) problem_ = "several deadlines";
  return begins_again;
}

Encoding& TreeKnowledge::encoding() {
  if (is_spoilt_) encoding_.reset();
  is_spoilt_ = false;
  if (!encoding_ || !encoding_->extend(interrupt_)) {
    Cells cells = encoding_ ? encoding_->cells() : Cells();
    encoding_ = std::make_unique<Encoding>(deciding_, trees_, terms_, initial_, make_solver_(terms_),
                                           std::move(cells), clauses_at_once_);
    encoding_->extend(interrupt_);
    ++encodings_;
  }
  if (problem_.empty()) problem_ = encoding_->not_covered();
  return *encoding_;
}

Plan TreeKnowledge::plan_of(std::span<const Node> steps) {
  Plan plan;
  write_steps(plan, trees_, steps, [&](Node signal) { return encoding_->chosen_by(signal); });
  write_inputs(plan, inputs_, encoding_->solver());
  return plan;
}

}  // namespace thrum

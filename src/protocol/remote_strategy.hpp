// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A strategy of a worker that lives in the supervisor's process: one that needs a solver, for example, which
// has no place in the program under test. The worker's messages are questions: for the next
// plan, and what follows from a trace (conversation.hpp).
//
// Thread safety: none.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "protocol/conversation.hpp"
#include "search/strategy.hpp"

namespace thrum {

class RemoteStrategy final : public Strategy, public Reporting {
 public:
  // is_over: whether the search has to end. All must outlive it. The leader makes a new strategy for it.
  RemoteStrategy(Channel& channel, Futex futex, ThreadNames& names, std::function<bool()> is_over);

  bool next(Plan& plan) override;
  Wanted wanted() const override { return wanted_; }
  void learn(const Plan& plan, const Trace& trace) override;
  Reporting& reporting() override { return *this; }
  Guarantee guarantee() const override { return guarantee_; }
  std::string problem() const override { return problem_; }
  Progress progress() override { return progress_; }
  SearchStatistics statistics() const override { return statistics_; }

 private:
  // What the leader answers; empty: it is gone.
  std::string ask(const ByteWriter& question);
  void take(ByteReader& answer);

  Conversation leader_;
  ThreadNames& names_;
  Wanted wanted_;
  // As the leader has said last.
  Guarantee guarantee_;
  std::string problem_;
  Progress progress_;
  SearchStatistics statistics_;
};

// The leader's side: answers until the worker is gone.
void serve_strategy(Channel& channel, const std::function<std::unique_ptr<Strategy>()>& make,
                    const std::function<bool()>& is_over);

}  // namespace thrum

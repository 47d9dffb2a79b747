// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A strategy of a worker that lives in the supervisor's process: one that needs a solver, for example, which
// has no place in the program under test. The worker's messages are questions: for the next
// plan, and what follows from a trace (conversation.hpp). To save the search, the worker asks for the
// strategy's state, so that this and all that the worker knows are of one moment.
//
// Thread safety: none.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "protocol/conversation.hpp"
#include "search/strategy.hpp"
#include "support/interrupt.hpp"

namespace thrum {

class RemoteStrategy final : public Strategy, public Durable, public Reporting {
 public:
  // is_over: whether the search has to end: then next() does not wait. All must outlive it. The leader makes
  // a new strategy for it.
  RemoteStrategy(Channel& channel, Futex futex, ThreadNames& names, std::function<bool()> is_over);

  bool next(Plan& plan) override;
  Wanted wanted() const override { return wanted_; }
  void learn(const Plan& plan, const Trace& trace) override;
  Durable* durable() override { return this; }
  void save(ByteWriter& out, const ThreadNames& names) const override;
  bool load(ByteReader& in, ThreadNames& names) override;
  bool keeps_addresses() const override { return true; }
  Reporting& reporting() override { return *this; }
  Guarantee guarantee() const override { return guarantee_; }
  std::string problem() const override { return problem_; }
  Progress progress() override { return progress_; }
  SearchStatistics statistics() const override { return statistics_; }

 private:
  // What the leader answers; empty: it is gone.
  std::string ask(const ByteWriter& question) const;
  std::string ask_at_ease(const ByteWriter& question) const;
  void take(ByteReader& answer);

  std::function<bool()> is_over_;
  mutable bool is_at_ease_ = false;  // waits for an answer even if the search has to end
  mutable Conversation leader_;
  ThreadNames& names_;
  Wanted wanted_;
  // As the leader has said last.
  Guarantee guarantee_;
  std::string problem_;
  Progress progress_;
  SearchStatistics statistics_;
};

// Makes a strategy. raise() of the interrupt, from another thread, lets its next() return soon.
using MakeOutside = std::function<std::unique_ptr<Strategy>(Interrupt& interrupt)>;

// The leader's side: answers until is_over() says that the worker is gone. Raise the interrupt when the
// worker does not wait for an answer any longer; it is lowered with the next question. at_end is
// called then, with the last strategy and the names of its threads.
void serve_strategy(Channel& channel, const MakeOutside& make, const std::function<bool()>& is_over,
                    Interrupt& interrupt, const std::function<void(Strategy&, const ThreadNames&)>& at_end);

}  // namespace thrum

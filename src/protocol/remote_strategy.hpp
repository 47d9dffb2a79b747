// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A strategy of a worker that lives in the supervisor's process: one that needs a solver, for example, which
// has no place in the program under test. The worker's messages are questions: for the next
// plan, and what follows from a trace (conversation.hpp). To save the search, the worker asks for the
// strategy's state, so that this and all that the worker knows are of one moment.
//
// If several workers share the search, each has a strategy there, that helps with the first worker's. What
// they know they tell each other there: so a part that a worker hands in holds nothing, and the first worker
// is done when all are.
//
// Thread safety: none; StrategyServer: any number of threads. Tested by tests/endtoend/causality_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/conversation.hpp"
#include "search/strategy.hpp"
#include "support/interrupt.hpp"

namespace thrum {

class RemoteStrategy final : public Strategy, public Divisible, public Durable, public Reporting {
 public:
  // Where this process talks to its supervisor. A copy of the process has another channel.
  using OwnChannel = std::function<Channel&()>;

  // Both say that next() is not to wait any longer: is_over, since the search has to end; is_called, since
  // the worker is wanted for something else, before it calls next() again. names must outlive it. The leader
  // makes a new strategy for it, when it is used first.
  RemoteStrategy(OwnChannel channel, Futex futex, ThreadNames& names, std::function<bool()> is_over,
                 std::function<bool()> is_called);

  bool next(Plan& plan) override;
  bool is_put_off() const override { return is_put_off_; }
  Wanted wanted() const override { return wanted_; }
  void learn(const Plan& plan, const Trace& trace) override;
  void prepare_copy() override;
  void go_on_as_copy() override;
  // If the strategy there can be helped.
  Divisible* divisible() override { return can_be_helped_ ? this : nullptr; }
  std::unique_ptr<Strategy> split() override;
  void merge(Strategy&) override {}
  Durable* durable() override { return this; }
  void save(ByteWriter& out, const ThreadNames& names) const override;
  bool load(ByteReader& in, ThreadNames& names) override;
  bool is_small() const override { return helps_; }
  bool keeps_addresses() const override { return true; }
  Reporting& reporting() override { return *this; }
  Guarantee guarantee() const override { return guarantee_; }
  std::string problem() const override { return problem_; }
  Progress progress() override { return progress_; }
  SearchStatistics statistics() const override { return statistics_; }
  Effort effort() const override { return effort_; }

 private:
  Conversation& leader() const;
  // What the leader answers; empty: it is gone.
  std::string ask(const ByteWriter& question) const;
  std::string ask_at_ease(const ByteWriter& question) const;
  void take(ByteReader& answer);
  std::string state() const;
  bool load_state(std::string_view state);

  OwnChannel channel_;
  Futex futex_;
  std::function<bool()> is_over_;
  std::function<bool()> is_called_;
  bool is_put_off_ = false;
  mutable bool was_called_ = false;  // while it waited for the last answer, which may be why there is none
  mutable bool is_at_ease_ = false;  // waits for an answer even if the search has to end
  mutable std::optional<Conversation> leader_;  // once they talk
  ThreadNames& names_;
  bool helps_ = false;
  std::string state_at_copy_;
  Wanted wanted_;
  // As the leader has said last.
  bool can_be_helped_ = false;
  Guarantee guarantee_;
  std::string problem_;
  Progress progress_;
  SearchStatistics statistics_;
  Effort effort_;
};

// A kind of strategy that lives in the supervisor's process; empty: none.
struct OutsideStrategy {
  // Makes one; or one that helps with `with`, unless that is nullptr; it may be at work in another thread
  // meanwhile. raise() of the interrupt, from another thread, lets next() return soon.
  std::function<std::unique_ptr<Strategy>(Interrupt& interrupt, Strategy* with)> make{};
  bool can_be_helped = false;

  explicit operator bool() const { return static_cast<bool>(make); }
};

// The leaders' side: the strategies of all workers, by the slots of their channels.
class StrategyServer {
 public:
  explicit StrategyServer(OutsideStrategy kind) : kind_(std::move(kind)) {}

  // Answers the worker of that channel until is_over() says that it is gone. For each slot on a thread of its
  // own.
  void serve(std::uint32_t slot, Channel& channel, const std::function<bool()>& is_over);
  // A worker comes there, which may ask for a strategy. In the first slot it is there from the beginning.
  void open(std::uint32_t slot);
  // The worker has ended, or has no part any more.
  void drop(std::uint32_t slot);
  // No worker waits for an answer any longer. Its next question will be answered.
  void interrupt_all();
  // The first worker's strategy, and the names of its threads; nullptr: there is none. REQUIRES: no thread
  // serves
  Strategy* first() const { return seats_[0].strategy.get(); }
  const ThreadNames& names() const { return names_; }

 private:
  struct Seat {
    std::timed_mutex busy{};  // held while it answers
    bool is_open = false;
    Interrupt interrupt{};
    std::unique_ptr<Strategy> strategy{};
    Plan plan{};
    std::string answer{};  // to `next`, if the worker did not wait for it; it asks again
  };

  std::string answer(std::uint32_t slot, const std::string& message);
  void next(Seat& seat, ByteWriter& out);
  void learn(Seat& seat, ByteReader& in, ByteWriter& out);
  bool load(Seat& seat, ByteReader& in);
  bool is_open(std::uint32_t slot);
  void make(std::uint32_t slot);
  void write_said(ByteWriter& out, Strategy& strategy) const;

  OutsideStrategy kind_;
  std::array<Seat, kChannelsMax> seats_;
  std::mutex first_mutex_;  // held while the first worker's strategy changes, or another one is made for it
  std::mutex names_mutex_;
  ThreadNames names_;  // the same for all, so that threads have the same ids
};

}  // namespace thrum

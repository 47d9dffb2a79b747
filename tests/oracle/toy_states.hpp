// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A toy program whose states can be told apart and returned to, on the oracle's interpreter: a mark is a
// copy.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "oracle/interpreter.hpp"
#include "oracle/oracle.hpp"
#include "stateful/state_program.hpp"

namespace thrum {

// What can influence how the execution goes on, as text: two states with the same text are the same. Names
// and what only races are judged by is no part of it.
std::string content_of(const OracleState& state);

class ToyStates final : public StateProgram {
 public:
  // code must outlive it.
  ToyStates(const ToyCode& code, bool plain_is_visible) : code_(code), interpreter_(code, plain_is_visible) {}

  void reset() override;
  bool is_over() const override { return is_over_; }
  End end() const override { return failure_.empty() ? End::finished : End::bug; }
  const Failure& failure() const override { return failure_; }
  const ChoicePoint& point() const override { return point_; }
  std::span<const Option> options() const override { return options_; }
  void step(Option option) override;
  StateStep traits() const override { return traits_; }
  Mark mark() override;
  void undo(Mark mark) override;
  StateKey key() override;
  std::vector<Failure> races() override;
  Failure livelock() const override;

  std::string content() const { return content_of(present_.state); }
  Ending ending() const { return ending_of(interpreter_, present_.state); }

 private:
  struct Moment {
    OracleState state;
    int running = 0;
    std::optional<Move> begun;  // a move that can go several ways
  };

  void arrive();
  void collect_options();
  void go(Move move, int way);

  const ToyCode& code_;
  Interpreter interpreter_;
  Moment present_;
  std::vector<Moment> marks_;
  bool is_over_ = false;
  Failure failure_;
  StateStep traits_;
  ChoicePoint point_;
  std::vector<Option> options_;
};

}  // namespace thrum

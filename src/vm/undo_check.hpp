// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine checks that it can undo. An execution runs a second time, by the same choices. At some of them,
// drawn at random, the machine sets a mark, runs some steps, returns to the mark, and runs the same steps
// again. Then
//   - all bytes of the program's memory, of its shadow and of the machine's part of it are at the mark as
//   they
//     were there before, and
//   - both runs of the steps end with equal bytes and tell the same: events, clocks of the race detector,
//   end.
// Which bytes were written is learned from the processor, not from the undo log (page_copies.hpp).
//
// No state, and so not compared: records of frames and registers above a thread's topmost frame; after the
// same steps, dead registers (liveness.hpp), which may hold what ran before in their place; what a frame
// keeps for a call of the machine, if it was made by none. Records about the execution that only grow go back
// by their length. The detector's cells are compared by what it finds. Names of threads and places, decoded
// functions, what is known of tests and inputs belong to no execution.
//
// Thread safety: none.
// Tested by undo_check_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "vm/liveness.hpp"
#include "vm/machine.hpp"
#include "vm/page_copies.hpp"

namespace thrum::vm {

class UndoCheck final : public ChoiceWatch {
 public:
  // every: of so many choices one is a mark, on average; 1: each.
  UndoCheck(Machine& machine, std::uint32_t every, std::uint64_t seed);
  ~UndoCheck() override;
  UndoCheck(const UndoCheck&) = delete;
  UndoCheck& operator=(const UndoCheck&) = delete;

  // As Machine::execute(), and checks.
  void execute(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace);

  // What was found first; empty: nothing.
  const std::string& problem() const { return problem_; }
  std::uint64_t checks() const { return checks_; }
  std::uint64_t steps() const { return steps_; }  // that were undone
  // Marks to which the race detector could not return.
  std::uint64_t given_up() const { return given_up_; }

  void begin_execution() override;
  std::uint16_t choose(const ChoicePoint& point) override;
  bool stops_at_choice() override;

 private:
  enum class Mode : std::uint8_t { off, records, leads, tries };
  using Page = std::vector<std::byte>;
  // What a run of some steps gives beside the bytes.
  struct Outcome {
    Trace trace;
    std::string output;
    std::size_t position = 0;
    std::uint64_t steps_left = 0;
    std::uint64_t clocks = 0;
    std::size_t foreign = 0, freed = 0, allowed = 0;
    bool over = false;
  };

  bool is_due(std::uint32_t points);
  void run_again(const Plan& plan, Wanted wanted, const Trace& trace);
  void check_here();
  void run(std::uint32_t steps, Outcome& outcome);
  std::unordered_map<std::uint64_t, Page> written() const;
  void compare_with_mark();
  void compare_pages(const std::unordered_map<std::uint64_t, Page>& first);
  void compare(const Outcome& first, const Outcome& second);
  void compare_page(std::uint64_t address, const std::byte* wanted, bool dead_too, const char* when);
  void report(const std::string& what);
  bool is_state(std::uint64_t address, bool dead_too);
  bool is_live(const Thread& thread, std::uint64_t address);
  std::uint64_t clocks() const;
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }

  Machine& machine_;
  std::uint32_t every_;
  std::mt19937_64 random_;
  Mode mode_ = Mode::off;
  std::vector<std::uint16_t> taken_;  // the options of the execution's choices
  std::size_t position_ = 0;          // in it
  std::uint32_t due_ = 0;             // choices until the next mark
  std::uint32_t marks_left_ = 0;      // of this execution
  std::uint32_t steps_left_ = 0;      // of those that are tried
  std::uint32_t inner_ = 0;           // so many steps before the end there is one more mark
  PageCopies pages_;
  std::unordered_map<const Function*, std::unique_ptr<Liveness>> liveness_;
  std::string problem_;
  std::uint64_t checks_ = 0, steps_ = 0, given_up_ = 0;
};

}  // namespace thrum::vm

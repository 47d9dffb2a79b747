// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program in the machine, as a stateful search sees it: it stands at a choice, is told an option, and
// goes on to the next choice; it returns to marks by the undo log.
//
// A choice inside a step (which waiter wakes, which value) stops the step: the machine returns to where the
// step began, and does it again with the answers so far. So each mark lies between two steps.
//
// Thread safety: none. REQUIRES: the machine's settings say visits_states.
// Tested by tests/native/states_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stateful/state_program.hpp"
#include "vm/choice_watch.hpp"
#include "vm/machine.hpp"
#include "vm/state_keys.hpp"

namespace thrum::vm {

class VmStates final : public StateProgram, public ChoiceWatch {
 public:
  // machine must outlive it, and has come to its first choice (prepare()).
  explicit VmStates(Machine& machine);
  ~VmStates() override;
  VmStates(const VmStates&) = delete;
  VmStates& operator=(const VmStates&) = delete;

  void reset() override;
  bool is_over() const override { return machine_.over; }
  End end() const override { return trace_.end; }
  const Failure& failure() const override { return trace_.failure; }
  const ChoicePoint& point() const override { return standing_.point; }
  std::span<const Option> options() const override { return standing_.options; }
  void step(Option option) override;
  StateStep traits() const override { return traits_; }
  Mark mark() override;
  void undo(Mark mark) override;
  StateKey key() override { return keys_.key(); }
  std::vector<Failure> races() override;
  Failure livelock() const override { return machine_.livelock(); }

  // What was learned of the program is put to use: steps and states may be others from here on, and schedules
  // of an earlier search have no meaning.
  void begin_search();
  // Whether something was learned since then that states or steps depend on. Then what was
  // found since is true, but not all there is: the search begins again.
  bool has_learned() const;
  // Whether states that differ only in where blocks lie are one.
  bool is_symmetric() const { return keys_.is_symmetric(); }
  // Where what the program does has come to depend on the addresses of blocks: from the next search on,
  // states that differ in them are different. Nothing: nowhere.
  const std::optional<std::vector<Place>>& escape() const { return escape_; }
  // Why the machine could not go on; empty: it could.
  const std::string& refused() const { return refused_; }
  // Of the present schedule. REQUIRES: all its steps were done one after the other, without undo().
  const Trace& trace() const { return trace_; }
  // Of the last step, which has led to an end.
  const LeakSearch::EndOfStates& leaks() const { return machine_.leaks.end_of_states; }
  // Whether the thread stands before an access that is no visible operation in ordinary executions.
  static bool stands_at_plain_access(ThreadId id);
  // The thread's id in an execution in which ids do not come again. REQUIRES: Machine::keeps_order
  static ThreadId id_in_order(ThreadId id);

  Wanted wanted;  // what the traces of executions record, from the next reset() on

  void begin_execution() override {}
  std::uint16_t choose(const ChoicePoint& point) override;
  bool stops_at_choice() override { return false; }

 private:
  // Where the program stands: at a choice, which the step that began at the moment has met behind those that
  // were answered.
  struct Standing {
    Machine::Moment moment;
    StateKeys::Moment keys;
    std::size_t events = 0;  // that were recorded before it
    bool is_first = false;   // the step began with the execution, else with a choice among threads
    std::vector<Option> answered;
    ChoicePoint point;
    std::vector<Option> options;
  };

  static const Thread* find(ThreadId id);
  void note_stand(Option option);
  void run();
  void mark_here(Standing& standing);
  void return_to(const Standing& standing);

  Machine& machine_;
  StateKeys keys_;
  Plan plan_;
  Trace trace_;
  Standing standing_;
  std::vector<Standing> marks_;  // the first so many are in use
  std::size_t marks_used_ = 0;
  bool is_marked_ = false;  // the machine is where the present standing's moment is
  std::size_t answer_ = 0;  // the next of standing_.answered
  StateStep traits_;
  bool yields_ = false;  // the step that began last; and so on
  bool may_block_ = false;
  bool stands_ = false;  // the step has met a choice without an answer
  std::string refused_;
  bool clock_counts_ = false;  // at begin_search()
  std::optional<std::vector<Place>> escape_;
};

}  // namespace thrum::vm

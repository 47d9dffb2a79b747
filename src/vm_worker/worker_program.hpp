// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine's program as the supervisor watches it: its steps stand in the channel while it runs, and it
// ends when it is told to, because the time is over or because it hangs.
//
// Thread safety: none; one object in a process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/digest.hpp"
#include "vm/undo_check.hpp"
#include "vm/vm_program.hpp"
#include "vm_worker/world.hpp"
#include "worker/warnings.hpp"

namespace thrum {

class WorkerProgram final : public Program {
 public:
  // Runs the program up to its first choice. Throws vm::Refused.
  WorkerProgram(vm::Code& code, const VmWorld& world, ThreadNames& names, std::vector<std::string> arguments);
  ~WorkerProgram() override;

  bool ended_early() const { return program_.ended_early(); }
  // The one execution of a program that ended early.
  const Trace& early_end() const { return program_.early_end(); }

  void run(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace) override;
  Wanted::Set can_record() const override { return program_.can_record(); }
  ThreadNames& names() override { return program_.names(); }
  vm::VmProgram& program() { return program_; }

  // The plan that runs next.
  void announce(const Plan& plan);
  // What must be told besides: calls that the machine refused.
  const std::vector<Note>& notes() const { return notes_; }
  void forget_notes() { notes_.clear(); }
  Warnings& warnings() { return warnings_; }
  void add_note(const Note& note);
  // That there was an access which no scheduling point can stand before, if there was one since the last
  // call.
  void note_unexplored();
  // Where what the program does has come to depend on addresses of its blocks, in a search of states.
  void note_escape(const std::vector<Place>& stack);
  // This process is a copy of the one in which the machine was made: it is watched from its next execution
  // on.
  static void begin_as_copy();
  // Of all executions so far, if the job asks for it.
  Digest& trace_digest() { return digest_; }
  // Departures of the last plan that were not met.
  std::size_t unmet() const { return program_.machine().director.left(); }

 private:
  void run_once(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace);
  void note_refused(const std::string& why);

  const VmWorld& world_;
  const FatalPlan* fatal_ = nullptr;
  std::vector<Note> notes_;
  Warnings warnings_;
  Digest digest_;
  vm::VmProgram program_;
  std::unique_ptr<vm::UndoCheck> undo_check_;  // nullptr: the machine does not check itself
};

}  // namespace thrum

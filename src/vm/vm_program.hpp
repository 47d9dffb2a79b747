// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that the machine runs, as a search sees it.
//
// Thread safety: none; one object in a process, since its memory lies at fixed addresses.
#pragma once

#include <functional>

#include "execution/program.hpp"
#include "vm/machine.hpp"

namespace thrum::vm {

class VmProgram final : public Program {
 public:
  // Runs the program up to its first choice. code and names must outlive it. Throws Refused where the machine
  // cannot run it. before: called with the machine before anything of the program runs.
  VmProgram(Code& code, const MachineSettings& settings, ThreadNames& names,
            const std::function<void(Machine&)>& before = {})
      : names_(names), machine_(code, settings, names) {
    if (before) before(machine_);
    machine_.prepare();
  }

  // Whether it ended before its first choice, as early_end() says: then run() must not be called.
  bool ended_early() const { return machine_.ended_early(); }
  const Trace& early_end() const { return *machine_.trace; }

  void run(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace) override {
    machine_.execute(plan, advisor, wanted, trace);
  }
  ThreadNames& names() override { return names_; }
  Wanted::Set can_record() const override { return Program::can_record() | Wanted::kFootprints; }
  Machine& machine() { return machine_; }
  const Machine& machine() const { return machine_; }

 private:
  ThreadNames& names_;
  Machine machine_;
};

}  // namespace thrum::vm

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker as a Program: a search in another process leads it. So a strategy that needs a solver, for
// example, never runs inside the program under test.
//
// The leader's message is a plan and what is wanted of it; the worker's answer is the trace
// (conversation.hpp). An empty message ends the search, and the worker reports. A search that runs a million
// executions a second must run in the worker.
//
// Thread safety: none. Tested by tests/native/remote_test.cpp.
#pragma once

#include <functional>

#include "execution/program.hpp"
#include "protocol/conversation.hpp"

namespace thrum {

class RemoteProgram final : public Program {
 public:
  // is_over: whether the worker has ended or should not be waited for any longer. channel must outlive this
  // object.
  RemoteProgram(Channel& channel, std::function<bool()> is_over);
  // Tells the worker that the search is over.
  ~RemoteProgram() override;

  // The trace ends as Program::run() says; or with End::time if the worker is gone. REQUIRES: advisor is
  // nullptr, since it would have to be asked across processes.
  void run(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace) override;
  // What the compiled program can record. REQUIRES: the worker is one.
  Wanted::Set can_record() const override {
    return Program::can_record() | Wanted::kFootprints | Wanted::kAccesses;
  }
  bool takes_advice() const override { return false; }
  // The threads of plans and traces here; they are passed as names.
  ThreadNames& names() override { return names_; }

 private:
  Conversation conversation_;
  ThreadNames names_;
};

// The worker's side: runs the leader's plans until the leader ends the search. before_each: called with each
// plan before it runs.
void serve(Channel& channel, Program& program, Futex futex,
           const std::function<void(const Plan&)>& before_each);

}  // namespace thrum

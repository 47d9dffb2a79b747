// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker as a Program: a search leads it from another process, so that a strategy that needs a solver, say,
// never runs inside the program under test.
//
// The two take turns in the worker's channel: whoever has the turn writes a message where reports are
// written, and hands the turn over; the other one waits on it as on a futex. The leader's message is a plan
// and what is wanted of it; the worker's answer is the trace. An empty message ends the search, and the
// worker reports. One execution costs two switches of processes beside itself; a search that runs a million
// executions a second belongs into the worker.
//
// Thread safety: none. Tested by tests/native/remote_test.cpp.
#pragma once

#include <functional>

#include "execution/program.hpp"
#include "protocol/channel.hpp"

namespace thrum {

class RemoteProgram final : public Program {
 public:
  // is_over: whether the worker has ended, or is to be waited for no longer. channel must outlive it.
  RemoteProgram(Channel& channel, std::function<bool()> is_over);
  // Tells the worker that the search is over.
  ~RemoteProgram() override;

  // The trace ends as Program::run() says, or with End::time where the worker is not there any more.
  // REQUIRES: there is no advisor, who would have to be asked across processes.
  void run(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace) override;
  // Of the plans and traces here; they pass by name.
  ThreadNames& names() override { return names_; }

 private:
  bool await_answer() const;

  Channel& channel_;
  std::function<bool()> is_over_;
  ThreadNames names_;
};

// The worker's side: runs the plans of the leader until that says that the search is over. before_each:
// called with each plan that is about to run.
void serve(Channel& channel, Program& program, const std::function<void(const Plan&)>& before_each);

}  // namespace thrum

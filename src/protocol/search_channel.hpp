// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a worker writes into its channel while it searches, whatever engine runs the program: the plan that it
// runs, how far it is, what it has found, and at its end the report.
//
// Thread safety: none; a worker owns its channel.
#pragma once

#include <functional>

#include "campaign/explore.hpp"
#include "protocol/channel.hpp"
#include "protocol/job.hpp"

namespace thrum {

// The plan among those that have killed a worker; nullptr: it is none of them.
const FatalPlan* find_fatal(const Board& board, const Plan& plan, const ThreadNames& names);

// The plan is about to run.
void announce(Channel& channel, const Plan& plan);

void pass_progress(Channel& channel, const Progress& progress);
bool is_asked_for_progress(const Channel& channel);
// Tells the supervisor how far the search is, if it has asked since the last answer.
void answer(Channel& channel, const std::function<Progress()>& ask);

// An execution of at most so many instrumented operations begins, `done` of them before.
void limit_steps(Channel& channel, std::uint64_t limit, std::uint64_t done = 0);

void note_bug(Ledger& ledger, const FoundBug& bug, const ThreadNames& names);
// report: of the search so far.
void note_level(Ledger& ledger, const Report& report, const ThreadNames& names);

// The limits that the job names. What is called before, between and behind executions is left to the worker.
Limits limits_of(const Job& job);

// Hands the report in; nothing follows. REQUIRES: it has room behind the channel.
void hand_in(Channel& channel, const Report& report, const ThreadNames& names);

// The report of a program that ended before its first choice, whose whole execution is `trace`.
// under_control: nothing weakens what it says.
Report report_of_one_execution(const Job& job, const Trace& trace, bool under_control);

}  // namespace thrum

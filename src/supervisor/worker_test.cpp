// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers that know nothing of the protocol and so never report: shells. What is told of them is the
// supervisor's own work.
#include "supervisor/worker.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>

#include "supervisor/executable.hpp"
#include "supervisor/output_tail.hpp"
#include "supervisor/shared_memory.hpp"

namespace thrum {
namespace {

WorkerOutcome run_shell(const std::string& script) {
  ThreadNames names;
  WorkerSettings settings;
  settings.program = "/bin/sh";
  settings.arguments = {"-c", script};
  return run_worker(settings, Job{}, names);
}

const Failure& only_failure(const WorkerOutcome& outcome) {
  static const Failure kNone;
  EXPECT_EQ(outcome.report.result.bugs.size(), 1U);
  return outcome.report.result.bugs.empty() ? kNone : outcome.report.result.bugs[0].failure;
}

TEST(Worker, ThatIsKilledIsACrash) {
  const WorkerOutcome outcome = run_shell("kill -SEGV $$");
  EXPECT_EQ(only_failure(outcome).kind, BugKind::crash);
  EXPECT_EQ(only_failure(outcome).message, "SIGSEGV (Segmentation fault) before main");
  EXPECT_EQ(outcome.report.result.end, SearchEnd::bug);
}

TEST(Worker, ThatFailsIsANonzeroExit) {
  EXPECT_EQ(only_failure(run_shell("exit 3")).kind, BugKind::nonzero_exit);
  EXPECT_EQ(only_failure(run_shell("exit 3")).message, "exit code 3 before main");
}

TEST(Worker, ThatSaysNothingLosesControl) {
  EXPECT_EQ(run_shell("exit 0").report.result.end, SearchEnd::lost_control);
}

TEST(Worker, ThatMeetsAnInternalErrorTellsIt) {
  EXPECT_EQ(run_shell("echo 'thrum: internal error: x.cpp:1: y' >&2; exit 4").internal,
            "thrum: internal error: x.cpp:1: y");
  EXPECT_EQ(only_failure(run_shell("exit 4")).kind, BugKind::nonzero_exit) << "the program's own exit code";
}

// What an interpreter says of the program when it dies before it runs anything of it. The shell stands for
// it.
std::string problem_of_interpreter(const std::string& script) {
  ThreadNames names;
  WorkerSettings settings;
  settings.interpreter = "/bin/sh";
  settings.program = "-c";  // which an interpreter has as its first argument
  settings.arguments = {script};
  const WorkerOutcome outcome = run_worker(settings, Job{}, names);
  EXPECT_TRUE(outcome.report.result.bugs.empty());
  return outcome.problem;
}

TEST(Worker, AnInterpreterThatDiesWhileItReadsIsNoBug) {
  EXPECT_EQ(
      problem_of_interpreter(
          "echo first; echo 'LLVM ERROR: Invalid record'; echo 'Stack dump:'; kill -ABRT $$"),
      "-c: its bitcode could not be read: SIGABRT (Aborted); the last that was written: LLVM ERROR: Invalid "
      "record");
  EXPECT_EQ(
      problem_of_interpreter("echo first; echo last; echo; kill -SEGV $$"),
      "-c: its bitcode could not be read: SIGSEGV (Segmentation fault); the last that was written: last");
  EXPECT_EQ(problem_of_interpreter("exit 1"), "-c: its bitcode could not be read: exit code 1");
  EXPECT_EQ(
      problem_of_interpreter("echo 'vm: error while loading shared libraries: libLLVM.so: no'; exit 127"),
      "vm: error while loading shared libraries: libLLVM.so: no");
}

TEST(Worker, AnInterpretersInternalErrorIsOne) {
  ThreadNames names;
  WorkerSettings settings;
  settings.interpreter = "/bin/sh";
  settings.program = "-c";
  settings.arguments = {"echo 'thrum: internal error: x.cpp:1: y' >&2; exit 4"};
  EXPECT_EQ(run_worker(settings, Job{}, names).internal, "thrum: internal error: x.cpp:1: y");
}

TEST(Worker, OutputIsBounded) {
  const WorkerOutcome outcome = run_shell("head -c 5000000 /dev/zero | tr '\\0' x; echo end; exit 1");
  EXPECT_LE(outcome.output.size(), OutputTail::kKeptBytes + 64);
  EXPECT_TRUE(outcome.output.ends_with("xend\n"));
}

TEST(Worker, LeavesNoProcessBehind) {
  run_shell("sleep 1000 & sleep 1000 & exit 1");
  run_shell("setsid sleep 1000 & exit 1");
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Worker, GetsItsEnvironment) {
  const WorkerOutcome outcome = run_shell(
      "echo $LD_BIND_NOW $GLIBC_TUNABLES; "
      "test -e /proc/self/fd/$(expr $THRUM_CHANNEL + 0) && echo channel; exit 1");
  EXPECT_TRUE(outcome.output.starts_with("1 ")) << outcome.output;
  EXPECT_NE(outcome.output.find("glibc.pthread.rseq=0\nchannel\n"), std::string::npos) << outcome.output;
}

TEST(Worker, ThatCannotBeStarted) {
  ThreadNames names;
  WorkerSettings settings;
  settings.program = "/no/such/program";
  EXPECT_EQ(run_worker(settings, Job{}, names).problem,
            "/no/such/program: cannot be started: No such file or directory");
}

TEST(SharedMemory, GivesTheRunningPlanByName) {
  ThreadNames names;
  SharedMemory memory(Job{}, names);
  ASSERT_EQ(memory.problem(), "");
  Channel& shared = memory.channel(0);
  memory.board().threads.give(1, {kMainThread, 2});  // the worker's thread 1 is 0.2
  memory.board().threads.give(2, {1, 1});            // and 2 is 0.2.1
  shared.departures[0] = {{2, ChoiceKind::thread, 5}, {1, Via::run}};
  shared.departures[1] = {{9, ChoiceKind::thread, 5},
                          {1, Via::run}};  // no such thread: what a dying worker leaves
  shared.departure_count = 2;
  EXPECT_EQ(to_string(memory.running_plan(0, names), names), "base; 0.2.1@5 thread=0.2");
  EXPECT_FALSE(memory.report(names));
  shared.report_size = 10;  // too short for any report
  EXPECT_FALSE(memory.report(names));
  shared.report_size = UINT64_MAX;
  EXPECT_FALSE(memory.report(names));
}

TEST(SharedMemory, GivesTheRunningPolicyByName) {
  ThreadNames names;
  SharedMemory memory(Job{}, names);
  ASSERT_EQ(memory.problem(), "");
  Channel& shared = memory.channel(0);
  memory.board().threads.give(1, {kMainThread, 2});
  shared.policy = {
      Policy::Kind::surw, Base::nonpreemptive, Fairness::off, Waiting::spins, Rounds::repeat, 1, 7, {64}};
  shared.counts[0] = {1, 5};
  shared.counts[1] = {9, 5};  // no such thread
  shared.count_count = 2;
  EXPECT_EQ(to_string(memory.running_plan(0, names), names), "surw seed 7 object 64 0.2:5");
  shared.policy = {
      Policy::Kind::pct, Base::nonpreemptive, Fairness::off, Waiting::spins, Rounds::repeat, 2, 7, {3, 120}};
  shared.count_count = 0;
  EXPECT_EQ(to_string(memory.running_plan(0, names), names), "pct seed 7 depth 3 steps 120");
  shared.policy.parameters[0] = kPctDepthMax + 1;
  EXPECT_EQ(to_string(memory.running_plan(0, names), names), "base");
}

TEST(Executable, Problems) {
  EXPECT_NE(executable_problem("/no/such"), "");
  EXPECT_NE(executable_problem("/").find("is a directory"), std::string::npos);
  EXPECT_NE(executable_problem("/dev/null").find("not a regular file"), std::string::npos);
  EXPECT_NE(executable_problem("/etc/passwd").find("not an ELF executable"), std::string::npos);
  EXPECT_NE(executable_problem("/bin/sh").find("was not built with thrum"), std::string::npos);
}

}  // namespace
}  // namespace thrum

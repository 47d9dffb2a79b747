// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/threads/failure.hpp"

#include <sys/mman.h>
#include <ucontext.h>
#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>
#include <vector>

#include "runtime/base/engine.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/base/page.hpp"
#include "runtime/base/signal_handlers.hpp"
#include "runtime/base/world.hpp"
#include "runtime/kernel/output.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/threads/hooks.hpp"
#include "runtime/threads/invariants.hpp"
#include "runtime/threads/places.hpp"
#include "runtime/threads/reach_error.hpp"
#include "runtime/threads/record.hpp"
#include "runtime/threads/scheduler.hpp"
#include "runtime/threads/signal_delivery.hpp"
#include "runtime/threads/stacks.hpp"
#include "runtime/threads/test_framework.hpp"
#include "runtime/threads/thread_pool.hpp"
#include "support/check.hpp"
#include "support/digest.hpp"
#include "support/raw_syscall.hpp"

namespace thrum {

namespace {

// A fault at most so far below the stack pointer, or inside the guard area, counts as stack overflow.
constexpr std::uint64_t kNearStackEnd = 1 << 16;

bool is_stack_overflow(std::uint64_t address, std::uint64_t stack_pointer) {
  if (snapshot().taken()) {
    const Thread& thread = scheduler().current();
    auto bottom = reinterpret_cast<std::uint64_t>(thread.stack_bottom);
    if (thread.slot != 0) return address < bottom && bottom - address <= kNearStackEnd;
  }
  // The kernel lets the main stack grow up to its limit. A fault near its pointer means that the limit is
  // reached.
  return address < stack_pointer + kNearStackEnd && stack_pointer < address + kNearStackEnd;
}

// When the handler that calls this returns, the fault happens again and ends the process.
void die_by(int signal) { handle_by_default(signal); }

void on_fault(int signal, siginfo_t* info, void* raw_context) {
  auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  if (signal == SIGSEGV && (snapshot().unprotect(address) || open_known_stack(address))) return;
  leave_invariant();
  if (world.running && fs_base_is_ruined(scheduler().current().fs_base)) return die_by(signal);
  leave_unwinding();
  if (world.running) restore_fs_base(scheduler().current().fs_base);
  give_up_written_value();
  if (engine.records_values) note_fault_for_values();
  const auto* context = static_cast<const ucontext_t*>(raw_context);
  auto code = static_cast<std::uint64_t>(context->uc_mcontext.gregs[REG_RIP]);
  auto stack_pointer = static_cast<std::uint64_t>(context->uc_mcontext.gregs[REG_RSP]);
  if (snapshot().taken() && !world.running) {
    // The search itself failed: a bug of ours, or the program destroyed our memory.
    raw_syscall(SYS_exit_group, 4);
  }
  ThreadId thread = snapshot().taken() ? scheduler().current().id : kMainThread;
  bool overflow = signal == SIGSEGV && is_stack_overflow(address, stack_pointer);
  if (signal == SIGTRAP && is_reach_error(code)) {
    const std::uint64_t caller = *reinterpret_cast<const std::uint64_t*>(stack_pointer);
    fail({BugKind::assertion, "reach_error was reached", thread, caller, {}});
  }
  if (!overflow && redirect_fault(signal, info, raw_context)) return;
  if (overflow) fail({BugKind::stack_overflow, "the stack is full", thread, 0, {}});
  // For an address that is not canonical the kernel reports no address. If the access used the stack pointer,
  // it reports a bus error.
  const bool is_no_address = (signal == SIGSEGV || signal == SIGBUS) && info->si_code == SI_KERNEL;
  if (is_no_address) fail({BugKind::crash, "segmentation fault (no address of a program)", thread, code, {}});
  std::string message = signal == SIGSEGV   ? "segmentation fault"
                        : signal == SIGBUS  ? "bus error"
                        : signal == SIGFPE  ? "arithmetic exception"
                        : signal == SIGILL  ? "illegal instruction"
                        : signal == SIGTRAP ? "trap"
                                            : "aborted";
  if (signal == SIGSEGV && is_null_page(address)) message += " (null pointer)";
  fail({BugKind::crash, message, thread, code, {}});
}

// The time limit is reached while the program's code runs. The code is left at its next instrumented
// operation. If it has done none since it was told so, it is left here, and nothing of it runs again.
void end_by_time() {
  if (end_at_next_step()) return;
  notes().ran_on(world.names->name(scheduler().current().id));
  cut_execution(End::time);
}

void on_hang(int signal, siginfo_t*, void* raw_context) {
  const bool is_time = world.board->stop.load(std::memory_order_relaxed) != 0;
  if (is_time) world.time_is_up = true;
  if (leave_invariant() && is_time) cut_execution(End::time);
  if (is_time && !snapshot().taken()) return report_without_first_choice();
  if (snapshot().taken() && !world.running) return;
  if (snapshot().taken() && current_fs_base() != scheduler().current().fs_base && on_system_threads())
    return thread_pool().send_signal(scheduler().current().slot, signal);
  if (is_time) return end_by_time();
  const auto* context = static_cast<const ucontext_t*>(raw_context);
  auto code = static_cast<std::uint64_t>(context->uc_mcontext.gregs[REG_RIP]);
  ThreadId thread = snapshot().taken() ? scheduler().current().id : kMainThread;
  std::string message = std::to_string(world.job->hang_seconds) + " s without an instrumented operation";
  fail({BugKind::hang, std::move(message), thread, code, {}});
}

// Whether this process has seen no failure of that kind, message and place. After many failures, later ones
// count as seen.
bool is_first_sight(const Failure& failure) {
  constexpr std::size_t kMetMax = 1024;
  static std::vector<std::uint64_t> met;
  Digest digest;
  digest.add(failure.message.data(), failure.message.size());
  const std::uint64_t words[] = {static_cast<std::uint64_t>(failure.kind), failure.code};
  digest.add(reinterpret_cast<const char*>(words), sizeof words);
  if (met.size() == kMetMax || std::find(met.begin(), met.end(), digest.value()) != met.end()) return false;
  met.push_back(digest.value());
  return true;
}

// Records the places as well as possible although the execution was not recorded. If its schedule is never
// run again, this is all that is known.
void note_places(Trace& trace) {
  capture_failure_stack(trace);
  for (const Waiter& waiter : trace.failure.waiters)
    trace.details.waiter_places.push_back({described_place(waiter.object), {}, {}, {place_of(waiter.code)}});
  if (!trace.details.access_places.empty()) return;
  for (const MemoryAccess& access : trace.failure.accesses)
    trace.details.access_places.push_back({described_place(access.address), {}, {}, {place_of(access.code)}});
}

}  // namespace

void fail(Failure failure) {
  leave_invariant();
  // Another execution has this round in time, and fails as well.
  if (world.running) scheduler().leave_aside();
  // The test's parts before the one that is checked have been checked separately.
  if (test_framework().passes_over()) {
    test_framework().miss_part();
    if (!world.running) report_without_search(nullptr);
    end_execution();
  }
  if (!world.running) report_without_search(&failure);
  // A fault while the stack of a failure is read, which may be in ruins, is not the program's.
  static bool describing = false;
  if (std::exchange(describing, false)) end_execution();
  Trace& trace = current_trace();
  trace.end = End::bug;
  trace.failure = std::move(failure);
  if (world.job->replay) {
    Output::show_unflushed();
  } else if (scheduler().director().records_places()) {
    trace.details.output = output().take();
  }
  describing = true;
  if (scheduler().director().records_places()) {
    capture_failure_stack(trace);
    for (const Waiter& waiter : trace.failure.waiters) {
      for (const Thread* thread : scheduler().live()) {
        if (thread->id == waiter.thread)
          trace.details.waiter_places.push_back({described_place(waiter.object), {}, {}, thread->stack});
      }
    }
    note_others(trace);
  } else if (is_first_sight(trace.failure)) {
    note_places(trace);
  }
  describing = false;
  end_execution();
}

void note_others(Trace& trace) {
  trace.details.others.clear();
  trace.details.other_places.clear();
  auto is_told_of = [&](const Thread& thread) {
    const std::vector<Waiter>& waiters = trace.failure.waiters;
    return thread.id == trace.failure.thread ||
           std::any_of(waiters.begin(), waiters.end(),
                       [&](const Waiter& waiter) { return waiter.thread == thread.id; });
  };
  for (const Thread* thread : scheduler().live()) {
    bool stands = thread->life == Life::standing || thread->wait == Wait::join;
    if (is_told_of(*thread) || thread->timer || !stands) continue;
    trace.details.others.push_back(scheduler().waiter(*thread));
    trace.details.other_places.push_back({described_place(thread->object), {}, {}, thread->stack});
  }
}

void capture_failure_stack(Trace& trace) {
  const Failure& failure = trace.failure;
  if (!failure.waiters.empty() || failure.kind == BugKind::leak) return;
  trace.details.failure_stack = running_stack();
}

void fail_here(BugKind kind, const char* message) {
  ThreadId thread = snapshot().taken() ? scheduler().current().id : kMainThread;
  fail({kind, message, thread, 0, {}});
}

void fail_fatally(const FatalPlan& plan) {
  Failure failure;
  failure.kind = plan.kind;
  failure.message = plan.message;
  failure.thread = scheduler().current().id;
  failure.is_fatal = true;
  fail(std::move(failure));
}

void install_signal_handlers() {
  use_signal_stack(0);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) handle_signal(signal, on_fault);
  handle_signal(hang_signal(), on_hang);
}

}  // namespace thrum

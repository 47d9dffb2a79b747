// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drive/native_program.hpp"

#include <link.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "campaign/explore.hpp"
#include "campaign/simplify.hpp"
#include "protocol/search_channel.hpp"
#include "runtime/base/engine.hpp"
#include "runtime/base/modules.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/base/world.hpp"
#include "runtime/drive/parts.hpp"
#include "runtime/judge/judging.hpp"
#include "runtime/judge/leaks.hpp"
#include "runtime/judge/race_judge.hpp"
#include "runtime/judge/race_names.hpp"
#include "runtime/judge/recorded_values.hpp"
#include "runtime/judge/warnings.hpp"
#include "runtime/kernel/descriptors.hpp"
#include "runtime/kernel/files.hpp"
#include "runtime/kernel/output.hpp"
#include "runtime/kernel/process_state.hpp"
#include "runtime/kernel/signals.hpp"
#include "runtime/kernel/system_call_watch.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/memory/mappings.hpp"
#include "runtime/memory/memory_limit.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/shortcuts/known_ends.hpp"
#include "runtime/shortcuts/waypoints.hpp"
#include "runtime/threads/allocations.hpp"
#include "runtime/threads/failure.hpp"
#include "runtime/threads/focus.hpp"
#include "runtime/threads/invariants.hpp"
#include "runtime/threads/livelock.hpp"
#include "runtime/threads/loader.hpp"
#include "runtime/threads/lock_misuse.hpp"
#include "runtime/threads/loop_list.hpp"
#include "runtime/threads/places.hpp"
#include "runtime/threads/reach_error.hpp"
#include "runtime/threads/record.hpp"
#include "runtime/threads/round_detector.hpp"
#include "runtime/threads/scheduler.hpp"
#include "runtime/threads/signal_delivery.hpp"
#include "runtime/threads/test_framework.hpp"
#include "runtime/threads/thread_pool.hpp"
#include "runtime/threads/timers.hpp"
#include "support/check.hpp"
#include "support/raw_syscall.hpp"
#include "worker/trace_digest.hpp"

// Writes the profile of a runtime that is being trained (cmake/training.cmake). Other builds do not have it.
extern "C" __attribute__((weak, visibility("hidden"))) void __gcov_dump();

namespace thrum {

namespace {

constexpr std::size_t kEngineStack = std::size_t{4} << 20;

bool g_loading = false;  // a library is being loaded, whose constructors run
Digest g_trace_digest;

void enter_program() {
  world.judges_races = world.watches_memory = world.job->races != Races::ignore && judging().judges();
  world.names_events = judging().names_events();
  world.running = true;
  catch_system_calls(true);
}

void leave_program() {
  catch_system_calls(false);
  world.running = world.judges_races = world.watches_memory = world.names_events = false;
}

// Runs the program's code in its thread, until control comes back.
void go_on() {
  Thread& thread = scheduler().current();
  engine.fs_base = scheduler().thread_in_slot(0).fs_base;
  enter_program();
  switch_to(engine.context, thread.context, thread.fs_base);
  leave_program();
}

// The execution is over.
void note_end(Trace& trace) {
  trace.last = scheduler().current().id;
  if (world.recording) {
    take_written_value();
    if (engine.records_values) recorded_values().end_stretch();
    scheduler().note_pending();
  }
  if (__builtin_expect(scheduler().drop_proof() || scheduler().awaits().take_contradiction(), 0)) {
    world.restarts = true;
    world.ledger->withdraw();
    trace.end = End::uncontrolled;
  }
}

// Whether somebody wants the trace to hold events.
bool wants_events() { return scheduler().director().records_events() || world.job->digest_traces; }

// Whether events are recorded from here on.
bool is_to_record() {
  return needs_all_events() || warnings().wants_events() || livelock_detector().is_watching();
}

void begin_judging(bool again) {
  if (world.job->races != Races::ignore && judging().judges()) race_judge().begin(again);
  if (judging().names_events()) judging().begin_whole();
}

// Restores the snapshot. midway: the restore at a waypoint follows.
void put_back(bool midway = false) {
  for_all<kSnapshotParts, &SnapshotPart::undo>();
  snapshot().restore();
  for_all<kSnapshotParts, &SnapshotPart::restore>(midway);
}

void grow_pool() {
  put_back();
  snapshot().drop();
  thread_pool().grow(std::min<std::size_t>(thread_pool().size() * 2, kThreadsMax));
  take_snapshot();
}

// The answer of a process that had to announce its tests.
[[noreturn]] void report_tests() {
  Report report;
  send_report(report);
}

// After how many steps end_of_steps() is called.
std::uint64_t steps_until_asked() {
  if (world.fatal != nullptr) return world.fatal->steps;
  return world.repeats ? world.job->steps : round_detector().steps_to_trial(world.job->steps);
}

// Where more memory is shared than it was known to be, other workers of the same strategy have not recorded
// what is done there.
void note_growth(Trace& trace, std::size_t shared_before) {
  trace.grew = recorded_values().shared() != shared_before;
  if (!trace.grew || !shares_search || !runs_outside(world.job->strategy)) return;
  world.restarts = true;
  trace.end = End::uncontrolled;
}

}  // namespace

void take_snapshot() {
  for_all<kSnapshotParts, &SnapshotPart::forget>();
  for_all<kSnapshotParts, &SnapshotPart::save>();
  const Thread& main = scheduler().thread_in_slot(0);
  snapshot().take(reinterpret_cast<std::uint64_t>(main.context.stack_pointer), mappings().kept());
}

Digest& trace_digest() { return g_trace_digest; }

char* new_engine_stack() {
  static long stacks[2] = {};
  static int next = 0;
  long& stack = stacks[next];
  next = 1 - next;
  if (stack != 0) return reinterpret_cast<char*>(stack) + kEngineStack;
  stack = raw_syscall(SYS_mmap, 0, kEngineStack, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  THRUM_CHECK(stack > 0);
  return reinterpret_cast<char*>(stack) + kEngineStack;
}

bool is_loading() { return g_loading; }

void run_on_new_stack(void (*body)()) {
  Context dead;
  switch_to(dead, new_context(new_engine_stack(), body, kInitialModes), 0);
  __builtin_unreachable();
}

void load_library() {
  put_back();
  snapshot().drop();
  thread_pool().prepare_loading();
  g_loading = true;
  loader().load();
  g_loading = false;
  thread_pool().adopt_loaded();
  take_snapshot();
}

void describe_search(Report& report) {
  test_framework().add_to(report);
  report.modules = modules();
  report.threads = on_system_threads() ? Threads::system : Threads::fibers;
  if (world.alone != nullptr) report.alone = world.alone;
  notes().add_to(report.notes);
  LoopList loops;
  scheduler().awaits().add_loops(loops);
  round_detector().add_loops(loops);
  scheduler().spins().add_loops(loops);
  report.loops = loops.take();
}

void send_report(Report& report) {
  world.made_calls = true;  // also those before the snapshot
  for_all<kSnapshotParts, &SnapshotPart::undo>();
  describe_search(report);
  if (world.job->digest_traces) report.trace_digest = trace_digest().value();
  hand_in(*world.channel, report, *world.names);
  if (__gcov_dump != nullptr) __gcov_dump();
  world.channel->phase.store(Channel::Phase::reported, std::memory_order_release);
  raw_syscall(SYS_exit_group, 0);
  __builtin_unreachable();
}

// Through libc, which reads the clock without a system call.
double search_seconds() {
  THRUM_REAL(clock_gettime);
  timespec now;
  real(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

bool needs_all_events() { return wants_events() || leak_search().notes_allocations(); }

void record_as_wanted() {
  world.recording = is_to_record();
  if (!world.recording) engine.trace->events.clear();
  pay_attention();
}

void NativeProgram::run(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace) {
  if (world.time_is_up) {
    trace.clear();
    trace.end = End::time;
    return;
  }
  engine.trace = &trace;
  engine.plan = &plan;
  engine.records_places = wanted.has(Wanted::kPlaces);
  engine.records_values = wanted.has(Wanted::kAccesses);
  engine.records_footprints = wanted.has(Wanted::kFootprints) && !engine.records_values;
  // Which accesses came before the part that is wanted matters too.
  if (engine.records_values) wanted.what |= Wanted::kEvents | Wanted::kPast;
  const std::size_t shared_before = recorded_values().shared();
  bool grows = false;   // it has shown that more memory is shared
  bool again = false;   // to recognise the earlier access of a race
  bool unsure = false;  // it was not judged, and its class is new
  bool midway = false;
  const Beginning beginning{plan, wanted, advisor != nullptr};
  for_all<kExecutionParts, &ExecutionPart::begin_plan>(beginning);
  do {
    const std::size_t shared = recorded_values().shared();
    midway = waypoints().choose(plan, advisor != nullptr, wanted);
    put_back(midway);
    if (midway) waypoints().restore();
    scheduler().director().begin(plan, advisor, wanted, trace);
    if (midway) waypoints().lead(scheduler().director());
    world.recording = is_to_record();
    for_all<kExecutionParts, &ExecutionPart::begin>(beginning);
    pay_attention();
    if (test_framework().passes_over()) pass_over();
    limit_steps(steps_until_asked(), waypoints().steps());
    world.channel->in_execution.store(1, std::memory_order_relaxed);
    if (!midway) world.wrote = false;
    engine.again = Again::no;
    if (!midway) begin_judging(again);
    // For the engine itself too: else each switch would find different modes.
    set_floating_point_modes(kInitialModes);
    do {
      go_on();
    } while (waypoints().keep());
    note_end(trace);
    waypoints().finish(scheduler().director());
    if (engine.again != Again::no || world.restarts || trace.begins_again) waypoints().forget();
    const bool whole = trace.end == End::finished && engine.again == Again::no && !world.restarts;
    known_ends().finish(trace, whole);
    unsure = engine.again == Again::no && !world.restarts && judging().finish(whole);
    if (test_framework().list_is_complete()) report_tests();
    if (engine.again == Again::more_threads) grow_pool();
    if (engine.again == Again::library) load_library();
    again = wanted.has(Wanted::kPlaces) && race_judge().wants_again(trace);
    grows = recorded_values().shared() != shared;
  } while ((again || unsure || grows || engine.again != Again::no) && !world.restarts);
  note_growth(trace, shared_before);
  if (engine.records_values) trace.shared = recorded_values().shared();
  world.repeats = true;  // until the next plan begins
  if (trace.end == End::finished || trace.end == End::bug) scheduler().director().finish();
  if (wanted.has(Wanted::kPlaces)) trace.details.known_races = names_of(race_judge().known());
  trace.counts.steps = steps_done();
  scheduler().awaits().take_refusals(trace.refusals);
  if (warnings().wants_events()) warnings().learn(trace);
  if (!wants_events()) trace.events.clear();
  world.channel->in_execution.store(0, std::memory_order_relaxed);
  trace.counts.points = scheduler().points();
  trace.counts.midway = midway;
  trace.counts.trusted = !judging().judges();
  trace.counts.threads = scheduler().threads_created();
  if (world.job->digest_traces) add_to_digest(trace_digest(), trace);
}

ThreadNames& NativeProgram::names() { return *world.names; }

namespace {

[[noreturn]] void cut_by_steps() {
  if (world.time_is_up) cut_execution(End::time);
  if (world.fatal != nullptr) fail_fatally(*world.fatal);
  if (!world.repeats && round_detector().turns_at(steps_done())) start_anew();
  check_self_locks();
  cut_execution(End::steps);
}

}  // namespace

void end_of_steps(const volatile void* accessed, std::size_t size) {
  constexpr std::uint64_t kProofSteps = 100'000;  // beyond the limit, for a round that is being proved
  if (world.mode == Mode::checking) {
    if (take_held_step()) return;
    leave_invariant();
    cut_by_steps();
  }
  if (!world.running) return;
  if (take_held_step()) return scheduler().note_step_in_round(accessed, size);
  scheduler().leave_aside();
  if (!world.time_is_up && scheduler().lengthens_proof()) return add_steps(kProofSteps);
  cut_by_steps();
}

void pass_over() {
  known_ends().give_up();
  scheduler().director().pause();
  world.recording = false;
}

void explore_again() {
  leak_search().ignore_so_far();
  scheduler().director().resume();
  world.recording = is_to_record();
}

void end_of_list() {
  if (world.running) end_execution();
  if (world.job->replay) report_without_search(nullptr);
  report_tests();
}

void exit_process(int status) {
  if (world.running) scheduler().leave_aside();
  const Job& job = *world.job;
  if (status == 0 && job.test.empty() && !job.replay && test_framework().has_calls()) {
    test_framework().complete_list();
    end_of_list();
  }
  if (status == 0 && !test_framework().has_begun()) {
    notes().uncontrolled("test-not-run", "the program ended before the test began");
  }
  if (!world.running) {
    Failure failure{
        BugKind::nonzero_exit, "the program exits with status " + std::to_string(status), kMainThread, 0, {}};
    report_without_search(status == 0 ? nullptr : &failure);
  }
  if (scheduler().live().size() > 1) check_self_locks();
  if (status != 0) {
    fail({BugKind::nonzero_exit,
          "the program exits with status " + std::to_string(status),
          scheduler().current().id,
          0,
          {}});
  }
  leak_search().check();
  end_execution();
}

void report_without_first_choice() {
  world.running = false;
  notes().ran_on(world.names->name(kMainThread));
  Report report;
  report.result.end = SearchEnd::lost_control;
  report.result.lost_reason = "the time ended before the program made its first choice";
  report.result.executions = 1;
  report.result.steps = steps_done();
  report.result.threads_max = 1;
  send_report(report);
}

void report_without_search(const Failure* failure, End end) {
  world.running = false;
  Trace trace;
  trace.end = end;
  trace.counts.threads = 1;
  trace.counts.steps = steps_done();
  engine.trace = &trace;
  if (failure) {
    trace.end = End::bug;
    trace.failure = *failure;
    for (const MemoryAccess& access : failure->accesses)
      trace.details.access_places.push_back({described_place(access.address), {}, {}, running_stack()});
    capture_failure_stack(trace);
  }
  Report report = report_of_one_execution(*world.job, trace, !notes().any_uncontrolled());
  send_report(report);
}

}  // namespace thrum

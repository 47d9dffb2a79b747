// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/native_program.hpp"

#include <link.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "runtime/allocations.hpp"
#include "runtime/descriptors.hpp"
#include "runtime/failure.hpp"
#include "runtime/files.hpp"
#include "runtime/focus.hpp"
#include "runtime/heap.hpp"
#include "runtime/inputs.hpp"
#include "runtime/judging.hpp"
#include "runtime/known_ends.hpp"
#include "runtime/leaks.hpp"
#include "runtime/livelock.hpp"
#include "runtime/loader.hpp"
#include "runtime/lock_misuse.hpp"
#include "runtime/mappings.hpp"
#include "runtime/memory_limit.hpp"
#include "runtime/modules.hpp"
#include "runtime/native_search.hpp"
#include "runtime/notes.hpp"
#include "runtime/output.hpp"
#include "runtime/process_state.hpp"
#include "runtime/race_judge.hpp"
#include "runtime/raw_syscall.hpp"
#include "runtime/reach_error.hpp"
#include "runtime/record.hpp"
#include "runtime/round_detector.hpp"
#include "runtime/scheduler.hpp"
#include "runtime/search_state.hpp"
#include "runtime/section_functions.hpp"
#include "runtime/signal_delivery.hpp"
#include "runtime/signals.hpp"
#include "runtime/snapshot.hpp"
#include "runtime/system_calls.hpp"
#include "runtime/temporary_file.hpp"
#include "runtime/test_framework.hpp"
#include "runtime/thread_pool.hpp"
#include "runtime/timers.hpp"
#include "runtime/warnings.hpp"
#include "runtime/waypoints.hpp"
#include "runtime/world.hpp"
#include "search/explore.hpp"
#include "search/simplify.hpp"
#include "support/check.hpp"

// Writes what was counted, in a runtime that is being trained (cmake/training.cmake); elsewhere it is not
// there.
extern "C" __attribute__((weak, visibility("hidden"))) void __gcov_dump();

namespace thrum {

namespace {

constexpr std::size_t kThreadsAtFirst = 9;
constexpr std::size_t kEngineStack = std::size_t{4} << 20;

enum class Again : std::uint8_t { no, same, more_threads, library };

Context g_engine;
Trace* g_trace = nullptr;
Again g_again = Again::no;
bool g_loading = false;  // a library's constructors may run
Forever<Thread> g_main_at_snapshot;
std::uint64_t g_clock_at_snapshot = 0;
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

// The thread that is on, until the program's code is left.
void go_on() {
  Thread& thread = scheduler().current();
  switch_to(g_engine, thread.context, thread.fs_base);
}

[[noreturn]] void leave() {
  leave_program();
  g_trace->last = scheduler().current().id;
  if (world.recording) {
    take_written_value();
    scheduler().note_pending();
  }
  if (__builtin_expect(scheduler().drop_proof(), 0)) {
    world.restarts = true;
    world.ledger->withdraw();
    g_trace->end = End::uncontrolled;
  }
  Context dead;
  switch_to(dead, g_engine, scheduler().thread_in_slot(0).fs_base);
  __builtin_unreachable();
}

void undo_calls() {
  world.made_calls = false;
  descriptors().restore();
  files().restore();
  mappings().restore();
}

// Whether the trace is to hold events, for whoever asked for it.
bool wants_events() { return scheduler().director().records_events() || world.job->digest_traces; }

// Whether events are written down from here on.
bool is_to_record() {
  return needs_all_events() || warnings().wants_events() || livelock_detector().is_watching();
}

void begin_judging(bool again) {
  if (world.job->races != Races::ignore && judging().judges()) race_judge().begin(again);
  if (judging().names_events()) judging().begin_whole();
}

// midway: it is put back as at a waypoint then.
void put_back(bool midway = false) {
  if (__builtin_expect(world.made_calls, 0)) undo_calls();
  snapshot().restore();
  the_heap.restore(scheduler().slots_used());
  the_memory_limit.restore();
  if (!midway) {
    thread_pool().restore_main();
    scheduler().thread_in_slot(0).become(g_main_at_snapshot.value);
  }
  scheduler().clear_main_stack(static_cast<char*>(g_main_at_snapshot.value.context.stack_pointer));
  scheduler().reset();
  scheduler().set_clock(g_clock_at_snapshot);
  process_state().restore();
  signals().restore();
  timers().restore();
  test_framework().restore();
}

void take_snapshot() {
  known_ends().forget();
  waypoints().forget();
  judging().forget();
  Thread& main = scheduler().thread_in_slot(0);
  thread_pool().save_main();
  g_main_at_snapshot.value = main;
  g_clock_at_snapshot = scheduler().now_ns();
  process_state().save();
  signals().save();
  timers().save();
  test_framework().save();
  the_heap.save();
  the_memory_limit.save();
  descriptors().save();
  files().save();
  snapshot().take(reinterpret_cast<std::uint64_t>(main.context.stack_pointer), mappings().kept());
}

void grow_pool() {
  put_back();
  snapshot().drop();
  thread_pool().grow(std::min<std::size_t>(thread_pool().size() * 2, kThreadsMax));
  take_snapshot();
}

void add_to_digest(const Trace& trace) {
  for (const Event& event : trace.events) {
    std::uint64_t words[] = {event.object,
                             event.value,
                             event.operand,
                             event.code,
                             std::uint64_t{event.index} << 32 | event.size,
                             std::uint64_t{event.thread} << 16 | std::uint64_t(event.operation) << 8 |
                                 std::uint64_t(event.outcome)};
    trace_digest().add(reinterpret_cast<const char*>(words), sizeof words);
  }
  std::uint64_t end[] = {std::uint64_t(trace.end), std::uint64_t(trace.failure.kind), trace.failure.code,
                         trace.steps};
  trace_digest().add(reinterpret_cast<const char*>(end), sizeof end);
}

// The answer of a process that was to announce its tests.
[[noreturn]] void report_tests() {
  Report report;
  send_report(report);
}

// Where it ends, upwards. There are two, used in turns.
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

// How many steps the execution does before cut_by_steps() is called.
std::uint64_t steps_until_asked() {
  if (world.fatal != nullptr) return world.fatal->steps;
  return world.repeats ? world.job->steps : round_detector().steps_to_trial(world.job->steps);
}

// What runs on the engine's own stack.
void engine() {
  take_snapshot();
  world.channel->phase.store(Channel::Phase::searching, std::memory_order_release);
  run_search();
}

}  // namespace

Digest& trace_digest() { return g_trace_digest; }

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
}

void send_report(Report& report) {
  undo_calls();
  describe_search(report);
  if (world.job->digest_traces) report.trace_digest = trace_digest().value();
  ByteWriter out;
  write_report(out, report, *world.names);
  const std::string& bytes = out.bytes();
  Channel& channel = *world.channel;
  THRUM_CHECK(bytes.size() < kChannelSize - sizeof(Channel));
  std::memcpy(channel.report, bytes.data(), bytes.size());
  channel.report_size.store(bytes.size(), std::memory_order_release);
  if (__gcov_dump != nullptr) __gcov_dump();
  channel.phase.store(Channel::Phase::reported, std::memory_order_release);
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

std::uint64_t program_memory_digest() {
  Digest digest;
  snapshot().add_to(digest);
  for (std::uint16_t slot = 0; slot < scheduler().slots_used(); ++slot) the_heap.add_to(digest, slot);
  return digest.value();
}

bool needs_all_events() { return wants_events() || leak_search().notes_allocations(); }

void record_as_wanted() {
  world.recording = is_to_record();
  if (!world.recording) g_trace->events.clear();
  pay_attention();
}

Trace& current_trace() { return *g_trace; }

void NativeProgram::run(const Plan& plan, Strategy* online, Recording recording, Trace& trace) {
  if (world.time_is_up) {
    trace.clear();
    trace.end = End::time;
    return;
  }
  g_trace = &trace;
  bool again = false;   // for a race's sake
  bool unsure = false;  // whether there is one
  bool midway = false;
  leak_search().begin_plan(online == nullptr || !online->online() ? &plan : nullptr);
  warnings().begin(plan);
  livelock_detector().begin_plan();
  judging().begin(waypoints().is_plain(recording) && recording < Recording::branch &&
                  !(online != nullptr && online->online()));
  do {
    midway = waypoints().choose(plan, online, recording);
    put_back(midway);
    if (midway) waypoints().restore();
    scheduler().director().begin(plan, online, recording, trace);
    if (midway) waypoints().lead(scheduler().director());
    world.recording = is_to_record();
    leak_search().begin();
    pay_attention();
    if (test_framework().passes_over()) pass_over();
    round_detector().begin(plan.policy.waiting);
    limit_steps(steps_until_asked(), waypoints().steps());
    world.channel->in_execution.store(1, std::memory_order_relaxed);
    if (!midway) world.wrote = false;
    loader().reset();
    allocations().begin();
    output().begin(recording == Recording::full);
    g_again = Again::no;
    if (!midway) begin_judging(again);
    // The engine's own flags, lest each switch find the modes different.
    set_floating_point_modes(kInitialModes);
    enter_program();
    do {
      go_on();
    } while (waypoints().keep());
    waypoints().finish(scheduler().director());
    if (g_again != Again::no || world.restarts) waypoints().forget();
    const bool whole = trace.end == End::finished && g_again == Again::no && !world.restarts;
    known_ends().finish(trace, whole);
    unsure = g_again == Again::no && !world.restarts && judging().finish(whole);
    if (test_framework().list_is_complete()) report_tests();
    if (g_again == Again::more_threads) grow_pool();
    if (g_again == Again::library) load_library();
    again = recording == Recording::full && race_judge().wants_again(trace);
  } while ((again || unsure || g_again != Again::no) && !world.restarts);
  world.repeats = true;  // until another plan is announced
  if (trace.end == End::finished || trace.end == End::bug) scheduler().director().finish();
  if (recording == Recording::full) trace.known_races = race_judge().known().places();
  if (warnings().wants_events()) warnings().learn(trace);
  if (!wants_events()) trace.events.clear();
  world.channel->in_execution.store(0, std::memory_order_relaxed);
  trace.steps = steps_done();
  trace.points = scheduler().points();
  trace.midway = midway;
  trace.trusted = !judging().judges();
  trace.threads = scheduler().threads_created();
  if (world.job->digest_traces) add_to_digest(trace);
}

ThreadNames& NativeProgram::names() { return *world.names; }

void begin_search() {
  if (g_loading) {
    lose_control(
        "uncontrolled-threads",
        "the constructors of a library that is loaded in an execution start a thread or make a choice");
  }
  if (world.job->only_list && !test_framework().is_present()) report_without_search(nullptr);
  const int program_errno = errno;
  Output::prepare();
  find_section_functions();
  trap_reach_error();
  thread_pool().grow(kThreadsAtFirst);
  Thread& main = scheduler().thread_in_slot(0);
  thread_pool().describe_main(main);
  main.life = Life::unsettled;
  Context engine_context = new_context(new_engine_stack(), engine, kInitialModes);
  install_signal_handlers();  // once more: the program may have put its own in their place
  watch_system_calls();
  switch_to(main.context, engine_context, 0);
  if (notes().inputs_drawn()) choose_inputs();
  errno = program_errno;
}

void switch_to_engine() {
  leave_program();
  switch_to(scheduler().current().context, g_engine, scheduler().thread_in_slot(0).fs_base);
  enter_program();
}

void end_execution() { leave(); }

void start_anew() {
  g_again = Again::same;
  leave();
}

void need_more_threads() {
  g_again = Again::more_threads;
  leave();
}

void restart_search() {
  world.restarts = true;
  g_trace->end = End::uncontrolled;
  leave();
}

void need_library() {
  g_again = Again::library;
  restart_search();
}

void cut_by_time() {
  g_trace->end = End::time;
  leave();
}

void cut_by_steps() {
  if (world.time_is_up) cut_by_time();
  if (world.fatal != nullptr) fail_fatally(*world.fatal);
  if (!world.repeats && round_detector().turns_at(steps_done())) start_anew();
  check_self_locks();
  g_trace->end = End::steps;
  leave();
}

void cut_by_memory() {
  g_trace->end = End::memory;
  leave();
}

void cut_by_threads() {
  g_trace->end = End::threads;
  leave();
}

void cut_by_yields() {
  g_trace->end = End::yields;
  leave();
}

void end_going_round() {
  notes().may_go_round();
  g_trace->end = End::goes_round;
  leave();
}

namespace {

[[noreturn]] void end_refused() {
  if (!world.running) report_without_search(nullptr, End::refused);
  g_trace->end = End::refused;
  leave();
}

}  // namespace

void lose_control(const char* kind, const std::string& text) {
  notes().uncontrolled(kind, text);
  end_refused();
}

void lose_control_by_call(const std::string& name) {
  notes().uncontrolled_call(name);
  end_refused();
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

void report_without_search(const Failure* failure, End end) {
  world.running = false;
  Report report;
  report.result.executions = 1;
  report.result.threads_max = 1;
  report.result.steps = steps_done();
  bool whole = !failure && !notes().any_uncontrolled();
  report.result.end = failure ? SearchEnd::bug : whole ? SearchEnd::exhausted : SearchEnd::lost_control;
  Trace trace;
  trace.end = end;
  trace.threads = 1;
  g_trace = &trace;
  if (failure) {
    trace.end = End::bug;
    trace.failure = *failure;
    for (const MemoryAccess& access : failure->accesses)
      trace.access_places.push_back({described_place(access.address), {}, {}, running_stack()});
    capture_failure_stack(trace);
  }
  Guarantee guarantee;
  guarantee.complete = guarantee.exhausted = whole;
  report.result.claims.take(Base::nonpreemptive, trace);
  report.result.guarantee = report.result.claims.weigh(guarantee);
  if (failure && !world.job->replay) {
    FoundBug bug;
    bug.failure = *failure;
    bug.minimal = true;
    bug.execution = 1;
    bug.trace = trace;
    report.result.bugs.push_back(std::move(bug));
  }
  if (world.job->replay) report.replayed = std::move(trace);
  send_report(report);
}

}  // namespace thrum

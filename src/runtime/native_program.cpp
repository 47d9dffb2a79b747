// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/native_program.hpp"

#include <link.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <cstring>
#include <ctime>

#include "runtime/allocations.hpp"
#include "runtime/descriptors.hpp"
#include "runtime/failure.hpp"
#include "runtime/files.hpp"
#include "runtime/focus.hpp"
#include "runtime/heap.hpp"
#include "runtime/known_ends.hpp"
#include "runtime/leaks.hpp"
#include "runtime/livelock.hpp"
#include "runtime/loader.hpp"
#include "runtime/lock_misuse.hpp"
#include "runtime/mappings.hpp"
#include "runtime/modules.hpp"
#include "runtime/notes.hpp"
#include "runtime/output.hpp"
#include "runtime/process_state.hpp"
#include "runtime/race_judge.hpp"
#include "runtime/raw_syscall.hpp"
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
#include "runtime/world.hpp"
#include "search/explore.hpp"
#include "search/simplify.hpp"
#include "support/check.hpp"

namespace thrum {

namespace {

constexpr std::size_t kThreadsAtFirst = 9;
constexpr std::size_t kEngineStack = std::size_t{4} << 20;

enum class Again : std::uint8_t { no, same, more_threads, library };

Context g_engine;
Trace* g_trace = nullptr;
Again g_again = Again::no;
bool g_restart = false;  // the search is to begin anew
bool g_loading = false;  // a library's constructors may run
Forever<Thread> g_main_at_snapshot;
std::uint64_t g_clock_at_snapshot = 0;
Digest g_trace_digest;  // of the events of all executions, where the job asks for it

[[noreturn]] void leave() {
  catch_system_calls(false);
  g_trace->last = scheduler().current().id;
  if (world.recording) scheduler().note_pending();
  world.running = world.judges_races = false;
  if (__builtin_expect(scheduler().drop_proof(), 0)) {
    g_restart = true;
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

void put_back() {
  if (__builtin_expect(world.made_calls, 0)) undo_calls();
  snapshot().restore();
  the_heap.restore(scheduler().slots_used());
  thread_pool().restore_main();
  scheduler().thread_in_slot(0) = g_main_at_snapshot.value;
  scheduler().clear_main_stack();
  scheduler().reset();
  scheduler().set_clock(g_clock_at_snapshot);
  process_state().restore();
  signals().restore();
  timers().restore();
  test_framework().restore();
}

void take_snapshot() {
  known_ends().forget();
  Thread& main = scheduler().thread_in_slot(0);
  thread_pool().save_main();
  g_main_at_snapshot.value = main;
  g_clock_at_snapshot = scheduler().now_ns();
  process_state().save();
  signals().save();
  timers().save();
  test_framework().save();
  the_heap.save();
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

void announce(const Plan& plan) {
  Channel& channel = *world.channel;
  const Policy& policy = plan.policy;
  channel.policy = {policy.kind, policy.base,  policy.fairness, policy.depth,
                    policy.seed, policy.steps, policy.object};
  auto counts = std::min<std::size_t>(policy.counts.size(), Channel::kCountsMax);
  std::copy_n(policy.counts.begin(), counts, channel.counts);
  channel.count_count = static_cast<std::uint32_t>(counts);
  auto count = std::min<std::size_t>(plan.departures.size(), Channel::kDeparturesMax);
  std::memcpy(static_cast<void*>(channel.departures), plan.departures.data(), count * sizeof(Departure));
  channel.departure_count = static_cast<std::uint32_t>(count);
  std::uint64_t executions = channel.executions.load(std::memory_order_relaxed);
  channel.executions.store(executions + 1, std::memory_order_relaxed);
}

// Tells the supervisor how far the search is, where it has asked since it was told last.
void answer(const std::function<Progress()>& ask) {
  Channel& channel = *world.channel;
  std::uint32_t asked = channel.asked.load(std::memory_order_acquire);
  if (asked == channel.answered.load(std::memory_order_relaxed)) return;
  Progress progress = ask();
  constexpr std::uint64_t kUnknown = Channel::PassedProgress::kUnknown;
  channel.progress.waiting = progress.waiting;
  channel.progress.level = progress.level ? std::uint64_t{*progress.level} : kUnknown;
  channel.progress.classes = progress.classes.value_or(kUnknown);
  channel.progress.done = progress.done.value_or(-1);
  channel.answered.store(asked, std::memory_order_release);
}

Limits limits_of(const Job& job, std::uint64_t executions_before, Fairness fairness) {
  Limits limits;
  if (job.executions != 0)
    limits.executions = job.executions > executions_before ? job.executions - executions_before : 1;
  limits.keep_going = job.keep_going;
  limits.end_at_races = job.races == Races::explore;
  limits.fairness = fairness;
  limits.out_of_time = [] { return world.channel->stop.load(std::memory_order_relaxed) != 0; };
  limits.announce = announce;
  limits.answer = answer;
  limits.count_classes = job.count_classes;
  limits.now = search_seconds;
  return limits;
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
    g_trace_digest.add(reinterpret_cast<const char*>(words), sizeof words);
  }
  std::uint64_t end[] = {std::uint64_t(trace.end), std::uint64_t(trace.failure.kind), trace.failure.code,
                         trace.steps};
  g_trace_digest.add(reinterpret_cast<const char*>(end), sizeof end);
}

[[noreturn]] void send(Report& report) {
  undo_calls();
  test_framework().add_to(report);
  report.modules = modules();
  report.threads = on_system_threads() ? Threads::system : Threads::fibers;
  if (world.job->digest_traces) report.trace_digest = g_trace_digest.value();
  notes().add_to(report.notes);
  ByteWriter out;
  write_report(out, report, *world.names);
  const std::string& bytes = out.bytes();
  Channel& channel = *world.channel;
  THRUM_CHECK(bytes.size() < kChannelSize - sizeof(Channel));
  std::memcpy(channel.report, bytes.data(), bytes.size());
  channel.report_size.store(bytes.size(), std::memory_order_release);
  channel.phase.store(Channel::Phase::reported, std::memory_order_release);
  raw_syscall(SYS_exit_group, 0);
  __builtin_unreachable();
}

// What races in the program is visible from now on. False: the search did not end by a race that is to be
// explored.
bool learn_race(const SearchResult& result, const Job& job) {
  if (job.races != Races::explore || result.end != SearchEnd::bug) return false;
  const Failure& failure = result.bugs.back().failure;
  if (failure.kind != BugKind::data_race) return false;
  race_judge().known().add(failure);
  return true;
}

// The bugs of a search that came after `before`.
void take_bugs(std::vector<FoundBug>& from, SearchResult& before) {
  for (FoundBug& bug : from) {
    if (find_bug(before.bugs, bug.failure) != nullptr) continue;
    bug.execution += before.executions;
    bug.seconds += before.seconds;
    before.bugs.push_back(std::move(bug));
  }
}

[[noreturn]] void refuse(std::string why) {
  Report report;
  report.refused = std::move(why);
  send(report);
}

// The bugs of a search that is taken up have the places and addresses of this process from now on.
void confirm_bugs(NativeProgram& program, std::vector<FoundBug>& bugs) {
  KnownRaces& races = race_judge().known();
  const std::size_t known = races.count();
  for (FoundBug& bug : bugs) {
    std::string difference;
    races.use(bug.trace.known_races.size());
    const bool same = confirm(program, bug.plan, bug.trace, difference) && bug.trace.end == End::bug &&
                      bug.trace.failure.kind == bug.failure.kind;
    if (!same || g_restart)
      refuse("the program behaves otherwise than it did then: a bug is not shown again");
    bug.failure = bug.trace.failure;
  }
  races.use(known);
}

// Where another process has put the search down.
SearchSoFar take_up(NativeProgram& program, Strategy& strategy, SearchResult& before, Fairness& fairness) {
  SearchSoFar so_far;
  Digest digest;
  std::string problem = search_state().take_up(so_far, before, strategy, digest, fairness, load_library);
  if (!problem.empty()) refuse(std::move(problem));
  warnings().watch(false);
  confirm_bugs(program, before.bugs);
  confirm_bugs(program, so_far.result.bugs);
  warnings().watch(true);
  g_trace_digest = digest;
  world.channel->executions.store(before.executions + so_far.result.executions, std::memory_order_relaxed);
  return so_far;
}

// Lets the search be put down.
void watch_state(Limits& limits, const Strategy& strategy, const SearchResult& before) {
  const Fairness fairness = limits.fairness;
  if (!search_state().is_wanted()) return;
  limits.wants_between = [](bool last) { return search_state().wants(last); };
  limits.between = [&, fairness](const SearchSoFar& so_far) {
    search_state().put_down(so_far, before, strategy, g_trace_digest, fairness);
  };
}

// One search to its end. What was run before it had to begin anew is counted, and its bugs kept, in `before`.
SearchResult search_once(NativeProgram& program, const Job& job, SearchResult& before) {
  Fairness fairness = job.fairness;
  while (true) {
    g_restart = false;
    StrategySettings settings = job.settings;
    settings.make_file = make_temporary_file;
    settings.is_fair = fairness == Fairness::on;
    std::unique_ptr<Strategy> strategy = make_strategy(job.strategy, settings);
    THRUM_CHECK(strategy != nullptr);
    SearchSoFar from;
    if (search_state().is_there()) from = take_up(program, *strategy, before, fairness);
    Limits limits = limits_of(job, before.executions, fairness);
    watch_state(limits, *strategy, before);
    SearchResult one = explore(program, *strategy, limits, std::move(from));
    bool by_race = !g_restart && learn_race(one, job);
    bool starved = !g_restart && one.starved;
    if (!g_restart && !by_race && !starved) return one;
    if (starved) fairness = Fairness::on;
    if (by_race || starved) take_bugs(one.bugs, before);  // else they are found again
    before.executions += one.executions;
    before.steps += one.steps;
    before.seconds += one.seconds;
    before.statistics.before += one.executions;
  }
}

// The answer of a process that was to announce its tests.
[[noreturn]] void report_tests() {
  Report report;
  send(report);
}

// Job::repeat searches as one: the first one's result, with the executions, steps and seconds of all.
SearchResult search_repeatedly(NativeProgram& program, const Job& job) {
  SearchResult all;
  SearchResult before;
  for (std::uint64_t i = 0; i < job.repeat; ++i) {
    SearchResult one = search_once(program, job, before);
    if (i == 0) {
      take_bugs(one.bugs, before);
      all = std::move(one);
      all.bugs = std::move(before.bugs);
      all.statistics.before = before.statistics.before;
      continue;
    }
    THRUM_CHECK(one.executions * i == all.executions && one.end == all.end);
    all.executions += one.executions;
    all.steps += one.steps;
    all.seconds += one.seconds;
  }
  all.executions += before.executions;
  all.steps += before.steps;
  all.seconds += before.seconds;
  return all;
}

// Each bug by a schedule that is as simple as can be found.
void simplify_bugs(NativeProgram& program, const Job& job, SearchResult& result) {
  // Benchmarks count their own executions, and digests theirs.
  if (job.repeat > 1 || job.digest_traces || result.bugs.empty()) return;
  constexpr std::uint64_t kExecutions = 20'000;  // for all of them
  constexpr double kSeconds = 5;
  Limits limits = limits_of(job, 0, Fairness::off);
  SimplifyBudget budget;
  budget.executions = std::max<std::uint64_t>(kExecutions / result.bugs.size(), 200);
  budget.seconds = kSeconds / static_cast<double>(result.bugs.size());
  budget.out_of_time = limits.out_of_time;
  budget.announce = limits.announce;
  budget.now = limits.now;
  for (FoundBug& bug : result.bugs) {
    race_judge().known().use(bug.trace.known_races.size());
    if (!g_restart) simplify(program, bug, budget);
  }
}

// What runs on the engine's own stack.
void engine() {
  take_snapshot();
  world.channel->phase.store(Channel::Phase::searching, std::memory_order_release);
  NativeProgram program;
  Report report;
  report.started_threads = true;
  const Job& job = *world.job;
  race_judge().known().add(job.known_races);
  focus().begin(job.focus_code, job.focus_data);
  if (job.replay) {
    Trace& trace = report.replayed.emplace();
    announce(*job.replay);
    double start = search_seconds();
    do {
      g_restart = false;
      program.run(*job.replay, nullptr, Recording::full, trace);
    } while (g_restart);
    report.result.seconds = search_seconds() - start;
    report.result.executions = 1;
    report.result.steps = trace.steps;
    report.result.threads_max = trace.threads;
  } else {
    warnings().watch(true);
    report.result = search_repeatedly(program, job);
    warnings().watch(false);
    simplify_bugs(program, job, report.result);
    if (!g_restart) report.warnings = warnings().explain(program, report.result.bugs);
  }
  send(report);
}

}  // namespace

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
  for (std::uint16_t slot = 0; slot < scheduler().slots_used(); ++slot) {
    const char* begin = the_heap.region_begin(slot);
    digest.add(begin, static_cast<std::size_t>(the_heap.region_end(slot) - begin));
  }
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
  g_trace = &trace;
  bool again = false;  // for a race's sake
  leak_search().begin_plan();
  warnings().begin(plan);
  livelock_detector().begin_plan();
  do {
    put_back();
    scheduler().director().begin(plan, online, recording, trace);
    world.recording = is_to_record();
    if (world.job->leaks) leak_search().begin();
    pay_attention();
    if (test_framework().passes_over()) pass_over();
    limit_steps(world.job->steps);
    world.wrote = false;
    loader().reset();
    allocations().begin();
    output().begin(recording == Recording::full);
    g_again = Again::no;
    world.judges_races = world.job->races != Races::ignore;
    if (world.judges_races) race_judge().begin(again);
    world.running = true;
    catch_system_calls(true);
    Thread& main = scheduler().thread_in_slot(0);
    switch_to(g_engine, main.context, main.fs_base);
    known_ends().finish(trace, trace.end == End::finished && g_again == Again::no && !g_restart);
    if (test_framework().list_is_complete()) report_tests();
    if (g_again == Again::more_threads) grow_pool();
    if (g_again == Again::library) load_library();
    again = recording == Recording::full && race_judge().wants_again(trace);
  } while ((again || g_again != Again::no) && !g_restart);
  if (trace.end == End::finished || trace.end == End::bug) scheduler().director().finish();
  if (recording == Recording::full) trace.known_races = race_judge().known().places();
  if (warnings().wants_events()) warnings().learn(trace);
  if (!wants_events()) trace.events.clear();
  trace.steps = steps_done();
  trace.points = scheduler().points();
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
  Output::prepare();
  find_section_functions();
  thread_pool().grow(kThreadsAtFirst);
  Thread& main = scheduler().thread_in_slot(0);
  thread_pool().describe_main(main);
  main.life = Life::unsettled;
  long stack = raw_syscall(SYS_mmap, 0, kEngineStack, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  THRUM_CHECK(stack > 0);
  Context engine_context = new_context(reinterpret_cast<char*>(stack) + kEngineStack, engine);
  install_signal_handlers();  // once more: the program may have put its own in their place
  watch_system_calls();
  switch_to(main.context, engine_context, 0);
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
  g_restart = true;
  g_trace->end = End::uncontrolled;
  leave();
}

void need_library() {
  g_again = Again::library;
  restart_search();
}

void cut_by_steps() {
  check_self_locks();
  g_trace->end = End::steps;
  leave();
}

void cut_by_yields() {
  g_trace->end = End::yields;
  leave();
}

namespace {

[[noreturn]] void end_uncontrolled() {
  if (!world.running) report_without_search(nullptr);
  g_trace->end = End::uncontrolled;
  leave();
}

}  // namespace

void lose_control(const char* kind, const std::string& text) {
  notes().uncontrolled(kind, text);
  end_uncontrolled();
}

void lose_control_by_call(const std::string& name) {
  notes().uncontrolled_call(name);
  end_uncontrolled();
}

void pass_over() {
  known_ends().give_up();
  scheduler().director().pause();
  world.recording = false;
}

void explore_again() {
  if (world.job->leaks) leak_search().ignore_so_far();
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

void report_without_search(const Failure* failure) {
  world.running = false;
  Report report;
  report.result.executions = 1;
  report.result.threads_max = 1;
  report.result.steps = steps_done();
  bool whole = !failure && !notes().any_uncontrolled();
  report.result.end = failure ? SearchEnd::bug : whole ? SearchEnd::exhausted : SearchEnd::lost_control;
  report.result.guarantee.complete = report.result.guarantee.exhausted = whole;
  Trace trace;
  trace.threads = 1;
  if (failure) {
    trace.end = End::bug;
    trace.failure = *failure;
    capture_failure_stack(trace);
  }
  if (failure && !world.job->replay) {
    FoundBug bug;
    bug.failure = *failure;
    bug.minimal = true;
    bug.execution = 1;
    bug.trace = trace;
    report.result.bugs.push_back(std::move(bug));
  }
  if (world.job->replay) report.replayed = std::move(trace);
  send(report);
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/job.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace thrum {
namespace {

// Threads 0.1, 0.2 and 0.2.1; their numbers are in another order than their names.
struct Threads {
  ThreadNames names;
  ThreadId second = names.child(kMainThread, 2);
  ThreadId grandchild = names.child(second, 1);
  ThreadId first = names.child(kMainThread, 1);
};

Plan sample_plan(const Threads& threads) {
  Plan plan;
  plan.policy.seed = 7;
  plan.departures.push_back({{threads.first, ChoiceKind::thread, 3}, {threads.second, Via::timeout}});
  plan.departures.push_back({{kMainThread, ChoiceKind::value, 5}, {41, Via::run}});
  return plan;
}

Trace sample_trace(const Threads& threads) {
  Trace trace;
  trace.end = End::bug;
  trace.options = {{threads.first, Via::run}, {threads.grandchild, Via::run}, {0, Via::run}, {1, Via::run}};
  trace.choices.push_back({{threads.first, ChoiceKind::thread, 3}, true, false, 2, 1, 1, 0, 0, 2});
  trace.choices.push_back({{threads.first, ChoiceKind::value, 4}, false, false, 0, 0, 1, 1, 2, 2});
  Event event;
  event.object = 0x1000;
  event.value = 0xffff'ffff'ffff'ffff;
  event.thread = threads.grandchild;
  event.operation = Operation::compare_exchange;
  event.outcome = Outcome::failed;
  event.size = 8;
  trace.events = {event};
  EventPlaces places;
  places.object = {Place::Space::heap, threads.second, 3, 16};
  places.value = {Place::Space::module, 1, 0, 0x2000};
  places.stack = {{Place::Space::module, 0, 0, 0x1234}, {Place::Space::stack, threads.first, 0, 96}};
  trace.details.places = {places};
  trace.failure.kind = BugKind::deadlock;
  trace.failure.message = "deadlock";
  trace.failure.thread = threads.grandchild;
  trace.failure.waiters = {{threads.first, Operation::lock, 0x1000, threads.second, false, 0x99},
                           {threads.second, Operation::futex_wait, 0x2000, kNoThread, true, 0}};
  trace.failure.file = "queue.cpp";
  trace.failure.line = 12;
  trace.details.failure_stack = {{Place::Space::module, 0, 0, 0x4321}};
  trace.details.waiter_places = {places, {}};
  trace.details.others = {{threads.grandchild, Operation::store, 0x3000, kNoThread, false, 0x98, true}};
  trace.details.other_places = {places};
  trace.details.frames = {{{Place::Space::module, 0, 0, 0x1234}, 96, 64, 32}};
  trace.details.blocks = {{threads.second, 3, 24, {{Place::Space::module, 0, 0, 0x1234}}}};
  trace.details.lost = {{threads.second, 2, 48, true, {{Place::Space::module, 0, 0, 0x1234}}}};
  trace.grew = true;
  trace.accesses = {
      {1, threads.second, Operation::plain_store, true, true, 4, 0x5000, 77, kNoTerm, 0x401000}};
  trace.details.output = std::string("with a zero\0 in it", 18);
  return trace;
}

Report sample_report(const Threads& threads) {
  Report report;
  report.result.end = SearchEnd::bug;
  report.result.guarantee.exhausted = true;
  report.result.guarantee.bounds = {{Base::nonpreemptive, 3, 2},
                                    {Base::round_robin, std::nullopt, std::nullopt}};
  report.result.guarantee.chance = Chance{Chance::Of::bug_of_depth, -12.5, 3, 4, 120, 0, 77, false};
  FoundBug bug;
  bug.plan = sample_plan(threads);
  bug.preemptions = 2;
  bug.minimal = true;
  bug.switches = 5;
  bug.switches_minimal = true;
  bug.execution = 17;
  bug.seconds = 0.25;
  bug.trace = sample_trace(threads);
  bug.failure = bug.trace.failure;
  report.result.bugs.push_back(bug);
  report.result.executions = 99;
  ShownUnfolding shown;
  shown.trace.events = {bug.trace.events[0], bug.trace.events[0]};
  shown.trace.details.places.resize(2);
  shown.links = {{.object = 1, .consumes = true}, {.previous = 0, .object = 1, .source = 0, .behind = {0}}};
  shown.events = 5;
  report.result.kept.unfolding = UnfoldingStatistics{.local_states = 4, .shown = std::move(shown)};
  report.result.statistics.base = Base::round_robin;
  report.result.statistics.levels = {{5, 4, 1, 0.5}, {0, 0, 0, std::nullopt}};
  report.result.statistics.growth = {{1, 1, 0.25, {2, 3}}, {5, 4, 0.5}};
  report.result.statistics.local_states = CoverageCount{12, false, 3};
  report.result.statistics.value_sequences = CoverageCount{13, true, 4};
  report.result.statistics.counts_classes = true;
  report.result.statistics.classes = 4;
  report.result.statistics.in_vain = 2;
  report.result.statistics.before = 7;
  report.result.lost_reason = "none";
  report.started_threads = true;
  report.modules = {{"/usr/bin/t", true, 0x10, 0x20, 0x30}, {"/lib/libc.so.6", false}};
  report.loops = {{{Place::Space::module, 1, 0, 0x30}, WaitingLoop::Kind::differs, 5}};
  report.notes = {{"weaker-atomics", 3, "three atomics", false}, {"uncontrolled-call", 1, "read", true}};
  report.tests = {{"Queue.Push", {}}, {"Queue.Pop", {"--strategy=pct"}}};
  report.part_name = "first / second";
  report.may_have_more = true;
  report.executions_skipped = 2;
  report.skip_reason = "no network";
  report.replayed = sample_trace(threads);
  report.names.code = {{0x31, {{"_Z3runv", "/src/run.cpp", 7}, {"main", "", 0}}}};
  report.names.data = {{0x40, 8, "counter"}};
  report.names.locals = {{0x30, 16, 4, "_Z3runv", "ready"}};
  report.suite = SuiteRun{9, {{3, 1, End::diverged}, {7, 2, End::steps}}, {4, 5}, 9, true};
  return report;
}

std::string bytes_of(const Report& report, const ThreadNames& names) {
  ByteWriter out;
  write_report(out, report, names);
  return out.take();
}

TEST(Job, AThreadThatIsNoneLeavesAHole) {
  Threads threads;
  Report report = sample_report(threads);
  report.result.bugs[0].failure.waiters = {
      {kMainThread, Operation::lock, 1, ThreadId{40'000}, false, 2, false}};
  const std::string bytes = bytes_of(report, threads.names);
  ByteReader in(bytes);
  const std::optional<Report> read = read_report(in, threads.names);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->result.bugs[0].failure.waiters[0].holder, kNoThread);
}

// A picture follows these numbers.
TEST(Job, AnEventComesBehindEarlierOnes) {
  Threads threads;
  Report report = sample_report(threads);
  std::vector<ShownUnfolding::Link>& links = report.result.kept.unfolding->shown->links;
  const auto is_read = [&] {
    const std::string bytes = bytes_of(report, threads.names);
    ByteReader in(bytes);
    const std::optional<Report> read = read_report(in, threads.names);
    return read && read->result.kept.unfolding->shown->links[1].behind == links[1].behind;
  };
  EXPECT_TRUE(is_read());
  for (std::uint32_t* number :
       {&links[1].source, &links[1].previous, &links[1].joined, &links[1].behind[0]}) {
    const std::uint32_t before = std::exchange(*number, 1u);
    EXPECT_FALSE(is_read());
    *number = before;
  }
  links.pop_back();
  EXPECT_FALSE(is_read());
}

TEST(Job, RoundTrip) {
  Threads threads;
  Job job;
  job.strategy = "icb";
  job.settings = {Base::round_robin, 4, 12};
  job.settings.depth = 5;
  job.settings.priorities = {"mdpor", "pb"};
  job.settings.memory_max = 77;
  job.temporary_folder = "/var/tmp";
  job.focus_code = {{0x10, 0x20}, {0x30, 0x31}};
  job.focus_data = {{0x4000, 0x4008}};
  job.executions = 5;
  job.steps = 6;
  job.keep_going = true;
  job.count_classes = true;
  job.keeps_classes = true;
  job.count_local_states = true;
  job.count_values = true;
  job.heap = Heap::fresh;
  job.threads = thrum::Threads::system;
  job.test = "Queue.Pop";
  job.part = 3;
  job.only_list = true;
  job.suite = SuiteUse::record;
  job.replay = sample_plan(threads);
  ByteWriter out;
  write_job(out, job, threads.names);

  ThreadNames others;
  others.child(kMainThread, 9);
  ByteReader in(out.bytes());
  std::optional<Job> read = read_job(in, others);
  ASSERT_TRUE(read);
  EXPECT_TRUE(in.at_end());
  EXPECT_EQ(read->strategy, "icb");
  EXPECT_EQ(read->settings.base, Base::round_robin);
  EXPECT_EQ(read->settings.limit, 4U);
  EXPECT_EQ(read->settings.seed, 12U);
  EXPECT_EQ(read->settings.depth, 5U);
  EXPECT_EQ(read->executions, 5U);
  EXPECT_EQ(read->steps, 6U);
  EXPECT_TRUE(read->keep_going);
  EXPECT_TRUE(read->count_classes);
  EXPECT_TRUE(read->keeps_classes);
  EXPECT_EQ(read->heap, Heap::fresh);
  EXPECT_EQ(read->threads, thrum::Threads::system);
  EXPECT_EQ(read->test, "Queue.Pop");
  EXPECT_EQ(read->part, 3U);
  EXPECT_TRUE(read->only_list);
  EXPECT_EQ(read->suite, SuiteUse::record);
  ASSERT_TRUE(read->replay);
  EXPECT_EQ(to_string(*read->replay, others), to_string(*job.replay, threads.names));
}

TEST(Job, ReportPassesToAnotherTableOfNames) {
  Threads threads;
  Report report = sample_report(threads);
  ThreadNames others;
  std::string bytes = bytes_of(report, threads.names);
  ByteReader in(bytes);
  std::optional<Report> read = read_report(in, others);
  ASSERT_TRUE(read);
  EXPECT_TRUE(in.at_end());
  // Written again with the other table, the report has the same bytes.
  EXPECT_EQ(bytes_of(*read, others), bytes);

  const Trace& trace = *read->replayed;
  EXPECT_EQ(others.name(trace.events[0].thread), "0.2.1");
  EXPECT_EQ(others.name(trace.details.places[0].object.owner), "0.2");
  EXPECT_EQ(others.name(trace.options_of(trace.choices[0])[1].value), "0.2.1");
  EXPECT_EQ(trace.options_of(trace.choices[1])[1].value, 1);
  EXPECT_EQ(others.name(trace.failure.waiters[0].holder), "0.2");
  EXPECT_EQ(trace.failure.waiters[1].holder, kNoThread);
  EXPECT_EQ(trace.details.output.size(), 18U);
  EXPECT_TRUE(trace.grew);
  ASSERT_EQ(trace.accesses.size(), 1U);
  EXPECT_EQ(others.name(trace.accesses[0].thread), "0.2");
  EXPECT_EQ(trace.accesses[0].operation, Operation::plain_store);
  EXPECT_EQ(trace.accesses[0].object, 0x5000U);
  EXPECT_EQ(trace.accesses[0].value, 77U);
  EXPECT_EQ(trace.accesses[0].code, 0x401000U);
  EXPECT_EQ(read->result.guarantee.bounds[0].completed, 2U);
  EXPECT_EQ(read->result.guarantee.bounds[1].limit, std::nullopt);
  EXPECT_EQ(read->result.guarantee.chance->log_least, -12.5);
  EXPECT_EQ(read->result.guarantee.chance->steps, 120U);
  EXPECT_EQ(read->result.statistics.levels[0].completed, 0.5);
  EXPECT_EQ(read->result.statistics.growth[1].classes, 4U);
  ASSERT_TRUE(read->suite);
  ASSERT_EQ(read->suite->departed.size(), 2U);
  EXPECT_EQ(read->suite->departed[1].schedule, 7U);
  EXPECT_EQ(read->suite->departed[1].end, End::steps);
  EXPECT_EQ(read->suite->changed, (std::vector<std::uint64_t>{4, 5}));
  EXPECT_EQ(read->suite->failed, 9U);
  EXPECT_TRUE(read->suite->leaks);
}

TEST(Job, EveryTruncationIsRefused) {
  Threads threads;
  std::string bytes = bytes_of(sample_report(threads), threads.names);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ThreadNames others;
    ByteReader in(std::string_view(bytes).substr(0, size));
    EXPECT_FALSE(read_report(in, others)) << size << " of " << bytes.size() << " bytes";
  }
}

// Data read from damaged bytes may be wrong, but must be usable: writing it again works.
TEST(Job, DamagedBytesAreRefusedOrUsable) {
  Threads threads;
  const std::string bytes = bytes_of(sample_report(threads), threads.names);
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Random random(seed);
    std::string damaged = bytes;
    for (std::uint64_t flips = 1 + random.below(4); flips > 0; --flips) {
      auto& byte = damaged[random.below(damaged.size())];
      byte = static_cast<char>(byte ^ (1 << random.below(8)));
    }
    ThreadNames others;
    ByteReader in(damaged);
    if (std::optional<Report> read = read_report(in, others)) bytes_of(*read, others);
    ByteReader as_job(damaged);
    if (std::optional<Job> read = read_job(as_job, others)) {
      ByteWriter out;
      write_job(out, *read, others);
    }
  }
}

}  // namespace
}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text_report.hpp"
#include "report/same_execution.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <functional>
#include <map>
#include <utility>

#include "report/source_lines.hpp"
#include "report/trace_rows.hpp"

namespace thrum {
namespace {

// A trace made by hand: module 0 is the program, code offsets are source lines, and data offsets are given
// names.
class TraceMaker {
 public:
  TraceMaker() {
    file_.modules = {"/t/queue"};
    first_ = file_.names.child(kMainThread, 1);
    second_ = file_.names.child(kMainThread, 2);
    file_.trace.end = End::bug;
  }

  ThreadId first() const { return first_; }
  ThreadId second() const { return second_; }

  std::vector<Place> stack(std::uint32_t line, const std::string& function) {
    file_.symbols.code[{0, line}] = {{"std::atomic<>::load", "/usr/include/c++/12/atomic", 7},
                                     {function, "/t/queue.cpp", line}};
    return {{Place::Space::module, 0, 0, line}};
  }

  Place variable(const std::string& name) {
    Place place{Place::Space::module, 0, 0, 0x1000 + 8 * std::hash<std::string>{}(name) % 4096};
    file_.symbols.data[{0, place.offset}] = name;
    return place;
  }

  Event& add(ThreadId thread, Operation operation, const std::string& object, std::uint32_t line,
             const std::string& function) {
    Event event;
    event.thread = thread;
    event.operation = operation;
    event.index = events_of_[thread];
    if (is_visible(operation)) ++events_of_[thread];
    event.size = 4;
    EventPlaces places;
    if (!object.empty()) places.object = variable(object);
    event.object = places.object.offset;
    places.stack = stack(line, function);
    file_.trace.details.places.push_back(places);
    return file_.trace.events.emplace_back(event);
  }
  void load(ThreadId thread, const std::string& object, std::uint64_t value, std::uint32_t line,
            const std::string& function) {
    add(thread, Operation::load, object, line, function).value = value;
  }
  void store(ThreadId thread, const std::string& object, std::uint64_t value, std::uint32_t line,
             const std::string& function) {
    add(thread, Operation::store, object, line, function).operand = value;
  }

  // Main creates a thread.
  void create(ThreadId thread, std::uint32_t line) {
    add(kMainThread, Operation::thread_create, "", line, "main");
    file_.trace.details.places.back().object = {Place::Space::stack, thread, 0, 1};
  }

  // The choice behind the last event: the thread goes on, or another one does.
  void choice(bool running_enabled, ThreadId next) {
    ThreadId thread = file_.trace.events.back().thread;
    ChoicePoint point;
    point.key = {thread, ChoiceKind::thread, events_of_[thread]};
    point.running_enabled = running_enabled;
    point.options_begin = static_cast<std::uint32_t>(file_.trace.options.size());
    if (running_enabled) file_.trace.options.push_back({thread, Via::run});
    file_.trace.options.push_back({next, Via::run});
    point.options_count = point.enabled = running_enabled ? 2 : 1;
    point.taken = running_enabled ? 1 : 0;
    file_.trace.choices.push_back(point);
  }

  TraceFile& file() { return file_; }

 private:
  TraceFile file_;
  ThreadId first_;
  ThreadId second_;
  std::map<ThreadId, std::uint32_t> events_of_;
};

TraceFile assertion_trace() {
  TraceMaker maker;
  maker.create(maker.first(), 30);
  maker.create(maker.second(), 31);
  maker.choice(false, maker.first());
  maker.load(maker.first(), "head", 0, 10, "push");
  maker.choice(true, maker.second());
  maker.store(maker.second(), "head", 5, 20, "pop");
  maker.choice(false, maker.first());
  maker.store(maker.first(), "head", 0xffffffff, 11, "push");
  TraceFile file = std::move(maker.file());
  file.preemptions = 1;
  file.minimal = true;
  file.trace.failure.kind = BugKind::assertion;
  file.trace.failure.message = "head is lost";
  file.trace.failure.thread = maker.first();
  file.trace.details.failure_stack = file.trace.details.places.back().stack;
  return file;
}

TEST(TextReport, OneColumnAThread) {
  TextStyle style;
  style.directory = "/t";
  EXPECT_EQ(text_trace(assertion_trace(), style), R"(assertion: head is lost
  1 preemption; no schedule with fewer fails so (proved)

       source        0 main                0.1 push              0.2 pop
    1  queue.cpp:30  creates 0.1           |                     |
    2  queue.cpp:31  creates 0.2           |                     |
                     does no more          |                     |
    3  queue.cpp:10  |                     head -> 0             |
                     |                     preempted before: head = -1
    4  queue.cpp:20  |                     |                     head = 5
                     |                     |                     does no more
    5  queue.cpp:11  |                     head = -1             |
       queue.cpp:11  |                     assertion: head is lost

  Thread 0.1 failed at queue.cpp:11
  Stack:
      push  queue.cpp:11
)");
}

TEST(TextReport, ColoursOnlyWhereAsked) {
  TextStyle style;
  EXPECT_EQ(text_trace(assertion_trace(), style).find('\033'), std::string::npos);
  style.colours = true;
  EXPECT_NE(text_trace(assertion_trace(), style).find('\033'), std::string::npos);
}

TEST(TextReport, NarrowTerminal) {
  TextStyle style;
  style.width = 60;
  std::string text = text_trace(assertion_trace(), style);
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find('\n', at);
    EXPECT_LE(end - at, 60U) << text.substr(at, end - at);
    at = end + 1;
  }
}

TEST(TextReport, DeadlockSaysWhoWaitsForWhat) {
  TraceMaker maker;
  maker.add(maker.first(), Operation::lock, "a", 10, "left");
  maker.choice(true, maker.second());
  maker.add(maker.second(), Operation::lock, "b", 20, "right");
  maker.choice(false, maker.first());
  TraceFile file = std::move(maker.file());
  Failure& failure = file.trace.failure;
  failure.kind = BugKind::deadlock;
  failure.message = "no thread can go on";
  failure.waiters = {{maker.first(), Operation::lock, 2, maker.second(), false, 0},
                     {maker.second(), Operation::lock, 1, maker.first(), false, 0}};
  file.trace.details.waiter_places = {
      {file.trace.details.places[1].object, {}, {}, file.trace.details.places[0].stack},
      {file.trace.details.places[0].object, {}, {}, file.trace.details.places[1].stack}};
  std::string text = text_trace(file, {});
  EXPECT_NE(text.find("preempted before: lock b, held by 0.2"), std::string::npos) << text;
  EXPECT_NE(text.find("waits: lock a, held by 0.1"), std::string::npos) << text;
  EXPECT_NE(text.find("  Thread 0.1 waits: lock b, held by 0.2\n      left  /t/queue.cpp:10\n"
                      "    and holds a, locked at /t/queue.cpp:10 (1)\n"
                      "  Thread 0.2 waits: lock a, held by 0.1\n      right  /t/queue.cpp:20\n"
                      "    and holds b, locked at /t/queue.cpp:20 (2)\n"),
            std::string::npos)
      << text;
}

TEST(TextReport, DeadlockNamesTheCircle) {
  TraceMaker maker;
  maker.add(maker.first(), Operation::lock, "a", 10, "left");
  TraceFile file = std::move(maker.file());
  Failure& failure = file.trace.failure;
  failure.kind = BugKind::deadlock;
  failure.message = "no thread can go on";
  auto waits = [&](ThreadId thread, ThreadId holder) {
    failure.waiters.push_back({thread, Operation::lock, 1, holder, false, 0});
    file.trace.details.waiter_places.push_back({file.trace.details.places[0].object, {}, {}, {}});
  };
  waits(maker.first(), maker.first());
  EXPECT_NE(text_trace(file, {}).find("Thread 0.1 waits for itself."), std::string::npos);
  failure.waiters.clear();
  waits(kMainThread, maker.first());
  waits(maker.first(), maker.second());
  waits(maker.second(), kMainThread);
  EXPECT_NE(text_trace(file, {}).find("Thread 0 waits for 0.1, 0.1 waits for 0.2 and 0.2 waits for 0."),
            std::string::npos)
      << text_trace(file, {});
}

TEST(TextReport, WaitsSayWhatEndsThem) {
  TraceMaker maker;
  maker.add(maker.first(), Operation::lock, "a", 10, "left");
  maker.choice(true, maker.second());
  maker.add(maker.second(), Operation::fence, "", 20, "right");
  maker.choice(false, maker.first());
  maker.add(maker.first(), Operation::unlock, "a", 11, "left");
  maker.choice(true, maker.second());
  maker.add(maker.second(), Operation::lock, "a", 21, "right");
  std::string text = text_trace(maker.file(), {});
  EXPECT_NE(text.find("waits: lock a, held by 0.1 (until 3)"), std::string::npos) << text;
}

TEST(TextReport, LostWakeUpIsNamed) {
  TraceMaker maker;
  maker.add(maker.second(), Operation::signal, "ready", 20, "produce");
  maker.choice(true, maker.first());
  maker.add(maker.first(), Operation::wait_release, "ready", 10, "consume");
  TraceFile file = std::move(maker.file());
  Failure& failure = file.trace.failure;
  failure.kind = BugKind::deadlock;
  failure.message = "no thread can go on";
  failure.waiters = {{maker.first(), Operation::wait_reacquire, 0, kNoThread, false, 0}};
  file.trace.details.waiter_places = {
      {file.trace.details.places[0].object, {}, {}, file.trace.details.places[1].stack}};
  std::string text = text_trace(file, {});
  EXPECT_NE(text.find("signal ready (nobody waits)"), std::string::npos) << text;
  EXPECT_NE(
      text.find(
          "Nobody is left to wake thread 0.1; the last wake-up, at /t/queue.cpp:20 (1), came when nobody\n"
          "  waited."),
      std::string::npos)
      << text;
}

// A trace that was read names its objects and says who holds a lock as the one that was written.
TEST(TextReport, BlocksAndLocalsAreNamed) {
  TraceMaker maker;
  maker.store(maker.first(), "x", 1, 10, "push");
  TraceFile file = std::move(maker.file());
  file.trace.failure = assertion_trace().trace.failure;
  file.trace.details.blocks = {{kMainThread, 7, 24, maker.stack(30, "main")}};
  file.symbols.code = assertion_trace().symbols.code;
  file.trace.details.places[0].object = {Place::Space::heap, kMainThread, 7, 8};
  Place local{Place::Space::stack, kMainThread, 3, 64};
  file.symbols.locals[local] = "main::node";
  file.trace.details.places[0].operand = local;
  std::string text = text_trace(file, {});
  EXPECT_NE(text.find("block 1+8 = &main::node"), std::string::npos) << text;
  EXPECT_NE(text.find("block 1: 24 bytes allocated by 0 at /t/queue.cpp:30 (main)"), std::string::npos)
      << text;
  std::string problem;
  std::optional<TraceFile> read = trace_file_from_json(to_json(file), problem);
  ASSERT_TRUE(read) << problem;
  EXPECT_EQ(text_trace(*read, {}), text);
}

TEST(TextReport, ThreadsBesideTheFailingOne) {
  TraceFile file = assertion_trace();
  file.trace.details.others = {{kMainThread, Operation::thread_join, 0, 1, false, 0},
                               {2, Operation::store, 0, kNoThread, false, 0, true}};
  file.trace.details.other_places = {{{}, {}, {}, file.trace.details.places[0].stack},
                                     file.trace.details.places[2]};
  std::string text = text_trace(file, {});
  EXPECT_NE(text.find("  Thread 0 waits for 0.1 to end, at /t/queue.cpp:30\n"
                      "  Thread 0.2 was about to: write head, at /t/queue.cpp:10\n"),
            std::string::npos)
      << text;
}

TEST(TextStyle, WidthAndColours) {
  setenv("COLUMNS", "72", 1);
  EXPECT_EQ(style_for(-1).width, 72);
  for (const char* nonsense : {"7", "72x", "", "-1", "99999999999999"}) {
    setenv("COLUMNS", nonsense, 1);
    EXPECT_EQ(style_for(-1).width, TextStyle{}.width) << nonsense;
  }
  unsetenv("COLUMNS");
  EXPECT_FALSE(style_for(-1).colours);
  EXPECT_TRUE(style_for(-1, Colour::always).colours);
  EXPECT_FALSE(style_for(-1, Colour::never).colours);
}

std::vector<Row> rows_of(const std::vector<std::string>& texts) {
  std::vector<Row> rows;
  for (const std::string& text : texts)
    rows.push_back({Row::Kind::operation, kMainThread, text, "", rows.size() + 1});
  return rows;
}

std::vector<std::string> folded(const std::vector<std::string>& texts) {
  std::vector<std::string> result;
  for (const Row& row : fold(rows_of(texts))) result.push_back(row.text);
  return result;
}

TEST(Fold, RepetitionsAreShownOnce) {
  EXPECT_EQ(folded({"a", "a"}), (std::vector<std::string>{"a", "a"}));
  EXPECT_EQ(folded({"x", "a", "a", "a", "a", "y"}),
            (std::vector<std::string>{"x", "a", "... the same 3 more times ...", "y"}));
  EXPECT_EQ(folded({"a", "b", "a", "b", "a", "b", "c"}),
            (std::vector<std::string>{"a", "b", "... the same 2 more times ...", "c"}));
}

TEST(Fold, LongStretchesLoseTheirMiddle) {
  std::vector<std::string> texts;
  for (int i = 0; i < 100; ++i) texts.push_back(std::to_string(i));
  std::vector<std::string> result = folded(texts);
  EXPECT_EQ(result.size(), 11U);
  EXPECT_EQ(result[5], "... 90 more operations ...");
  EXPECT_EQ(result.back(), "99");
}

// What is kept of a long table: its ends, and what lies around preemptions.
TEST(Fold, LongTablesKeepWhatMatters) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < 400; ++i) {
    auto thread = static_cast<ThreadId>(i % 2);
    rows.push_back({Row::Kind::operation, thread, std::to_string(i), "", i + 1});
    if (i == 200) rows.push_back({Row::Kind::preemption, thread, "preempted", "", 0});
  }
  std::vector<Row> shown = fold(rows);
  EXPECT_LE(shown.size(), 60U);
  EXPECT_EQ(shown.front().text, "0");
  EXPECT_EQ(shown.back().text, "399");
  std::size_t operations = 0;
  bool preemption = false;
  for (const Row& row : shown) {
    operations += row.kind == Row::Kind::operation ? 1 : row.hidden;
    preemption = preemption || row.kind == Row::Kind::preemption;
  }
  EXPECT_EQ(operations, 400U) << "what is left out is counted";
  EXPECT_TRUE(preemption);
}

TEST(TraceFile, JsonRoundTrip) {
  TraceFile file = assertion_trace();
  file.invocation = {"/t/queue", {}, "-O2", true, {"--fast", "2"}, "/t", "Queue.Pop", 2};
  file.engine = "vm";
  file.strategy = "icb";
  file.heap = "fresh";
  file.steps = 17;
  file.plan.departures.push_back({{1, ChoiceKind::thread, 1}, {2, Via::timeout}});
  file.trace.failure.waiters.push_back({1, Operation::thread_join, 0, 2, true, 0});
  file.trace.details.waiter_places.push_back({});
  file.trace.details.output = "out";
  std::string json = to_json(file);
  std::string problem;
  std::optional<TraceFile> read = trace_file_from_json(json, problem);
  ASSERT_TRUE(read) << problem;
  EXPECT_EQ(to_json(*read), json);
  EXPECT_EQ(read->engine, "vm");
  EXPECT_TRUE(read->invocation.bitcode);
  EXPECT_EQ(text_trace(*read, {}), text_trace(file, {}));
  std::string difference;
  EXPECT_TRUE(same_execution(file, *read, difference)) << difference;
}

TEST(TraceFile, OfTimesBeforeThereWereTwoEngines) {
  auto json = nlohmann::json::parse(to_json(assertion_trace()));
  json.erase("bitcode");
  json["options"].erase("engine");
  std::string problem;
  std::optional<TraceFile> read = trace_file_from_json(json.dump(), problem);
  ASSERT_TRUE(read) << problem;
  EXPECT_EQ(read->engine, "native");
  EXPECT_FALSE(read->invocation.bitcode);
  json["options"]["engine"] = "jet";
  EXPECT_FALSE(trace_file_from_json(json.dump(), problem));
  EXPECT_EQ(problem, "'jet' is no engine");
}

TEST(TraceFile, KeepsThePolicyOfItsPlan) {
  TraceFile file = assertion_trace();
  for (const Policy& policy :
       {Policy{.kind = Policy::Kind::random, .seed = 7},
        Policy{.kind = Policy::Kind::pct, .seed = 7, .parameters = {3, 120}},
        Policy{.kind = Policy::Kind::pos, .seed = 7},
        Policy{.kind = Policy::Kind::surw, .seed = 7, .parameters = {64}, .counts = {{1, 5}, {2, 3}}}}) {
    file.plan.policy = policy;
    std::string problem;
    std::optional<TraceFile> read = trace_file_from_json(to_json(file), problem);
    ASSERT_TRUE(read) << problem;
    EXPECT_EQ(to_string(read->plan, read->names), to_string(file.plan, file.names));
  }
}

TEST(TraceFile, TellsTheFirstDifference) {
  TraceFile a = assertion_trace();
  TraceFile b = assertion_trace();
  b.trace.events[3].operand = 6;
  std::string difference;
  EXPECT_FALSE(same_execution(a, b, difference));
  EXPECT_TRUE(difference.starts_with("event 4 was thread 0.2 atomic store of head")) << difference;
  b = assertion_trace();
  b.trace.events.pop_back();
  b.trace.details.places.pop_back();
  EXPECT_FALSE(same_execution(a, b, difference));
  EXPECT_NE(difference.find("now the end of the execution"), std::string::npos) << difference;
  b = assertion_trace();
  b.trace.failure.message = "something else";
  EXPECT_FALSE(same_execution(a, b, difference));
}

// A library may lie elsewhere among the modules, and a thread may have another number.
TEST(TraceFile, NumbersOfModulesAndThreadsDoNotMatter) {
  TraceFile a = assertion_trace();
  TraceFile b = assertion_trace();
  b.modules = {"vdso", "/t/queue"};
  for (EventPlaces& places : b.trace.details.places) {
    if (places.object.space == Place::Space::module) places.object.owner = 1;
    for (Place& place : places.stack) place.owner = 1;
  }
  std::string difference;
  EXPECT_TRUE(same_execution(a, b, difference)) << difference;
}

// The same execution of another engine, which places code and variables elsewhere.
TraceFile on_other_engine(TraceFile file) {
  constexpr std::uint64_t kShift = 0x10'0000;
  file.engine = "vm";
  file.modules = {"/t/queue.bc"};
  const Symbols before = std::exchange(file.symbols, {});
  for (const auto& [place, lines] : before.code)
    file.symbols.code[{place.first, place.second + kShift}] = lines;
  for (const auto& [place, name] : before.data)
    file.symbols.data[{place.first, place.second + kShift}] = name;
  for (EventPlaces& places : file.trace.details.places) {
    if (places.object.space == Place::Space::module) places.object.offset += kShift;
    for (Place& place : places.stack) place.offset += kShift;
  }
  return file;
}

TEST(TraceFile, OfTwoEnginesNamesAndLinesAreCompared) {
  const TraceFile a = assertion_trace();
  const TraceFile b = on_other_engine(a);
  std::string difference;
  EXPECT_TRUE(same_execution(a, b, difference)) << difference;
  const auto differs = [&](const std::function<void(TraceFile&)>& change) {
    TraceFile changed = b;
    change(changed);
    return !same_execution(a, changed, difference);
  };
  EXPECT_TRUE(differs([](TraceFile& file) { file.engine = "native"; }));
  EXPECT_TRUE(differs([](TraceFile& file) { file.symbols.data.begin()->second = "tail"; }));
  EXPECT_TRUE(differs([](TraceFile& file) { file.symbols.code.begin()->second.back().line = 99; }));
  EXPECT_TRUE(differs([](TraceFile& file) { file.trace.events[2].value = 7; }));    // a load's
  EXPECT_FALSE(differs([](TraceFile& file) { file.trace.events[3].value = 7; }));   // what a store overwrites
  EXPECT_TRUE(differs([](TraceFile& file) { file.trace.events[3].operand = 7; }));  // what it writes
  EXPECT_FALSE(differs([](TraceFile& file) { file.trace.details.places[2].object = {Place::Space::other}; }));
  // Outer functions that one of them has left are no difference; where it is at all is one.
  EXPECT_TRUE(differs([](TraceFile& file) { file.trace.details.places[2].stack.clear(); }));
  EXPECT_FALSE(differs([](TraceFile& file) {
    std::vector<Place>& stack = file.trace.details.places[2].stack;
    stack.push_back(file.trace.details.places[0].stack.front());
  }));
}

TEST(TraceFile, MalformedTextIsRefusedInOneLine) {
  std::string json = to_json(assertion_trace());
  for (const std::string& text : {std::string(), std::string("{"), std::string("[]"), std::string("{}"),
                                  json.substr(0, json.size() / 2)}) {
    std::string problem;
    EXPECT_FALSE(trace_file_from_json(text, problem));
    EXPECT_NE(problem, "");
    EXPECT_EQ(problem.find('\n'), std::string::npos) << problem;
  }
}

TEST(TextReport, ResultWithoutBug) {
  Result result;
  TestResult test;
  test.verdict = Verdict::exhausted;
  test.reason = "all schedules were run";
  test.guarantee = "every schedule";
  test.executions = 6;
  test.strategy = "icb";
  test.threads_max = 3;
  test.assumptions = {{"races-not-checked", 1, "DATA RACES WERE NOT LOOKED FOR."},
                      {"inputs-fixed", 1, "Inputs are fixed."}};
  result.tests.push_back(test);
  EXPECT_EQ(text_report(result, {}, {}), R"(main: NO BUG: all schedules were run.

Covered: every schedule.
6 executions in 0.00 s (0/s), up to 3 threads, strategy icb.
!! DATA RACES WERE NOT LOOKED FOR.
This holds under these assumptions:
  - Inputs are fixed.
)");
}

}  // namespace
}  // namespace thrum

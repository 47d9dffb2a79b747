// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/fingerprint.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

// A stack of the program's own functions, innermost first; each has its line's text.
std::vector<Place> stack(TraceFile& file, const std::vector<SourceLine>& lines) {
  std::vector<Place> places;
  for (const SourceLine& line : lines) {
    Place place{Place::Space::module, 0, 0, file.symbols.code.size() + 1};
    file.symbols.code[{0, place.offset}] = {line};
    places.push_back(place);
  }
  return places;
}

TraceFile failed_at(const std::vector<SourceLine>& lines) {
  TraceFile file;
  file.modules = {"/t/queue"};
  file.trace.failure.kind = BugKind::assertion;
  file.trace.failure.message = "assertion failed: x == 1";
  file.trace.details.failure_stack = stack(file, lines);
  return file;
}

const std::vector<SourceLine> kLines = {{"pop", "/t/queue.cpp", 20, "assert(head != 0);"},
                                        {"take", "/t/queue.cpp", 40, "pop();"},
                                        {"worker", "/t/queue.cpp", 60, "take();"},
                                        {"main", "/t/queue.cpp", 80, "worker();"}};

TEST(Fingerprint, SurvivesUnrelatedEdits) {
  const std::string same = fingerprint(failed_at(kLines));
  EXPECT_EQ(same.size(), 16U);
  std::vector<SourceLine> lines = kLines;
  for (SourceLine& line : lines) line.line += 100;
  EXPECT_EQ(fingerprint(failed_at(lines)), same) << "lines moved";
  lines = kLines;
  for (SourceLine& line : lines) line.file = "/elsewhere/queue.cpp";
  EXPECT_EQ(fingerprint(failed_at(lines)), same) << "another folder";
  lines = kLines;
  lines[1].text = "pop(false);";
  EXPECT_EQ(fingerprint(failed_at(lines)), same) << "a caller's line";
  lines = kLines;
  lines[0].text = "assert( head != 0 );  // never";
  EXPECT_EQ(fingerprint(failed_at(lines)), same) << "spaces and comments of the line itself";
  lines = kLines;
  lines[3].function = "other_main";
  EXPECT_EQ(fingerprint(failed_at(lines)), same) << "a function far away";
}

// Those that users keep were made by earlier versions.
TEST(Fingerprint, OfATextIsTheSameInEachVersion) {
  EXPECT_EQ(text_fingerprint(""), "45147da9fefc4f7d");
  EXPECT_EQ(text_fingerprint("a"), "18013dd352577961");
  EXPECT_EQ(text_fingerprint("eightby8"), "ea7bd0ab2eb6afe7");
  EXPECT_EQ(text_fingerprint("of sixteen bytes"), "31c941d98fe82659");
  EXPECT_EQ(text_fingerprint("assertion-failure main.c assert(x == 1)"), "2dac28e067260db3");
}

TEST(Fingerprint, TellsBugsApart) {
  const std::string same = fingerprint(failed_at(kLines));
  std::vector<SourceLine> lines = kLines;
  lines[0].text = "assert(head != tail);";
  EXPECT_NE(fingerprint(failed_at(lines)), same) << "another line of the function";
  lines = kLines;
  lines[0].function = "push";
  EXPECT_NE(fingerprint(failed_at(lines)), same) << "another function";
  lines = kLines;
  lines[1].function = "steal";
  EXPECT_NE(fingerprint(failed_at(lines)), same) << "called from elsewhere";
  TraceFile file = failed_at(kLines);
  file.trace.failure.kind = BugKind::crash;
  EXPECT_NE(fingerprint(file), same);
}

TEST(Fingerprint, WhatABugSaysCountsWhereItsPlaceDoesNotTell) {
  TraceFile file = failed_at(kLines);
  const std::string asserted = fingerprint(file);
  file.trace.failure.message = "another condition";
  EXPECT_NE(fingerprint(file), asserted) << "compilers merge the calls of several assertions";
  file.trace.failure.kind = BugKind::uncaught_exception;
  const std::string same = fingerprint(file);
  file.trace.failure.message = "worded otherwise";
  EXPECT_EQ(fingerprint(file), same);
  file.trace.failure.kind = BugKind::undefined_behaviour;
  file.trace.failure.message = "signed integer overflow: 1 + 2";
  const std::string overflow = fingerprint(file);
  file.trace.failure.message = "signed integer overflow: 3 + 4";
  EXPECT_EQ(fingerprint(file), overflow) << "operands";
  file.trace.failure.message = "shift exponent 3 is too large";
  EXPECT_NE(fingerprint(file), overflow);
  TraceFile nowhere;
  nowhere.trace.failure.kind = BugKind::nonzero_exit;
  nowhere.trace.failure.message = "killed by SIGKILL";
  const std::string killed = fingerprint(nowhere);
  nowhere.trace.failure.message = "killed by SIGTERM";
  EXPECT_NE(fingerprint(nowhere), killed);
}

TEST(Fingerprint, DeadlocksAreTheSameWhicheverThreadsWait) {
  TraceFile file;
  file.modules = {"/t/queue"};
  Failure& failure = file.trace.failure;
  failure.kind = BugKind::deadlock;
  failure.message = "no thread can go on";
  std::vector<Place> left = stack(file, {{"left", "/t/q.cpp", 1, "b.lock();"}});
  std::vector<Place> right = stack(file, {{"right", "/t/q.cpp", 2, "a.lock();"}});
  auto waits = [&](ThreadId thread, Operation operation, const std::vector<Place>& where) {
    failure.waiters.push_back({thread, operation, 0, kNoThread, false, 0});
    file.trace.details.waiter_places.push_back({{}, {}, {}, where});
  };
  waits(1, Operation::lock, left);
  waits(2, Operation::lock, right);
  const std::string same = fingerprint(file);
  failure.waiters.clear();
  file.trace.details.waiter_places.clear();
  waits(0, Operation::thread_join, right);
  waits(1, Operation::lock, right);
  waits(2, Operation::lock, left);
  waits(3, Operation::lock, left);
  EXPECT_EQ(fingerprint(file), same);
  file.trace.details.waiter_places.pop_back();
  failure.waiters.pop_back();
  file.trace.details.waiter_places[2].stack = right;
  EXPECT_NE(fingerprint(file), same);
}

TEST(Fingerprint, NormalLine) {
  EXPECT_EQ(normal_line("x = y /* why */ + 1;  // because"), "x=y+1;");
  EXPECT_EQ(normal_line("f(\"a // b\", '\\'', \"\\\" c\");"), "f(\"a // b\",'\\'',\"\\\" c\");");
  EXPECT_EQ(normal_line("x /* to the next line"), "x");
}

}  // namespace
}  // namespace thrum

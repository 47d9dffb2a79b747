// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/suppressions.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

TEST(Suppressions, Patterns) {
  EXPECT_TRUE(pattern_matches("pop", "vendor::Queue::pop")) << "anywhere";
  EXPECT_FALSE(pattern_matches("push", "vendor::Queue::pop"));
  EXPECT_TRUE(pattern_matches("vendor*pop", "a::vendor::Queue::pop_all"));
  EXPECT_TRUE(pattern_matches("^vendor", "vendor::f"));
  EXPECT_FALSE(pattern_matches("^endor", "vendor::f"));
  EXPECT_TRUE(pattern_matches("f$", "vendor::f"));
  EXPECT_FALSE(pattern_matches("f$", "vendor::f2"));
  EXPECT_TRUE(pattern_matches("^f$", "f"));
  EXPECT_FALSE(pattern_matches("^f$", "ff"));
  EXPECT_TRUE(pattern_matches("^a*b*c$", "a-b-b-c"));
  EXPECT_FALSE(pattern_matches("^a*b*c$", "a-c-b"));
  EXPECT_TRUE(pattern_matches("*", ""));
  EXPECT_TRUE(pattern_matches("a**b", "ab"));
}

TEST(Suppressions, FilesOfThem) {
  std::string problem;
  auto parsed =
      Suppressions::parse("# ours\n\n  race:pop \r\ndeadlock:lock_both\nmutex:m\nrace_top:x", problem);
  ASSERT_TRUE(parsed) << problem;
  ASSERT_EQ(parsed->all().size(), 4U);
  EXPECT_EQ(parsed->all()[0].pattern, "pop");
  EXPECT_EQ(parsed->all()[0].line, 3U);
  EXPECT_STREQ(suppression_name(parsed->all()[1].kind), "deadlock");
  EXPECT_FALSE(Suppressions::parse("race:a\nthread:b\n", problem));
  EXPECT_EQ(problem,
            "line 2: 'thread': Thrum reports nothing of that kind; it takes race, race_top, mutex, "
            "deadlock, called_from_lib, leak");
  EXPECT_FALSE(Suppressions::parse("signal:b", problem));
  EXPECT_FALSE(Suppressions::parse("race:", problem));
  EXPECT_EQ(problem, "line 1: 'race:' names no pattern");
  EXPECT_FALSE(Suppressions::parse("race", problem));
}

TraceFile bug(BugKind kind) {
  TraceFile file;
  file.modules = {"/t/program", "/opt/libvendor.so.2"};
  file.trace.failure.kind = kind;
  file.trace.failure.message = "x";
  file.symbols.code[{0, 1}] = {{"inner", "/t/inner.cpp", 1}};
  file.symbols.code[{1, 2}] = {{"vendor::call", "/src/vendor.cpp", 2}};
  file.symbols.code[{0, 3}] = {{"main", "/t/main.cpp", 3}};
  file.trace.details.failure_stack = {
      {Place::Space::module, 0, 0, 1}, {Place::Space::module, 1, 0, 2}, {Place::Space::module, 0, 0, 3}};
  return file;
}

bool suppresses(const std::string& text, const TraceFile& file) {
  std::string problem;
  auto parsed = Suppressions::parse(text, problem);
  EXPECT_TRUE(parsed) << problem;
  return parsed && parsed->suppress(file);
}

TEST(Suppressions, WhatTheyMatch) {
  TraceFile race = bug(BugKind::data_race);
  EXPECT_TRUE(suppresses("race:^main$", race));
  EXPECT_TRUE(suppresses("race:vendor.cpp", race)) << "a file";
  EXPECT_TRUE(suppresses("race:libvendor", race)) << "a module";
  EXPECT_FALSE(suppresses("race:nobody", race));
  EXPECT_TRUE(suppresses("race_top:inner", race));
  EXPECT_FALSE(suppresses("race_top:main", race));
  EXPECT_TRUE(suppresses("called_from_lib:libvendor.so", race));
  EXPECT_FALSE(suppresses("called_from_lib:vendor::call", race));
  EXPECT_FALSE(suppresses("deadlock:main", race));
  EXPECT_FALSE(suppresses("race:main", bug(BugKind::assertion))) << "an assertion is nobody's race";
  EXPECT_TRUE(suppresses("mutex:main", bug(BugKind::lock_misuse)));
  TraceFile deadlock = bug(BugKind::deadlock);
  deadlock.trace.failure.waiters = {{1, Operation::lock, 0, 2, false, 0}};
  deadlock.trace.details.waiter_places = {{{}, {}, {}, deadlock.trace.details.failure_stack}};
  deadlock.trace.details.failure_stack.clear();
  EXPECT_TRUE(suppresses("deadlock:vendor::call", deadlock));
  EXPECT_FALSE(suppresses("race:vendor::call", deadlock));
}

TEST(Suppressions, AreCounted) {
  std::string problem;
  auto parsed = Suppressions::parse("race:nobody\nrace:main\nrace:inner\n", problem);
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(parsed->suppress(bug(BugKind::data_race)));
  EXPECT_TRUE(parsed->suppress(bug(BugKind::data_race)));
  EXPECT_EQ(parsed->all()[0].count, 0U);
  EXPECT_EQ(parsed->all()[1].count, 2U);
  EXPECT_EQ(parsed->all()[2].count, 0U) << "the first that matches is counted";
}

}  // namespace
}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/progress_line.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

ProgressView view(std::optional<Progress> search) {
  ProgressView view;
  view.strategy = "icb";
  view.now = {true, 1200, 60, std::move(search)};
  view.rate = 20;
  return view;
}

TEST(ProgressWords, WithoutAnAnswer) {
  EXPECT_EQ(progress_words(view(std::nullopt)), "searching: icb, 1200 executions, 20/s, 60 s");
  ProgressView starting = view(std::nullopt);
  starting.now.searching = false;
  starting.about = " Queue.Push, 3 left";
  EXPECT_EQ(progress_words(starting), "starting Queue.Push, 3 left, 60 s");
}

TEST(ProgressWords, OfASearchByLevels) {
  ProgressView levels = view(Progress{5000, 3, 0.25, std::nullopt});
  levels.level_seconds = 10;
  EXPECT_EQ(
      progress_words(levels),
      "searching: icb, 1200 executions, 20/s, 60 s; bound 3: 25 %, about 30 s left; 5000 plans waiting");
}

TEST(ProgressWords, OfAWholeSearch) {
  ProgressView whole = view(Progress{1, std::nullopt, 0.1, 77});
  whole.strategy = "dpor";
  EXPECT_EQ(
      progress_words(whole),
      "searching: dpor, 1200 executions, 20/s, 60 s; 10 %, about 9 min left; 1 plan waiting; 77 classes");
}

TEST(ProgressWords, OfASearchWithoutAnEstimate) {
  ProgressView random = view(Progress{});
  random.strategy = "random";
  EXPECT_EQ(progress_words(random), "searching: random, 1200 executions, 20/s, 60 s");
}

TEST(ProgressWords, OfASearchThatAsksASolver) {
  Progress progress;
  progress.open = 12;
  progress.questions = 1;
  ProgressView asking = view(progress);
  asking.strategy = "mcr";
  EXPECT_EQ(progress_words(asking),
            "searching: mcr, 1200 executions, 20/s, 60 s; 12 targets open; 1 question");
}

TEST(ProgressWords, OfASearchOfStates) {
  Progress progress;
  progress.level = 2;
  progress.states = {600'000, 711, 14'000'000};
  EXPECT_EQ(progress_words(view(progress)),
            "searching: icb, 600000 states, 10000/s, depth 711, 14 MB, 60 s; bound 2");
}

TEST(ProgressWords, DoNotSayThatAllIsDone) {
  std::string words = progress_words(view(Progress{1, std::nullopt, 1 - 1e-9, std::nullopt}));
  EXPECT_NE(words.find("99 %"), std::string::npos) << words;
  words = progress_words(view(Progress{1, std::nullopt, 1e-300, std::nullopt}));
  EXPECT_NE(words.find("less than 0.01 %; "), std::string::npos) << words;
  words = progress_words(view(Progress{1, std::nullopt, 2e-6, std::nullopt}));
  EXPECT_NE(words.find("about 347 days left"), std::string::npos) << words;
}

TEST(ProgressWords, Durations) {
  EXPECT_EQ(duration_words(0.2), "1 s");
  EXPECT_EQ(duration_words(119), "119 s");
  EXPECT_EQ(duration_words(600), "10 min");
  EXPECT_EQ(duration_words(36000), "10 h");
  EXPECT_EQ(duration_words(864000), "10 days");
  EXPECT_EQ(duration_words(3650.0 * 86400), "10 years");
}

TEST(ProgressWords, CutToTheTerminal) {
  EXPECT_EQ(cut_to_width("searching", 20), "searching");
  EXPECT_EQ(cut_to_width("searching", 6), "search");
  EXPECT_EQ(cut_to_width("grün", 3), "grü");
  EXPECT_EQ(cut_to_width("", 3), "");
}

}  // namespace
}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/unfolding_picture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "report/svg.hpp"
#include "report/unfolding_layout.hpp"

namespace thrum {
namespace {

constexpr std::uint32_t kNone = ShownUnfolding::kNone;
using Link = ShownUnfolding::Link;

// Main creates a writer and a reader of x, and joins both, whatever they did. The reader loads twice.
UnfoldingPicture readers() {
  UnfoldingPicture picture;
  picture.name = "readers";
  const ThreadId writer = picture.file.names.parse("0.1").value();
  const ThreadId reader = picture.file.names.parse("0.2").value();
  const auto add = [&](ThreadId thread, Operation operation, std::uint64_t value, Link link) {
    Event event;
    event.thread = thread;
    event.operation = operation;
    event.value = event.operand = event.argument = value;
    event.size = 4;
    picture.file.trace.events.push_back(event);
    EventPlaces places;
    if (link.object != kNone) places.object = {Place::Space::module, 0, 0, 16};
    picture.file.trace.details.places.push_back(places);
    picture.links.push_back(std::move(link));
  };
  picture.file.modules = {"readers"};
  picture.file.symbols.data[{0, 16}] = "x<int>";
  add(0, Operation::thread_create, writer, {});
  add(0, Operation::thread_create, reader, {.previous = 0});
  add(writer, Operation::store, 1, {.previous = 0, .object = 0, .consumes = true});
  add(reader, Operation::load, 0, {.previous = 1, .object = 0});
  add(reader, Operation::load, 0, {.previous = 3, .object = 0});
  add(reader, Operation::load, 1, {.previous = 3, .object = 0, .source = 2});
  add(reader, Operation::load, 1, {.previous = 1, .object = 0, .source = 2});
  add(reader, Operation::load, 1, {.previous = 6, .object = 0, .source = 2, .fails = true});
  add(0, Operation::thread_join, writer, {.previous = 1, .is_late = true});
  add(0, Operation::thread_join, reader, {.previous = 8, .is_late = true});
  picture.events = picture.links.size();
  picture.local_states = 6;
  picture.executions = 3;
  picture.is_whole = true;
  return picture;
}

UnfoldingLayout layout_of(const UnfoldingPicture& picture, const std::vector<ThreadId>& threads) {
  const LayoutSizes sizes = {[](std::size_t) { return 80; }, [](ThreadId) { return 50; },
                             [](std::uint32_t) { return 20; }, 10};
  return lay_out(picture.links, picture.file.trace.events, threads, sizes);
}

TEST(UnfoldingLayout, AllArcsGoDown) {
  const UnfoldingPicture picture = readers();
  const UnfoldingLayout layout = layout_of(picture, {0, 1, 2});
  for (std::size_t i = 0; i < picture.links.size(); ++i) {
    for (const std::uint32_t before : {picture.links[i].previous, picture.links[i].source}) {
      if (before != kNone) {
        EXPECT_LT(layout.row[before], layout.row[i]) << i;
      }
    }
  }
  EXPECT_EQ(layout.row, (std::vector<std::uint32_t>{1, 2, 2, 3, 4, 4, 3, 4, 3, 5}))
      << "a join stands below all that its thread does";
  EXPECT_EQ(layout.rows, 5u);
}

TEST(UnfoldingLayout, SubtreesStandSideBySide) {
  const UnfoldingPicture picture = readers();
  const UnfoldingLayout layout = layout_of(picture, {0, 1, 2});
  const std::vector<Event>& events = picture.file.trace.events;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const UnfoldingLayout::Column& column = layout.columns[layout.event_column[i]];
    EXPECT_EQ(column.thread, events[i].thread);
    EXPECT_GE(layout.x[i] - 40, column.left);
    EXPECT_LE(layout.x[i] + 40, column.left + column.width);
    for (std::size_t k = 0; k < i; ++k) {
      const bool is_beside = layout.row[i] != layout.row[k] || std::abs(layout.x[i] - layout.x[k]) >= 80;
      EXPECT_TRUE(is_beside) << i << " lies on " << k;
    }
  }
  EXPECT_EQ(layout.next_steps[3], 2u);
  EXPECT_EQ(layout.x[3], (layout.x[4] + layout.x[5]) / 2) << "in the middle above its next steps";
  EXPECT_LT(layout.x[5], layout.x[4]) << "what reads from the writer stands on the writer's side";
}

TEST(UnfoldingLayout, AThreadBeginsBesideItsCreation) {
  const UnfoldingLayout layout = layout_of(readers(), {0, 1, 2});
  ASSERT_EQ(layout.beginnings.size(), 3u);
  const UnfoldingLayout::Beginning& reader = layout.beginnings[2];
  EXPECT_EQ(reader.creation, 1u);
  EXPECT_EQ(reader.row, layout.row[1]);
  EXPECT_EQ(reader.next_steps, 2u);
  EXPECT_EQ(layout.beginnings[0].creation, kNone);
  EXPECT_EQ(layout.beginnings[0].row, 0u);
}

TEST(UnfoldingPicture, SaysWhatEachEventDoes) {
  const std::string svg = unfolding_svg({readers()});
  EXPECT_TRUE(svg.starts_with("<svg "));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  for (const char* text :
       {">store x&lt;int&gt; = 1<", ">load x&lt;int&gt; = 0<", ">0.1<", ">Unfolding of readers<",
        "10 events, 6 of them local states of threads; 3 executions: all that there is", "stroke-dasharray",
        "several outcomes", "the thread fails there", "whatever it did"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  EXPECT_EQ(svg.find("comes behind a read"), std::string::npos) << "the legend explains what is there";
}

TEST(UnfoldingPicture, AnOrdinaryOneHasReadsThatAStoreComesBehind) {
  UnfoldingPicture picture = readers();
  picture.is_ordinary = true;
  picture.links[7].behind = {3};
  const std::string svg = unfolding_svg({picture});
  EXPECT_NE(svg.find(">Ordinary unfolding of readers<"), std::string::npos);
  EXPECT_NE(svg.find("comes behind a read"), std::string::npos);
}

TEST(UnfoldingPicture, SaysWhatIsMissing) {
  UnfoldingPicture picture = readers();
  picture.events = 3000;
  picture.is_whole = false;
  const std::string svg = unfolding_svg({picture});
  EXPECT_NE(svg.find("the search did not end, there may be more. The first 10 are drawn"), std::string::npos);
}

TEST(UnfoldingPicture, AllLiesInThePicture) {
  const std::string svg = unfolding_svg({readers(), readers(), UnfoldingPicture()});
  EXPECT_NE(svg.find("no event: "), std::string::npos);
  for (const char* wrong : {"nan", "inf"}) EXPECT_EQ(svg.find(wrong), std::string::npos);
  double width = 0;
  double height = 0;
  ASSERT_EQ(std::sscanf(svg.c_str() + svg.find("width=\""), "width=\"%lf\" height=\"%lf\"", &width, &height),
            2);
  double lowest = 0;
  for (std::size_t at = svg.find("<text"); at != std::string::npos; at = svg.find("<text", at + 1)) {
    double x = 0;
    double y = 0;
    ASSERT_EQ(std::sscanf(svg.c_str() + at, "<text x=\"%lf\" y=\"%lf\"", &x, &y), 2);
    EXPECT_GE(x, 0);
    EXPECT_LE(x, width);
    lowest = std::max(lowest, y);
  }
  EXPECT_LT(lowest, height);
  EXPECT_GT(lowest, height - 200);
}

TEST(Svg, NamesAreCutAtCharacters) {
  EXPECT_EQ(cut_name("äöü", 3), "äöü");
  EXPECT_EQ(cut_name("äöüx", 3), "äöü…");
  EXPECT_EQ(characters_of("äöü…"), 4u);
}

}  // namespace
}  // namespace thrum

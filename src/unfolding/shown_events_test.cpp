// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unfolding/shown_events.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

constexpr std::uint32_t kNone = ShownUnfolding::kNone;

// A thread stores x, which lies on the stack of main, and another one loads it.
class ShownEventsTest : public testing::Test {
 protected:
  ShownEventsTest() {
    prefix_.set_next(prefix_.slots().initial(writer_), event(0, Operation::store), {.object = x_});
    prefix_.set_next(prefix_.slots().initial(reader_), event(1, Operation::load), {.object = x_});
  }

  static Event event(ThreadId thread, Operation operation) {
    Event event;
    event.thread = thread;
    event.operation = operation;
    event.object = 64;
    event.size = 4;
    return event;
  }

  Prefix::Event show(ShownEvents& shown, Prefix::Slot thread, Prefix::Condition there,
                     std::size_t frames_before) {
    Trace trace;
    const bool stores = thread == writer_;
    trace.events.push_back(event(stores ? 0 : 1, stores ? Operation::store : Operation::load));
    trace.details.frames.resize(frames_before + 1);
    trace.details.frames.back().stack_pointer = 8;
    const auto frame = static_cast<std::uint32_t>(frames_before) + 1;
    trace.details.places.push_back({{Place::Space::stack, 0, frame, 4}, {}, {}, {}});
    bool is_foreseen = false;
    const Prefix::Event number = prefix_.need(prefix_.slots().initial(thread), there, 0, 0, is_foreseen);
    prefix_.insert(number, trace.events[0], stores, 1);
    shown.add(prefix_, number, trace, 0);
    return number;
  }

  // All three events.
  void show_all(ShownEvents& shown) {
    const Prefix::Condition zero = prefix_.slots().initial(x_);
    show(shown, reader_, zero, 0);
    const Prefix::Event store = show(shown, writer_, zero, 3);
    show(shown, reader_, prefix_[store].object_after, 1);
  }

  Prefix prefix_;
  Prefix::Slot writer_ = prefix_.open_thread(0);
  Prefix::Slot reader_ = prefix_.open_thread(1);
  Prefix::Slot x_ = prefix_.open_object();
};

TEST_F(ShownEventsTest, SayWhatTheyHaveReadFrom) {
  ShownEvents shown(10);
  show_all(shown);
  const ShownUnfolding all = shown.describe(prefix_);
  EXPECT_EQ(all.events, 3u);
  ASSERT_EQ(all.links.size(), 3u);
  ASSERT_EQ(all.trace.events.size(), 3u);
  for (const ShownUnfolding::Link& link : all.links) {
    EXPECT_EQ(link.object, 0u);
    EXPECT_EQ(link.previous, kNone);
  }
  EXPECT_EQ(all.links[0].source, kNone);
  EXPECT_FALSE(all.links[0].consumes);
  EXPECT_EQ(all.links[1].source, kNone);
  EXPECT_TRUE(all.links[1].consumes);
  EXPECT_EQ(all.links[2].source, 1u);
}

TEST_F(ShownEventsTest, FramesOfSeveralExecutionsAreOneList) {
  ShownEvents shown(10);
  show_all(shown);
  const ShownUnfolding all = shown.describe(prefix_);
  EXPECT_EQ(all.trace.details.frames.size(), 1u);
  for (const EventPlaces& places : all.trace.details.places) EXPECT_EQ(places.object.number, 1u);
}

TEST_F(ShownEventsTest, OnlyTheFirstOnesAreKept) {
  ShownEvents shown(2);
  EXPECT_TRUE(shown.takes_more());
  show_all(shown);
  EXPECT_FALSE(shown.takes_more());
  EXPECT_EQ(shown.describe(prefix_).links.size(), 2u);
  EXPECT_EQ(shown.describe(prefix_).events, 3u);
  shown.clear();
  EXPECT_TRUE(shown.takes_more());
  EXPECT_FALSE(ShownEvents(0).is_on());
}

}  // namespace
}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the events of an unfolding stand in a picture: in rows by the longest path of what comes before them,
// and in a column for each thread. The events of a thread are a tree: where its next step has several
// outcomes, the subtrees stand side by side. Objects have columns of their own between the threads that begin
// with them.
//
// Tested by unfolding_picture_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/shown_unfolding.hpp"

namespace thrum {

struct UnfoldingLayout {
  struct Column {
    ThreadId thread = kNoThread;  // kNoThread: of an object
    std::uint32_t object = ShownUnfolding::kNone;
    double left = 0;
    double width = 0;
    double box = 0;  // the width of the thread's events
  };
  // Where a thread begins. One that is created in several ways has several beginnings.
  struct Beginning {
    std::uint32_t creation = ShownUnfolding::kNone;  // the event; kNone: the main thread's
    std::uint32_t column = 0;
    double x = 0;
    std::uint32_t row = 0;         // that of the creation
    std::uint32_t next_steps = 0;  // first events of the thread, one of which comes behind it
  };
  std::vector<Column> columns;  // from the left
  std::vector<Beginning> beginnings;
  std::vector<std::uint32_t> row;  // of each event, from 1; what objects hold at first is in row 0
  std::vector<double> x;           // the middle of each event
  std::vector<double> object_x;    // the middle of each object's column
  std::vector<std::uint32_t> event_column;
  std::vector<std::uint32_t> beginning;   // of each event that is the first one of its thread; else kNone
  std::vector<std::uint32_t> next_steps;  // how many of its thread come right behind each event
  std::uint32_t rows = 0;                 // the last one
  double width = 0;
};

struct LayoutSizes {
  std::function<double(std::size_t)> event;     // the width that an event's text needs
  std::function<double(ThreadId)> thread;       // and a thread's title
  std::function<double(std::uint32_t)> object;  // and an object's
  double gap = 0;                               // between events side by side, and columns
};

// threads: all that have events, in order. links, events: as in ShownUnfolding.
UnfoldingLayout lay_out(const std::vector<ShownUnfolding::Link>& links, const std::vector<Event>& events,
                        const std::vector<ThreadId>& threads, const LayoutSizes& sizes);

}  // namespace thrum

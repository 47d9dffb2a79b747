// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small unfolding as a picture, which shows what an unfolding is: the events that executions have shown,
// what each thread may do next behind each of them, and what each has read from.
//
// Tested by unfolding_picture_test.cpp, and by tests/endtoend/unfolding_picture_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/shown_unfolding.hpp"
#include "report/trace_file.hpp"

namespace thrum {

// The most events that are drawn. With more nobody sees anything.
inline constexpr std::size_t kPictureEventsMax = 200;

struct UnfoldingPicture {
  std::string name;  // of the program and the test
  bool is_ordinary = false;
  TraceFile file;  // its trace has the events, with named places
  std::vector<ShownUnfolding::Link> links;
  std::uint64_t events = 0;  // also those that are not drawn
  std::uint64_t local_states = 0;
  std::uint64_t executions = 0;
  bool is_whole = false;      // the search came to its end
  bool begins_again = false;  // it had to begin again, and ended before it did
};

// The pictures one below the other, as SVG.
std::string unfolding_svg(const std::vector<UnfoldingPicture>& pictures);

}  // namespace thrum

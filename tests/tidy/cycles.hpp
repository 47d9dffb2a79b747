// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rooms that include each other in a circle.
//
// A room is a header and its source: the files in src/ of one path but for the ending, without unit tests.
// Rooms in a circle can only be read, tested and changed together; folders alone do not show that.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tidy/rules.hpp"

namespace tidy {

// For each room, such as "search/random/pct", those that it includes.
using Rooms = std::map<std::string, std::set<std::string>>;
Rooms rooms_of(const Tree& tree);

// The strongly connected components of more than one room, each sorted.
std::vector<std::vector<std::string>> circles(const Rooms& rooms);

}  // namespace tidy

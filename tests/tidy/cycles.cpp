// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tidy/cycles.hpp"

#include <algorithm>

namespace tidy {
namespace {

// "search/random/pct" of "search/random/pct.hpp".
std::string without_ending(const std::string& path) { return path.substr(0, path.rfind('.')); }

// Tarjan's algorithm.
class Components {
 public:
  explicit Components(const Rooms& rooms) : rooms_(rooms) {
    for (const auto& [room, included] : rooms_) {
      if (!order_.contains(room)) visit(room);
    }
  }

  std::vector<std::vector<std::string>> found;

 private:
  void visit(const std::string& room) {
    order_[room] = lowest_[room] = order_.size();
    open_.push_back(room);
    for (const std::string& other : rooms_.at(room)) {
      if (!rooms_.contains(other)) continue;
      if (!order_.contains(other)) visit(other);
      if (is_open(other)) lowest_[room] = std::min(lowest_[room], lowest_[other]);
    }
    if (lowest_[room] != order_[room]) return;
    auto first = std::find(open_.begin(), open_.end(), room);
    std::vector<std::string> component(first, open_.end());
    open_.erase(first, open_.end());
    std::sort(component.begin(), component.end());
    if (component.size() > 1) found.push_back(component);
  }

  bool is_open(const std::string& room) const {
    return std::find(open_.begin(), open_.end(), room) != open_.end();
  }

  const Rooms& rooms_;
  std::map<std::string, std::size_t> order_;
  std::map<std::string, std::size_t> lowest_;
  std::vector<std::string> open_;
};

}  // namespace

Rooms rooms_of(const Tree& tree) {
  Rooms rooms;
  for (const File& file : tree.files) {
    if (!file.path.starts_with("src/") || !file.is_c_family()) continue;
    const std::string room = without_ending(file.path.substr(4));
    if (room.ends_with("_test")) continue;
    std::set<std::string>& included = rooms[room];
    for (const Include& include : includes_of(file)) {
      if (const std::string other = without_ending(include.header); other != room) included.insert(other);
    }
  }
  return rooms;
}

std::vector<std::vector<std::string>> circles(const Rooms& rooms) { return Components(rooms).found; }

Findings include_cycles(const Tree& tree) {
  Findings findings;
  for (const std::vector<std::string>& circle : circles(rooms_of(tree))) {
    std::string text;
    for (const std::string& room : circle) text.append(text.empty() ? "" : " ").append(room);
    findings.push_back({"src/" + circle[0] + ".hpp", 1,
                        std::to_string(circle.size()) + " rooms include each other: " + text,
                        "include-cycle " + circle[0]});
  }
  return findings;
}

}  // namespace tidy

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C that is being written: lines, each with where it comes from.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sequentialize/options.hpp"

namespace thrum::seq {

class Text {
 public:
  struct Line {
    std::string text;
    Origin origin{};
  };

  // What follows comes from there.
  void at(Origin origin) { origin_ = std::move(origin); }
  const Origin& origin() const { return origin_; }
  void line(const std::string& text) { lines_.push_back({std::string(2 * depth_, ' ') + text, origin_}); }
  void label(const std::string& name) { lines_.push_back({name + ":;", origin_}); }
  void open(const std::string& text) {
    line(text);
    ++depth_;
  }
  void close(const std::string& text = "}") {
    --depth_;
    line(text);
  }
  // "} else {"
  void turn(const std::string& text) {
    close(text);
    ++depth_;
  }
  void blank() { lines_.push_back({"", {}}); }
  // As deep in as this text is now.
  void add(const Text& other) {
    for (const Line& each : other.lines_) {
      bool flush = each.text.empty() || each.text[0] == '#';
      lines_.push_back({flush ? each.text : std::string(2 * depth_, ' ') + each.text, each.origin});
    }
  }
  // Several lines, from nowhere in particular.
  void block(const std::string& text) {
    std::size_t begin = 0;
    while (begin < text.size()) {
      std::size_t end = text.find('\n', begin);
      if (end == std::string::npos) end = text.size();
      lines_.push_back({text.substr(begin, end - begin), {}});
      begin = end + 1;
    }
  }

  bool empty() const { return lines_.empty(); }
  const std::vector<Line>& lines() const { return lines_; }

 private:
  std::vector<Line> lines_;
  Origin origin_;
  std::size_t depth_ = 0;
};

}  // namespace thrum::seq

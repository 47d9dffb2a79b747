// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/local_path.hpp"

#include <algorithm>

namespace thrum {

void LocalPath::add_outcome(std::size_t at, int outcome) {
  items_ += " " + std::to_string(at) + ":" + std::to_string(outcome);
}

void LocalPath::add_value(int value) { items_ += " =" + std::to_string(value); }

std::string LocalPath::text(int thread, Where where, std::size_t at) const {
  std::string text = "t" + std::to_string(thread) + items_;
  switch (where) {
    case Where::ended: return text + " end";
    case Where::failed: return text + " failed";
    default: return text + " at " + std::to_string(at);
  }
}

std::string without_values(std::string_view text) {
  std::string rest;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    if (text[0] != '=') {
      if (!rest.empty()) rest += ' ';
      rest += text.substr(0, space);
    }
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return rest;
}

std::vector<std::string> sequences_of_values(std::string_view text) {
  std::vector<std::string> sequences;
  std::size_t end = std::min(text.find(' '), text.size());
  std::string sequence(text.substr(0, end));
  while (end < text.size()) {
    const std::size_t begin = end;
    end = std::min(text.find(' ', begin + 1), text.size());
    if (text[begin + 1] != '=') continue;
    sequence += text.substr(begin, end - begin);
    sequences.push_back(sequence);
  }
  return sequences;
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by decisions_text_test.cpp.
#include "report/decisions_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace thrum {

namespace {

std::string place_words(const Location& where) {
  if (where.file.empty()) return "?";
  return fmt::format("{}:{}", where.file.substr(where.file.rfind('/') + 1), where.line);
}

// "0, 1, 2 and 40 more"
std::string values_words(const ReadResult& read) {
  constexpr std::size_t kShown = 8;
  std::string text;
  const std::size_t shown = std::min(read.values.size(), kShown);
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + read.values[i];
  if (read.values_count > shown) text += fmt::format(" and {} more", read.values_count - shown);
  return text;
}

std::string threads_words(const ReadResult& read) {
  std::string text;
  for (const std::string& thread : read.threads) text += (text.empty() ? "" : " ") + thread;
  return text;
}

}  // namespace

std::string decisions_text(const CausalityResult& causality, const TextStyle& style) {
  if (!causality.reads) return "";
  std::vector<std::vector<std::string>> rows = {{"read at", "of", "threads", "gave", "other values"}};
  std::uint64_t with_one = 0;
  for (const ReadResult& read : *causality.reads) {
    if (read.values_count < 2 && read.undecided == 0) {
      ++with_one;
      continue;
    }
    rows.push_back({place_words(read.where), read.object.empty() ? "?" : read.object, threads_words(read),
                    values_words(read), read.undecided == 0 ? "none" : "undecided: " + read.reason});
  }
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text = "Decisions:\n";
  for (std::size_t number = 0; number < rows.size(); ++number) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const bool is_last = i + 1 == widths.size();
      line += "  " + (is_last ? rows[number][i] : fmt::format("{:<{}}", rows[number][i], widths[i]));
    }
    text += number == 0 ? coloured(line + "\n", kDim, style.colours) : line + "\n";
  }
  if (rows.size() == 1) text = "Decisions: no read gave several values.\n";
  if (with_one > 0)
    text += fmt::format("  {} other place{} gave one value only, and can give no other\n", with_one,
                        with_one == 1 ? "" : "s");
  for (const UndecidedResult& undecided : causality.undecided_places)
    text += fmt::format("  undecided behind {} in thread {}: {}\n", place_words(undecided.where),
                        undecided.where.thread, undecided.reason);
  return text;
}

}  // namespace thrum

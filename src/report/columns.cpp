// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row holds one thread's text only, so a column need not be as wide as what stands in it: the text begins
// at its thread's column and may run on to the right edge; there it is broken.
//
// Tested by text_report_test.cpp.
#include "report/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/source_lines.hpp"

namespace thrum {

namespace {

constexpr std::size_t kSourceMax = 28;  // of the place in the source, the end
constexpr std::size_t kColumnMin = 4;
constexpr std::size_t kColumnMax = 34;
constexpr std::size_t kTextMin = 34;  // what the last column keeps to itself

const char* colour_of(Row::Kind kind) {
  switch (kind) {
    case Row::Kind::preemption: return kYellow;
    case Row::Kind::failure: return kRed;
    case Row::Kind::wait:
    case Row::Kind::fold: return kDim;
    case Row::Kind::operation:
    case Row::Kind::mark: break;
  }
  return "";
}

// The function that a thread runs: the outermost of the program's own on its stack.
std::string body_of(const TraceFile& file, ThreadId thread) {
  for (std::size_t i = 0; i < std::min(file.trace.events.size(), file.trace.details.places.size()); ++i) {
    if (file.trace.events[i].thread != thread) continue;
    if (file.trace.events[i].operation == Operation::timer_expire) return "timer";
    std::vector<SourceLine> lines = user_lines(file, file.trace.details.places[i].stack);
    if (!lines.empty()) return lines.back().function;
  }
  return "";
}

class Table {
 public:
  Table(const std::vector<Column>& columns, const std::vector<Row>& rows, const TextStyle& style)
      : style_(style) {
    for (const Row& row : rows)
      source_width_ = std::max(source_width_, std::min(row.source.size(), kSourceMax));
    for (const Column& column : columns) {
      threads_.push_back(column.thread);
      titles_.push_back(column.title);
    }
    std::size_t width = static_cast<std::size_t>(style.width);
    std::size_t left = margin();
    std::size_t room = width > left ? width - left : 0;
    std::size_t to_share = room > kTextMin ? room - kTextMin : 0;  // among all columns but the last
    column_width_ =
        std::clamp(to_share / std::max<std::size_t>(threads_.size() - 1, 1), kColumnMin, kColumnMax);
    column_max_ = std::max(left, width > kTextMin ? width - kTextMin : 0);
  }

  std::string draw(const std::vector<Row>& rows) const {
    std::string text = header();
    for (const Row& row : rows) text += draw_row(row);
    return text;
  }

 private:
  // The number and the place in the source stand before the columns.
  std::size_t margin() const { return 7 + source_width_ + 2; }
  std::size_t column(std::size_t i) const { return std::min(margin() + i * column_width_, column_max_); }
  std::size_t position(ThreadId thread) const {
    return static_cast<std::size_t>(std::find(threads_.begin(), threads_.end(), thread) - threads_.begin());
  }

  // Where there are too many threads for the width, the last of them have one column together.
  bool shares(std::size_t i) const {
    return (i > 0 && column(i) == column(i - 1)) || (i + 1 < threads_.size() && column(i) == column(i + 1));
  }

  // Bars at the columns from `first` on, as far as `end`, beside the one at `own`.
  void add_bars(std::string& line, std::size_t first, std::size_t end, std::size_t own) const {
    for (std::size_t i = first; i < end; ++i) {
      bool taken = column(i) == column(own) || (i > 0 && column(i) == column(i - 1));
      if (taken || line.size() + (line.empty() ? 0 : 1) > column(i)) continue;
      line.resize(column(i), ' ');
      line += '|';
    }
  }

  // What of a thread's name and function there is room for.
  std::string title(std::size_t i, std::size_t room) const {
    constexpr std::size_t kUsefulRoom = 12;
    const std::string& whole = titles_[i];
    if (whole.size() <= room || room >= kUsefulRoom) return whole.substr(0, room);
    return whole.substr(0, std::min(whole.find(' '), room));
  }

  std::string header() const {
    std::string line = fmt::format("{:>7}{:<{}}", "", "source", source_width_);
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      if (i > 0 && column(i) == column(i - 1)) break;
      bool last = i + 1 == threads_.size() || shares(i);
      std::size_t end = !last ? column(i + 1) : static_cast<std::size_t>(style_.width);
      std::size_t room = end > column(i) + 1 ? end - column(i) - 1 : 0;
      line.resize(std::max(line.size(), column(i)), ' ');
      line += shares(i) ? "others" : title(i, room);
    }
    return line + "\n";
  }

  std::string draw_row(const Row& row) const {
    if (row.kind == Row::Kind::mark) return fmt::format("{:>5}  {}\n", "", row.text);
    std::string number = row.number == 0 ? "" : fmt::format("{}", row.number);
    std::string source =
        row.source.size() > kSourceMax ? row.source.substr(row.source.size() - kSourceMax) : row.source;
    std::string line = fmt::format("{:>5}  {:<{}}", number, source, source_width_);
    std::string text = row.text;
    std::size_t own = position(row.thread);
    if (shares(own)) text = titles_[own].substr(0, titles_[own].find(' ')) + ": " + text;
    std::size_t room = std::max<std::size_t>(
        static_cast<std::size_t>(style_.width) - std::min(column(own), column_max_), kTextMin / 2);
    std::string result;
    for (std::size_t at = 0; at == 0 || at < text.size();) {
      std::size_t size = piece(text, at, room);
      add_bars(line, 0, own, own);
      line.resize(std::max(line.size(), column(own)), ' ');
      std::string rest = line;
      line += text.substr(at, size);
      std::size_t visible = line.size();
      add_bars(line, own + 1, threads_.size(), own);
      const char* colour = colour_of(row.kind);
      result += rest +
                coloured(line.substr(rest.size(), visible - rest.size()), colour, style_.colours && *colour) +
                line.substr(visible) + "\n";
      at += std::max<std::size_t>(size, 1);
      while (at < text.size() && text[at] == ' ') ++at;
      line.clear();
    }
    return result;
  }

  // How much of text from `at` on fits, broken at a space where there is one.
  static std::size_t piece(const std::string& text, std::size_t at, std::size_t room) {
    if (text.size() - at <= room) return text.size() - at;
    std::size_t space = text.rfind(' ', at + room);
    return space != std::string::npos && space > at + room / 2 ? space - at : room;
  }

  const TextStyle& style_;
  std::vector<ThreadId> threads_;
  std::vector<std::string> titles_;
  std::size_t source_width_ = 6;
  std::size_t column_width_ = kColumnMax;
  std::size_t column_max_ = 0;
};

}  // namespace

std::string column_title(const TraceFile& file, ThreadId thread) {
  const std::string body = body_of(file, thread);
  return file.names.name(thread) + (body.empty() ? "" : " " + body);
}

std::string draw_columns(const std::vector<Column>& columns, const std::vector<Row>& rows,
                         const TextStyle& style) {
  return Table(columns, rows, style).draw(rows);
}

std::string draw_columns(const TraceFile& file, const std::vector<Row>& rows, const TextStyle& style) {
  std::vector<Column> columns;
  for (const Row& row : rows) {
    bool known = std::any_of(columns.begin(), columns.end(),
                             [&](const Column& column) { return column.thread == row.thread; });
    if (known) continue;
    columns.push_back({row.thread, column_title(file, row.thread)});
  }
  std::sort(columns.begin(), columns.end(),
            [&](const Column& a, const Column& b) { return file.names.before(a.thread, b.thread); });
  return draw_columns(columns, rows, style);
}

}  // namespace thrum

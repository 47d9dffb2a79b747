// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of a long table is left out. First what repeats itself, then the middle of long stretches without a
// switch, then, where the table is still too long, what lies far from everything that matters: its beginning,
// its end, and the places where a thread was preempted.
//
// Tested by text_report_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/trace_rows.hpp"

namespace thrum {

namespace {

constexpr std::size_t kStretchRowsMax = 14;  // a longer stretch of one thread is folded
constexpr std::size_t kStretchHead = 5;
constexpr std::size_t kStretchTail = 5;
constexpr std::size_t kTableRowsMax = 60;  // a longer table is
constexpr std::size_t kTableHead = 8;
constexpr std::size_t kTableTail = 24;
constexpr std::size_t kAroundPreemption = 5;
constexpr std::size_t kPreemptionsMax = 12;  // around which rows are kept, the last ones

void append(std::vector<Row>& out, const std::vector<Row>& rows, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) out.push_back(rows[i]);
}

std::size_t operations_in(const std::vector<Row>& rows, std::size_t begin, std::size_t end) {
  std::size_t count = 0;
  for (std::size_t i = begin; i < end; ++i)
    count += rows[i].kind == Row::Kind::operation ? 1 : rows[i].hidden;
  return count;
}

Row fold_row(ThreadId thread, std::string text, std::size_t hidden) {
  Row row{Row::Kind::fold, thread, std::move(text), "", 0};
  row.hidden = hidden;
  return row;
}

// Leaves out a range.
void fold_range(std::vector<Row>& out, const std::vector<Row>& rows, std::size_t begin, std::size_t end) {
  std::size_t hidden = operations_in(rows, begin, end);
  out.push_back(fold_row(rows[begin].thread,
                         fmt::format("... {} more operation{} ...", hidden, hidden == 1 ? "" : "s"), hidden));
}

bool same_row(const Row& a, const Row& b) {
  return a.kind == Row::Kind::operation && b.kind == a.kind && a.thread == b.thread && a.text == b.text &&
         a.source == b.source;
}

// How often the `period` rows at begin stand there in a row.
std::size_t repetitions(const std::vector<Row>& rows, std::size_t begin, std::size_t period) {
  std::size_t end = begin + period;
  while (end < rows.size() && same_row(rows[end], rows[end - period])) ++end;
  return (end - begin) / period;
}

// A loop that only looks again and again is shown once.
std::vector<Row> fold_repetitions(const std::vector<Row>& rows) {
  constexpr std::size_t kPeriodMax = 4;
  constexpr std::size_t kRepetitionsMax = 2;  // more are folded
  std::vector<Row> folded;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t period = 1;
    while (period < kPeriodMax && repetitions(rows, i, period) <= kRepetitionsMax) ++period;
    std::size_t times = i + period <= rows.size() ? repetitions(rows, i, period) : 0;
    if (times <= kRepetitionsMax) {
      folded.push_back(rows[i++]);
      continue;
    }
    append(folded, rows, i, i + period);
    folded.push_back(fold_row(rows[i].thread, fmt::format("... the same {} more times ...", times - 1),
                              (times - 1) * period));
    i += times * period;
  }
  return folded;
}

std::vector<Row> fold_stretches(const std::vector<Row>& rows) {
  std::vector<Row> folded;
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin;
    while (end < rows.size() && rows[end].thread == rows[begin].thread &&
           (end == begin || rows[end].kind != Row::Kind::mark))
      ++end;
    if (end - begin > kStretchRowsMax) {
      append(folded, rows, begin, begin + kStretchHead);
      fold_range(folded, rows, begin + kStretchHead, end - kStretchTail);
      append(folded, rows, end - kStretchTail, end);
    } else {
      append(folded, rows, begin, end);
    }
    begin = end;
  }
  return folded;
}

std::vector<Row> fold_far_from_all(const std::vector<Row>& rows) {
  std::vector<char> kept(rows.size(), 0);
  auto keep = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < std::min(end, rows.size()); ++i) kept[i] = 1;
  };
  keep(0, kTableHead);
  keep(rows.size() - std::min(rows.size(), kTableTail), rows.size());
  std::size_t preemptions = 0;
  for (std::size_t i = rows.size(); i-- > 0 && preemptions < kPreemptionsMax;) {
    if (rows[i].kind == Row::Kind::mark) keep(i, i + kAroundPreemption);
    if (rows[i].kind != Row::Kind::preemption) continue;
    ++preemptions;
    keep(i - std::min(i, kAroundPreemption), i + kAroundPreemption + 1);
  }
  std::vector<Row> folded;
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin;
    while (end < rows.size() && kept[end] == kept[begin]) ++end;
    bool worth_it = end - begin > 2 && operations_in(rows, begin, end) > 0;
    if (kept[begin] || !worth_it) {
      append(folded, rows, begin, end);
    } else {
      fold_range(folded, rows, begin, end);
    }
    begin = end;
  }
  return folded;
}

}  // namespace

std::vector<Row> fold(const std::vector<Row>& all_rows) {
  std::vector<Row> rows = fold_stretches(fold_repetitions(all_rows));
  return rows.size() <= kTableRowsMax ? rows : fold_far_from_all(rows);
}

}  // namespace thrum

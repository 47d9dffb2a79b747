// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "races/shadow.hpp"

#include <algorithm>
#include <limits>

#include "support/check.hpp"

namespace thrum {

namespace {

// The number of records in the cell's spill.
std::size_t spilled(const Cell& cell) { return cell.count > Cell::kInline ? cell.count - Cell::kInline : 0; }

}  // namespace

void Shadow::begin_execution() {
  if (parts_ == nullptr) {
    parts_ = static_cast<Cell**>(map_(kParts * sizeof(Cell*)));
    THRUM_CHECK(parts_ != nullptr);
  }
  begin_run();
  spills_used_ = 0;
  marks_.clear();
  note_marks();
  saved_.clear();
  saved_records_.clear();
}

void Shadow::begin_run() {
  // After four billion runs an old cell could pass for one of this run.
  THRUM_CHECK(run_ != std::numeric_limits<std::uint32_t>::max());
  ++run_;
}

void Shadow::set_mark() {
  marks_.push_back({run_, saved_.size(), saved_records_.size(), spills_used_});
  note_marks();
  begin_run();
}

void Shadow::return_to(std::size_t mark) {
  const bool is_last = mark + 1 == marks_.size();
  marks_.resize(mark + 1);
  const Mark& back = marks_.back();
  begin_run();
  if (is_last && saved_.size() - back.saved <= kKeptMax && saved_records_.size() == back.records) {
    // Each cell occurs once, and none had records in its spill. The cells belong to the new run now, so that
    // they need not be saved again at their first use.
    for (auto kept = saved_.begin() + static_cast<std::ptrdiff_t>(back.saved); kept != saved_.end(); ++kept) {
      *kept->cell = kept->before;
      kept->cell->run = run_;
      if (kept->before.spill != 0) spills_[kept->before.spill - 1U]->clear();
    }
  } else {
    put_back_saved();
  }
  spills_used_ = back.spills_used;
  note_marks();
}

void Shadow::put_back_saved() {
  for (const std::size_t left = marks_.back().saved; saved_.size() > left; saved_.pop_back()) {
    const Saved& last = saved_.back();
    *last.cell = last.before;
    if (last.before.spill == 0) continue;
    const auto first = saved_records_.end() - static_cast<std::ptrdiff_t>(spilled(last.before));
    spills_[last.before.spill - 1U]->assign(first, saved_records_.end());
    saved_records_.erase(first, saved_records_.end());
  }
}

void Shadow::note_marks() {
  first_marked_ = marks_.empty() ? 0 : marks_.front().run;
  marked_ = marks_.empty() ? 0 : marks_.back().run - first_marked_ + 1;
}

[[gnu::noinline]] Cell& Shadow::use_first(std::uint64_t address) {
  if (address >= kAddressEnd) return beyond_ = {};
  Cell* cells = parts_[address >> kPartBits];
  if (cells == nullptr) cells = map_part(address >> kPartBits);
  Cell& cell = cells[(address & ((std::uint64_t{1} << kPartBits) - 1)) / kCellBytes];
  const bool is_marked =
      std::any_of(marks_.begin(), marks_.end(), [&](const Mark& mark) { return mark.run == cell.run; });
  if (is_marked) {
    const bool is_saved = saved_.size() < saved_max_;
    if (is_saved) saved_.push_back({&cell, cell});
    if (is_saved && cell.spill != 0) {
      const Spill& spill = *spills_[cell.spill - 1U];
      saved_records_.insert(saved_records_.end(), spill.begin(), spill.end());
    }
  } else {
    cell.count = cell.spill = cell.sync = 0;
  }
  cell.run = run_;
  return cell;
}

Cell* Shadow::map_part(std::uint64_t part) {
  parts_[part] = static_cast<Cell*>(map_((std::size_t{1} << kPartBits) / kCellBytes * sizeof(Cell)));
  THRUM_CHECK(parts_[part] != nullptr);
  return parts_[part];
}

Record& Shadow::add_spilled(Cell& cell) {
  ++cell.count;
  if (cell.spill == 0) {
    if (spills_used_ == spills_.size()) spills_.push_back(std::make_unique<Spill>());
    spills_[spills_used_]->clear();
    cell.spill = static_cast<std::uint32_t>(++spills_used_);
  }
  return spills_[cell.spill - 1U]->emplace_back();
}

}  // namespace thrum

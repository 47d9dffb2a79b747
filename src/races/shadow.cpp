// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "races/shadow.hpp"

#include <algorithm>
#include <limits>

#include "support/check.hpp"

namespace thrum {

namespace {

// How many records its spill holds.
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
  saved_.clear();
  saved_records_.clear();
}

void Shadow::begin_run() {
  // After four billion of them a cell could pass for one of this run.
  THRUM_CHECK(run_ != std::numeric_limits<std::uint32_t>::max());
  ++run_;
}

void Shadow::set_mark() {
  marks_.push_back({run_, saved_.size(), spills_used_});
  begin_run();
}

void Shadow::return_to(std::size_t mark) {
  marks_.resize(mark + 1);
  for (const std::size_t kept = marks_.back().saved; saved_.size() > kept; saved_.pop_back()) {
    const Saved& last = saved_.back();
    *last.cell = last.before;
    if (last.before.spill == 0) continue;
    const auto first = saved_records_.end() - static_cast<std::ptrdiff_t>(spilled(last.before));
    spills_[last.before.spill - 1U]->assign(first, saved_records_.end());
    saved_records_.erase(first, saved_records_.end());
  }
  spills_used_ = marks_.back().spills_used;
  begin_run();
}

void Shadow::use_first(Cell& cell) {
  const bool is_marked =
      std::any_of(marks_.begin(), marks_.end(), [&](const Mark& mark) { return mark.run == cell.run; });
  if (is_marked) {
    const bool is_saved = saved_.size() < kSavedMax;
    if (is_saved) saved_.push_back({&cell, cell});
    if (is_saved && cell.spill != 0) {
      const Spill& spill = *spills_[cell.spill - 1U];
      saved_records_.insert(saved_records_.end(), spill.begin(), spill.end());
    }
  } else {
    cell.count = 0;
    cell.spill = 0;
    cell.sync = 0;
  }
  cell.run = run_;
}

Cell* Shadow::map_part(std::uint64_t part) {
  THRUM_CHECK(part < kParts);
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

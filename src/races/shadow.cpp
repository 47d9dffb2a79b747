// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "races/shadow.hpp"

#include <limits>

#include "support/check.hpp"

namespace thrum {

void Shadow::begin_execution() {
  if (parts_ == nullptr) {
    parts_ = static_cast<Cell**>(map_(kParts * sizeof(Cell*)));
    THRUM_CHECK(parts_ != nullptr);
  }
  // After four billion executions a cell could pass for one of this execution.
  THRUM_CHECK(execution_ != std::numeric_limits<std::uint32_t>::max());
  ++execution_;
  spills_used_ = 0;
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

void Shadow::remove(Cell& cell, std::size_t index) {
  std::size_t last = cell.count - std::size_t{1};
  if (index != last) record(cell, index) = record(cell, last);
  if (last >= Cell::kInline) spills_[cell.spill - 1U]->pop_back();
  --cell.count;
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/literal_count.hpp"

namespace thrum {

// By one number, where the rows before it are at least as wide.
void LiteralCount::widen(std::size_t number) {
  Row& row = rows_[number];
  const std::size_t i = row.more_than.size();
  const Literal more = solver_.make_literal();
  if (number > 0) solver_.add({-rows_[number - 1].more_than[i], more});
  if (i == 0) {
    solver_.add({-row.literal, more});
  } else if (number > 0) {
    solver_.add({-row.literal, -rows_[number - 1].more_than[i - 1], more});
  }
  row.more_than.push_back(more);
}

void LiteralCount::add(Literal literal) {
  rows_.push_back({literal});
  while (rows_.back().more_than.size() < width_) widen(rows_.size() - 1);
}

LiteralCount::Literal LiteralCount::at_most(std::size_t most) {
  if (rows_.empty()) {
    const Literal anything = solver_.make_literal();
    solver_.add({anything});
    return anything;
  }
  for (; width_ <= most; ++width_) {
    for (std::size_t row = 0; row < rows_.size(); ++row) widen(row);
  }
  return -rows_.back().more_than[most];
}

}  // namespace thrum

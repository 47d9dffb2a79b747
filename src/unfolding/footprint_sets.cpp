// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unfolding/footprint_sets.hpp"

#include <algorithm>
#include <utility>

#include "support/hash.hpp"

namespace thrum {

// Accesses of one kind that touch become one.
FootprintSets::Number FootprintSets::number_of(std::vector<Bytes>& accesses) {
  if (accesses.empty()) return kEmpty;
  std::ranges::sort(accesses, {}, [](const Bytes& one) {
    return std::tuple(one.is_atomic, one.in_section, one.writes, one.begin, one.end);
  });
  std::size_t kept = 0;
  for (std::size_t i = 1; i < accesses.size(); ++i) {
    Bytes& last = accesses[kept];
    const Bytes& next = accesses[i];
    const bool is_alike = next.is_atomic == last.is_atomic && next.in_section == last.in_section;
    const bool is_more = is_alike && next.writes == last.writes && next.begin <= last.end;
    if (is_more) {
      last.end = std::max(last.end, next.end);
    } else {
      accesses[++kept] = next;
    }
  }
  accesses.resize(kept + 1);
  std::ranges::sort(accesses);
  std::uint64_t hash = accesses.size();
  for (const Bytes& one : accesses) {
    hash = mixed(mixed(hash, one.begin), one.end);
    hash = mixed(hash, (one.writes ? 1U : 0U) + (one.is_atomic ? 2U : 0U) + (one.in_section ? 4U : 0U));
  }
  return footprints_.number_of(accesses, hash);
}

template <typename Meets>
bool FootprintSets::any_meet(Number a, Number b, Meets meets) const {
  // Of the first, those that end before the others begin are left behind; few are long.
  const std::vector<Bytes>& one = footprints_[a];
  const std::vector<Bytes>& other = footprints_[b];
  std::uint64_t longest = 0;
  for (const Bytes& bytes : other) longest = std::max(longest, bytes.end - bytes.begin);
  for (const Bytes& bytes : one) {
    const std::uint64_t from = bytes.begin > longest ? bytes.begin - longest : 0;
    for (auto at = std::ranges::lower_bound(other, from, {}, &Bytes::begin);
         at != other.end() && at->begin < bytes.end; ++at) {
      if (at->end > bytes.begin && meets(bytes, *at)) return true;
    }
  }
  return false;
}

bool FootprintSets::conflict(Number a, Number b) const {
  return any_meet(a, b, [](const Bytes& x, const Bytes& y) {
    return (x.writes || y.writes) && !(x.is_atomic && y.is_atomic) && !(x.in_section && y.in_section);
  });
}

bool FootprintSets::reads_from(Number reader, Number writer) {
  if (reader == kEmpty || writer == kEmpty) return false;
  Known& known = reads_[std::uint64_t{reader} << 32 | writer];
  if (known == Known{}) {
    const bool meet = any_meet(
        reader, writer, [](const Bytes& x, const Bytes& y) { return !x.writes && y.writes && !x.is_atomic; });
    known = meet ? Known::yes : Known::no;
  }
  return known == Known::yes;
}

}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Excludes most steps of an execution that do not depend on a given step. It compares one byte of each,
// sixteen at a time. A step that is not excluded may or may not depend on the given one.
//
// Tested by dependence_filter_test.cpp.
#pragma once

#include <emmintrin.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "support/bytes.hpp"

namespace thrum {

class DependenceFilter {
 public:
  // Of a step: a hash of the aligned eight bytes that it accesses, which halves of them, and whether it
  // changes them. 0: it may depend on any step.
  using Mark = std::uint8_t;

  // begin, end: the range of addresses that the step accesses.
  static Mark mark(std::uint64_t begin, std::uint64_t end, bool only_loads) {
    const std::uint64_t word = begin / 8;
    if (word != (end - 1) / 8) return 0;
    const auto hash = static_cast<Mark>((word * 0x9e3779b97f4a7c15) >> 56 & kHash);
    const int halves = (begin % 8 < 4 ? kLower : 0) | ((end - 1) % 8 >= 4 ? kUpper : 0);
    return static_cast<Mark>((hash == 0 ? kHash : hash) | halves | (only_loads ? 0 : kChanges));
  }

  // Sets the mark of a step: one that has a mark, or the next one.
  void set(std::uint32_t step, Mark mark) {
    if (step >= marks_.size()) marks_.resize(marks_.size() + kGrowth);
    marks_[step] = mark;
    if (step % kBlock == 0) {
      changes_.resize(step / kBlock);
      changes_.push_back(0);
    }
    if (mark == 0) changes_[step / kBlock] = ~std::uint32_t{0};
    if ((mark & kChanges) != 0) changes_[step / kBlock] |= bit_of(mark);
  }

  // Calls visit(step) for each of the first `count` steps that may depend on one with that mark, the latest
  // first, until visit returns true. Two loads do not depend on each other: for a load, long stretches of
  // loads are skipped at once.
  template <typename Visit>
  void for_each_before(std::uint32_t count, Mark mark, Visit visit) const {
    const auto all_bytes = [](int byte) { return _mm_set1_epi8(static_cast<char>(byte)); };
    const __m128i zero = _mm_setzero_si128();
    const __m128i hash = all_bytes(mark & kHash);
    const __m128i halves = all_bytes(mark & (kLower | kUpper));
    const __m128i changes = all_bytes(mark & kChanges);
    const bool only_loads = mark != 0 && (mark & kChanges) == 0;
    for (std::uint32_t begin = (count + kAtATime - 1) / kAtATime * kAtATime; begin != 0;) {
      if (begin % kBlock == 0 && only_loads && (changes_[begin / kBlock - 1] & bit_of(mark)) == 0) {
        begin -= kBlock;
        continue;
      }
      begin -= kAtATime;
      const __m128i marks = _mm_loadu_si128(reinterpret_cast<const __m128i*>(marks_.data() + begin));
      const __m128i same_word = _mm_cmpeq_epi8(_mm_and_si128(marks, all_bytes(kHash)), hash);
      const __m128i apart = _mm_cmpeq_epi8(_mm_and_si128(marks, halves), zero);
      const __m128i both_load =
          _mm_cmpeq_epi8(_mm_and_si128(_mm_or_si128(marks, changes), all_bytes(kChanges)), zero);
      const __m128i meets = _mm_andnot_si128(_mm_or_si128(apart, both_load), same_word);
      const __m128i any = _mm_cmpeq_epi8(marks, zero);
      auto found = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_or_si128(meets, any)));
      if (mark == 0) found = ~0U;
      if (count - begin < kAtATime) found &= (1U << (count - begin)) - 1;
      found &= (1U << kAtATime) - 1;
      while (found != 0) {
        const auto last = static_cast<std::uint32_t>(std::bit_width(found) - 1);
        found ^= 1U << last;
        if (visit(begin + last)) return;
      }
    }
  }

  void save(ByteWriter& out) const {
    out.put_all(marks_);
    out.put_all(changes_);
  }
  void load(ByteReader& in) {
    in.get_all(marks_);
    in.get_all(changes_);
  }

 private:
  static constexpr int kChanges = 1;
  static constexpr int kLower = 2;  // half
  static constexpr int kUpper = 4;
  static constexpr int kHash = 0xf8;
  static constexpr std::uint32_t kAtATime = 16;
  static constexpr std::uint32_t kGrowth = 64;   // steps; a multiple of the above
  static constexpr std::uint32_t kBlock = 1024;  // the same

  static std::uint32_t bit_of(Mark mark) { return std::uint32_t{1} << (mark >> 3); }

  std::vector<Mark> marks_;
  // Of each block of steps: a bit for each hash that a step in it changes. Steps that were taken back may
  // still be included.
  std::vector<std::uint32_t> changes_;
};

}  // namespace thrum

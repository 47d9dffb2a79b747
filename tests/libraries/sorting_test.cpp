// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "functions.hpp"

namespace thrum {
namespace {

// An array whose elements begin with a key, and what the C library asks about it.
class Array {
 public:
  Array(std::size_t size, const std::vector<unsigned char>& keys)
      : size_(size), bytes_(size * keys.size() + 1) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      for (std::size_t byte = 0; byte < size; ++byte)
        bytes_[i * size + byte] = static_cast<unsigned char>(byte == 0 ? keys[i] : i + byte);
    }
  }

  unsigned char* begin() { return bytes_.data(); }
  std::size_t count() const { return (bytes_.size() - 1) / size_; }
  const std::vector<unsigned char>& bytes() const { return bytes_; }
  // The places of the elements that were compared, in bytes.
  const std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>>& asked() const { return asked_; }

  static int compare(const void* left, const void* right, void* array) {
    auto* self = static_cast<Array*>(array);
    const auto *a = static_cast<const unsigned char*>(left), *b = static_cast<const unsigned char*>(right);
    self->asked_.emplace_back(a - self->begin(), b - self->begin());
    return *a - *b;
  }

 private:
  std::size_t size_;
  std::vector<unsigned char> bytes_;
  std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>> asked_;
};

Array* current = nullptr;
int compare_current(const void* left, const void* right) { return Array::compare(left, right, current); }

TEST(Sorting, AsksAndMovesAsTheCLibraryDoes) {
  Inputs inputs;
  for (std::size_t size : {1U, 2U, 4U, 8U, 12U, 24U, 32U, 33U, 40U, 100U, 1100U}) {
    for (int round = 0; round < 200; ++round) {
      // Few keys, so that many are equal: the sort is stable. Now and then more than the stack has room for.
      std::vector<unsigned char> keys(inputs.number(round % 20 == 0 ? 300 : 12));
      for (unsigned char& key : keys)
        key = static_cast<unsigned char>(inputs.number(round % 3 == 0 ? 255 : 4));
      if (round % 5 == 0) std::sort(keys.begin(), keys.end());
      if (round % 10 == 0) std::reverse(keys.begin(), keys.end());
      Array ours(size, keys), theirs(size, keys), plain(size, keys);
      vm_qsort_r(ours.begin(), ours.count(), size, Array::compare, &ours);
      qsort_r(theirs.begin(), theirs.count(), size, Array::compare, &theirs);
      ASSERT_EQ(ours.bytes(), theirs.bytes()) << size << " x " << keys.size();
      ASSERT_TRUE(!kOfCLibrary || ours.asked() == theirs.asked()) << size << " x " << keys.size();
      current = &plain;
      vm_qsort(plain.begin(), plain.count(), size, compare_current);
      ASSERT_EQ(plain.bytes(), theirs.bytes());
      ASSERT_EQ(plain.asked(), ours.asked());
    }
  }
}

// Of 1024 bytes and more, or of large elements: what does not fit on the stack.
TEST(Sorting, SortsInPlaceWhereThereIsNoMemory) {
  Inputs inputs;
  for (std::size_t size : {1U, 3U, 40U}) {
    for (std::size_t count : {2000U, 2001U}) {
      std::vector<unsigned char> keys(count);
      for (unsigned char& key : keys) key = static_cast<unsigned char>(inputs.number(255));
      Array array(size, keys);
      no_memory = true;
      vm_qsort_r(array.begin(), count, size, Array::compare, &array);
      no_memory = false;
      std::sort(keys.begin(), keys.end());
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(array.begin()[i * size], keys[i]) << size << " at " << i;
    }
  }
}

TEST(Searching, AsksAsTheCLibraryDoes) {
  Inputs inputs;
  for (int round = 0; round < 2000; ++round) {
    std::vector<unsigned char> keys(inputs.number(20));
    for (unsigned char& key : keys) key = static_cast<unsigned char>(inputs.number(30));
    std::sort(keys.begin(), keys.end());
    const std::size_t size = 1 + inputs.number(9);
    Array ours(size, keys), theirs(size, keys);
    const auto key = static_cast<unsigned char>(inputs.number(31));
    // The key lies apart, wherever that is.
    static std::vector<std::ptrdiff_t> places;
    const auto by_places = [](const void* wanted, const void* at) {
      places.push_back(static_cast<const unsigned char*>(at) - current->begin());
      return *static_cast<const unsigned char*>(wanted) - *static_cast<const unsigned char*>(at);
    };
    current = &ours;
    const std::ptrdiff_t found =
        place_in(ours.begin(), vm_bsearch(&key, ours.begin(), ours.count(), size, by_places));
    const std::vector<std::ptrdiff_t> our_places = std::exchange(places, {});
    current = &theirs;
    EXPECT_EQ(found,
              place_in(theirs.begin(), std::bsearch(&key, theirs.begin(), theirs.count(), size, by_places)));
    EXPECT_EQ(our_places, std::exchange(places, {}));
  }
}

}  // namespace
}  // namespace thrum

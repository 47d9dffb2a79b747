// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "functions.hpp"

namespace thrum {
namespace {

TEST(Memory, CopiesAreThoseOfTheCLibrary) {
  Inputs inputs;
  Guarded from, to;
  for (int i = 0; i < kRandomInputs; ++i) {
    const std::string bytes = inputs.with_zeros(inputs.text(40));
    const std::string before(bytes.size(), '#');
    char* out = to.place(before);
    EXPECT_EQ(vm_memcpy(out, from.place(bytes), bytes.size()), out);
    ASSERT_EQ(std::string(out, bytes.size()), bytes);
    out = to.place(before);
    EXPECT_EQ(vm_mempcpy(out, from.place(bytes), bytes.size()), out + bytes.size());
    ASSERT_EQ(std::string(out, bytes.size()), bytes);
  }
}

TEST(Memory, MovesWithinABlockAreThoseOfTheCLibrary) {
  constexpr std::size_t kSize = 24;
  std::string text;
  for (std::size_t i = 0; i < kSize; ++i) text.push_back(static_cast<char>('a' + i));
  for (std::size_t from = 0; from <= kSize; ++from) {
    for (std::size_t to = 0; to <= kSize; ++to) {
      for (std::size_t size = 0; std::max(from, to) + size <= kSize; ++size) {
        std::string ours = text, theirs = text;
        EXPECT_EQ(vm_memmove(ours.data() + to, ours.data() + from, size), ours.data() + to);
        std::memmove(theirs.data() + to, theirs.data() + from, size);
        ASSERT_EQ(ours, theirs) << from << " to " << to << ", " << size;
      }
    }
  }
}

TEST(Memory, FillingTakesTheLowByte) {
  Guarded to;
  for (int value = -300; value <= 300; ++value) {
    const std::string before(static_cast<std::size_t>(value + 300) % 40 + 2, '#');
    std::string theirs = before;
    std::memset(theirs.data() + 1, value, theirs.size() - 1);
    char* out = to.place(before);
    EXPECT_EQ(vm_memset(out + 1, value, before.size() - 1), out + 1);
    ASSERT_EQ(std::string(out, before.size()), theirs);
    EXPECT_EQ(vm_memset(out + before.size(), value, 0), out + before.size());
  }
}

TEST(Memory, ComparisonsAreThoseOfTheCLibrary) {
  Inputs inputs;
  Guarded left, right;
  for (int i = 0; i < kRandomInputs; ++i) {
    const std::string a = inputs.with_zeros(inputs.text(20));
    std::string b = inputs.number(1) == 0 ? a : inputs.with_zeros(inputs.text(20));
    const std::size_t size = std::min(a.size(), b.size());
    if (size != 0 && inputs.number(1) == 0) b[inputs.number(size - 1)] = '\x80';
    const char *first = left.place(a.substr(0, size)), *second = right.place(b.substr(0, size));
    const int theirs = std::memcmp(first, second, size);
    // On processors with AVX2 and without AVX-512, glibc gives 1 or -1 near the end of a page.
    ASSERT_EQ(sign(vm_memcmp(first, second, size)), sign(theirs));
    ASSERT_EQ(vm_bcmp(first, second, size) != 0, theirs != 0);
  }
}

TEST(Memory, BytesAreFoundWhereTheCLibraryFindsThem) {
  Inputs inputs;
  Guarded memory;
  for (int i = 0; i < kRandomInputs; ++i) {
    const std::string bytes = inputs.with_zeros(inputs.text(30));
    const char* in = memory.place(bytes);
    const int wanted = inputs.character();
    ASSERT_EQ(vm_memchr(in, wanted, bytes.size()), std::memchr(in, wanted, bytes.size()));
    ASSERT_EQ(vm_memrchr(in, wanted, bytes.size()), memrchr(in, wanted, bytes.size()));
  }
}

}  // namespace
}  // namespace thrum

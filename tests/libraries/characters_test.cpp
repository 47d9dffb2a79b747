// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ctype.h>
#include <gtest/gtest.h>

#include "functions.hpp"

namespace thrum {
namespace {

TEST(Characters, TablesAreThoseOfTheCLibrary) {
  for (int c = -128; c < 256; ++c) {
    EXPECT_EQ((*vm___ctype_b_loc())[c], (*__ctype_b_loc())[c]) << c;
    EXPECT_EQ((*vm___ctype_tolower_loc())[c], (*__ctype_tolower_loc())[c]) << c;
    EXPECT_EQ((*vm___ctype_toupper_loc())[c], (*__ctype_toupper_loc())[c]) << c;
  }
}

TEST(Characters, FunctionsAreThoseOfTheCLibrary) {
  struct Row {
    const char* name;
    int (*ours)(int);
    int (*theirs)(int);
  };
  const Row rows[] = {
      {"isalnum", vm_isalnum, isalnum}, {"isalpha", vm_isalpha, isalpha}, {"isblank", vm_isblank, isblank},
      {"iscntrl", vm_iscntrl, iscntrl}, {"isdigit", vm_isdigit, isdigit}, {"isgraph", vm_isgraph, isgraph},
      {"islower", vm_islower, islower}, {"isprint", vm_isprint, isprint}, {"ispunct", vm_ispunct, ispunct},
      {"isspace", vm_isspace, isspace}, {"isupper", vm_isupper, isupper}, {"isxdigit", vm_isxdigit, isxdigit},
      {"tolower", vm_tolower, tolower}, {"toupper", vm_toupper, toupper},
  };
  for (const Row& row : rows) {
    for (int c = EOF; c < 256; ++c) EXPECT_EQ(row.ours(c), row.theirs(c)) << row.name << " " << c;
  }
}

// These take any number.
TEST(Characters, NumbersThatAreNoCharacters) {
  for (int c = -1000; c < 1000; ++c) {
    EXPECT_EQ(vm_tolower(c), tolower(c)) << c;
    EXPECT_EQ(vm_toupper(c), toupper(c)) << c;
    EXPECT_EQ(vm_isascii(c) != 0, isascii(c) != 0) << c;
    EXPECT_EQ(vm_toascii(c), toascii(c)) << c;
  }
}

}  // namespace
}  // namespace thrum

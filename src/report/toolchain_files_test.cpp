// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/toolchain_files.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

using Names = std::vector<std::string>;
using Flags = std::vector<bool>;

TEST(ToolchainFiles, OfEveryProgram) {
  EXPECT_EQ(are_toolchain_files({"Scrt1.o", "crtstuff.c", "tsan_preinit.cpp", "queue.cpp", "gtest-all.cc.o",
                                 "crt.c", "unwind-dw2.o", "unwind-dw2.c", "GCDAProfiling.c.o", "_gcov.o"}),
            (Flags{true, true, true, false, false, false, true, true, true, true}));
}

// Its files have common names.
TEST(ToolchainFiles, LibstdcxxCountsWhereItIsLinkedStatically) {
  EXPECT_EQ(are_toolchain_files({"thread.cc", "list.o", "random.o", "new_op.o"}),
            (Flags{false, false, false, false}));
  EXPECT_EQ(are_toolchain_files({"eh_throw.o", "thread.o", "thread.cpp", "eh_ptr.cc", "thread"}),
            (Flags{true, true, false, true, false}));
}

TEST(ToolchainFiles, UbsanCountsWhereItIsLinkedStatically) {
  EXPECT_EQ(are_toolchain_files({"sanitizer_html.cpp"}), Flags{false});
  EXPECT_EQ(are_toolchain_files({"sanitizer_common.cpp.o", "ubsan_diag.cpp.o"}), (Flags{true, true}));
}

// A part of a name of the lists is none.
TEST(ToolchainFiles, WholeNamesOnly) {
  EXPECT_EQ(are_toolchain_files({"", "gcov.c", "1.o", ".o"}), (Flags{false, false, false, false}));
}

}  // namespace
}  // namespace thrum

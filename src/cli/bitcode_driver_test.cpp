// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/bitcode_driver.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "verdict/error.hpp"

namespace thrum {
namespace {

using Words = std::vector<std::string>;

// What is left of the words, with "asked" in front where they ask for bitcode.
Words asked(Words words) {
  if (asks_for_bitcode(words)) words.insert(words.begin(), "asked");
  return words;
}

TEST(Bitcode, IsAskedForByFlagOrEnvironment) {
  unsetenv("THRUM_BITCODE");
  EXPECT_EQ(asked({"-c", "a.cpp"}), (Words{"-c", "a.cpp"}));
  EXPECT_EQ(asked({"-c", "--bitcode", "a.cpp", "--bitcode"}), (Words{"asked", "-c", "a.cpp"}));
  EXPECT_EQ(asked({"-D", "--bitcode", "-o"}), (Words{"-D", "--bitcode", "-o"})) << "the value of an option";
  for (const char* off : {"", "0"}) {
    setenv("THRUM_BITCODE", off, 1);
    EXPECT_EQ(asked({"a.cpp"}), (Words{"a.cpp"}));
  }
  setenv("THRUM_BITCODE", "1", 1);
  EXPECT_EQ(asked({"a.cpp"}), (Words{"asked", "a.cpp"}));
  setenv("THRUM_BITCODE", "yes", 1);
  EXPECT_THROW(asked({"a.cpp"}), UserError);
  unsetenv("THRUM_BITCODE");
}

TEST(Bitcode, IsMadeWhereSourcesBecomeObjects) {
  for (const Words& words : {Words{"a.cpp"},
                             {"-c", "a.c", "b.c"},
                             {"-c", "a.c", "-o", "b.o"},
                             {"-r", "a.c", "b.o"},
                             {"a.s", "a.cpp", "-o", "a"},
                             {"-x", "c", "-"}})
    EXPECT_TRUE(makes_bitcode(words)) << testing::PrintToString(words);
  for (const Words& words : {Words{},
                             {"a.o", "b.a"},
                             {"-S", "a.cpp"},
                             {"-E", "a.cpp"},
                             {"-c", "a.s"},
                             {"a.hpp"},
                             {"--version"},
                             {"-c", "a.cpp", "b.cpp", "-o", "c.o"},
                             {"-M", "a.cpp"},
                             {"a.cpp", "-fsyntax-only"}})
    EXPECT_FALSE(makes_bitcode(words)) << testing::PrintToString(words);
}

TEST(Bitcode, OptionsOfTheBackEnd) {
  EXPECT_EQ(
      back_end_options({"-std=c++20", "-O2", "-fPIC", "-I", "-fno-plt", "-DX=1", "-march=native", "-mllvm",
                        "-x86-asm-syntax=intel", "-gdwarf-4", "-Wall", "-Wl,-z,now", "-Wa,--fatal-warnings",
                        "-target", "x86_64-linux-gnu", "-lm", "-MD", "-include", "-O3"}),
      (Words{"-O2", "-fPIC", "-march=native", "-mllvm", "-x86-asm-syntax=intel", "-gdwarf-4", "-Wall",
             "-Wa,--fatal-warnings", "-target", "x86_64-linux-gnu"}));
  EXPECT_EQ(
      back_end_options({"-fsanitize=undefined", "-fno-sanitize=vptr", "-fprofile-arcs", "-fcoverage-mapping",
                        "-gsplit-dwarf", "-fopenmp", "-Wp,-MD,a.d", "-fplugin=x.so"}),
      (Words{}));
}

constexpr const char* kListing =
    "Debian clang version 19.1.7\n"
    " \"/usr/bin/clang\" \"-cc1\" \"-dependency-file\" \"x y.d\" \"-MT\" \"x\\\\ y.o\" \"-main-file-name\" "
    "\"a.c\""
    " \"-coverage-notes-file=/x y.gcno\" \"-x\" \"c\" \"dir/a.c\"\n"
    " \"/usr/bin/clang\" \"-cc1\" \"-x\" \"c\" \"b.c\"\n"
    " \"/usr/bin/ld\" \"-o\" \"x\" \"a.o\"\n";

TEST(Bitcode, NamesThatClangDerives) {
  const std::vector<DerivedNames> names = derived_names(kListing, {"-MD"});
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(names[0].source, "dir/a.c");
  EXPECT_EQ(names[0].options,
            (Words{"-MF", "x y.d", "-MT", "x\\ y.o", "-Xclang", "-coverage-notes-file=/x y.gcno"}));
  EXPECT_EQ(names[1].source, "b.c");
  EXPECT_EQ(names[1].options, (Words{}));
  for (const Words& given : {Words{"-MD", "-MT", "z"}, {"-MD", "-MTz"}, {"-MQ", "z"}})
    EXPECT_EQ(derived_names(kListing, given)[0].options,
              (Words{"-MF", "x y.d", "-Xclang", "-coverage-notes-file=/x y.gcno"}))
        << "the user's target stays the only one";
}

TEST(SignalRelay, PassesSignalsOnAndKeepsThem) {
  {
    const SignalRelay relay;
    EXPECT_EQ(SignalRelay::signal(), 0);
    EXPECT_EQ(run({"sh", "-c", "kill -TERM $PPID; exec sleep 100"}), 128 + SIGTERM);
    EXPECT_EQ(SignalRelay::signal(), SIGTERM);
    EXPECT_EQ(run({"sleep", "100"}), 128 + SIGTERM) << "what is started behind it ends, too";
  }
  EXPECT_EQ(SignalRelay::signal(), 0);
  EXPECT_EQ(run({"true"}), 0);
}

}  // namespace
}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/driver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cli/error.hpp"

namespace thrum {
namespace {

// A prefix with a runtime in it, as far as the driver looks.
class Driver : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "thrum-driver-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    gcc_.prefix = clang_.prefix = pattern;
    std::filesystem::create_directories(pattern + "/lib/thrum");
    std::ofstream(pattern + "/lib/thrum/libthrum.so") << "";
  }
  void TearDown() override { std::filesystem::remove_all(gcc_.prefix); }

  static bool has(const Command& command, const std::string& word) {
    return std::find(command.begin(), command.end(), word) != command.end();
  }
  bool links(const Command& command) const { return has(command, "-L" + gcc_.prefix + "/lib/thrum"); }

  Toolchain gcc_{{"g++"}, false, ""};
  Toolchain clang_{{"clang++"}, true, ""};
};

TEST_F(Driver, CompilesAndLinks) {
  Command command = driver_command(gcc_, {"a.cpp", "-o", "a"});
  EXPECT_EQ(command[0], "g++");
  EXPECT_TRUE(has(command, "-fsanitize=thread"));
  EXPECT_TRUE(has(command, "-D__THRUM__=1"));
  EXPECT_TRUE(has(command, "-g"));
  EXPECT_TRUE(has(command, "-fno-builtin-memset"));
  EXPECT_TRUE(has(command, "-pthread"));
  EXPECT_TRUE(links(command));
  EXPECT_FALSE(has(command, "-lthrum")) << "g++ links libtsan.so, which leads to it";
}

TEST_F(Driver, CompilesOnly) {
  for (const char* flag : {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"}) {
    Command command = driver_command(gcc_, {flag, "a.cpp"});
    EXPECT_TRUE(has(command, "-fsanitize=thread"));
    EXPECT_FALSE(links(command)) << flag;
  }
}

TEST_F(Driver, LinksOnly) {
  Command command = driver_command(clang_, {"a.o", "libb.a", "-o", "a"});
  EXPECT_TRUE(links(command));
  EXPECT_TRUE(has(command, "-fno-sanitize-link-runtime"));
  EXPECT_EQ(command.back(), "-lthrum");
  EXPECT_FALSE(has(command, "-mllvm")) << "clang warns of what it does not use";
}

TEST_F(Driver, AnOutputIsNoInput) {
  EXPECT_FALSE(links(driver_command(gcc_, {"-print-file-name=libc.so"})));
  EXPECT_FALSE(links(driver_command(gcc_, {"-dumpmachine", "-o", "a"})));
  EXPECT_FALSE(has(driver_command(gcc_, {"a.o", "-include", "b.hpp"}), "-D__THRUM__=1"));
}

TEST_F(Driver, UsersDebugOptionIsKept) {
  for (const char* flag : {"-g0", "-g3", "-ggdb", "-gdwarf-4"}) {
    EXPECT_FALSE(has(driver_command(gcc_, {flag, "-c", "a.cpp"}), "-g")) << flag;
  }
}

TEST_F(Driver, Refuses) {
  for (const char* flag : {"-static", "-static-pie", "-fsanitize=address", "-fsanitize=undefined,memory"}) {
    EXPECT_THROW(driver_command(gcc_, {flag, "a.cpp"}), UserError) << flag;
  }
  for (const char* flag :
       {"-static-libstdc++", "-static-libgcc", "-fsanitize=undefined", "-fsanitize=thread"}) {
    EXPECT_NO_THROW(driver_command(gcc_, {flag, "a.cpp"})) << flag;
  }
}

TEST_F(Driver, MissingRuntime) {
  std::filesystem::remove(gcc_.prefix + "/lib/thrum/libthrum.so");
  EXPECT_THROW(driver_command(gcc_, {"a.cpp"}), UserError);
  EXPECT_NO_THROW(driver_command(gcc_, {"-c", "a.cpp"}));
}

TEST(SplitWords, AsAShell) {
  EXPECT_EQ(split_words(""), (std::vector<std::string>{}));
  EXPECT_EQ(split_words(" -O2  -DX='a b' "), (std::vector<std::string>{"-O2", "-DX=a b"}));
  EXPECT_EQ(split_words(R"("a \"b" c\ d '')"), (std::vector<std::string>{"a \"b", "c d", ""}));
}

TEST(Process, OutputAndExitCode) {
  EXPECT_EQ(output_of({"sh", "-c", "echo out; echo err >&2; exit 3"}), "out\nerr\n");
  EXPECT_EQ(output_of({"no-such-program-anywhere"}), std::nullopt);
  EXPECT_EQ(run({"sh", "-c", "exit 3"}), 3);
}

}  // namespace
}  // namespace thrum

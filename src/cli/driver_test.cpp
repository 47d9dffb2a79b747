// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/driver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "verdict/error.hpp"

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
  for (const char* word : {"-fsanitize=thread", "-D__THRUM__=1", "-g", "-fno-builtin-memset"})
    EXPECT_TRUE(has(command, word)) << word;
  EXPECT_TRUE(links(command));
  EXPECT_EQ((Command{command.end() - 3, command.end()}), (Command{"a.cpp", "-o", "a"}))
      << "the user's own come last, and overrule";
}

TEST_F(Driver, CompilesOnly) {
  Command command = driver_command(gcc_, {"-c", "a.cpp"});
  EXPECT_TRUE(has(command, "-fsanitize=thread"));
  EXPECT_FALSE(links(command));
}

TEST_F(Driver, LinksOnly) {
  Command command = driver_command(clang_, {"a.o", "libb.a", "-o", "a"});
  EXPECT_TRUE(links(command));
  EXPECT_TRUE(has(command, "-fno-sanitize-link-runtime"));
  EXPECT_FALSE(has(command, "-D__THRUM__=1"));
}

TEST_F(Driver, LeavesAQuestionAsItIs) {
  Command question = {"-print-file-name=libc.so"};
  EXPECT_EQ(driver_command(gcc_, question), (Command{"g++", question[0]}));
  EXPECT_EQ(driver_command(clang_, {}), (Command{"clang++"}));
}

TEST_F(Driver, LooksIntoResponseFiles) {
  std::string file = gcc_.prefix + "/response";
  std::ofstream(file) << "-c a.cpp";
  EXPECT_FALSE(links(driver_command(gcc_, {"@" + file})));
  EXPECT_EQ(driver_command(gcc_, {"@" + file}).back(), "@" + file) << "the compiler reads it";
  std::ofstream(file) << "-fsanitize=address a.cpp";
  EXPECT_THROW(driver_command(gcc_, {"@" + file}), UserError);
}

TEST_F(Driver, KeepsFunctionsThatMeanSomethingByTheirName) {
  auto compile = [&](const Toolchain& toolchain, const std::string& text) {
    std::string file = gcc_.prefix + "/a.c";
    std::ofstream(file) << text;
    return driver_command(toolchain, {"-c", file});
  };
  for (const char* text : {"void reach_error() {}", "static void\nreach_error ( void )\n{\n}",
                           "void reach_error(void) __attribute__((cold)) { x = 1; }"}) {
    EXPECT_TRUE(has(compile(gcc_, text), "-fno-ipa-pure-const")) << text;
    EXPECT_TRUE(has(compile(clang_, text), "-force-attribute=reach_error:optnone")) << text;
  }
  for (const char* text : {"void reach_error(void);\nint main() { reach_error(); }",
                           "void my_reach_error() {}", "void reach_errors() {}", "int reach_error;"}) {
    EXPECT_FALSE(has(compile(gcc_, text), "-fno-ipa-pure-const")) << text;
    EXPECT_FALSE(has(compile(clang_, text), "-force-attribute=reach_error:optnone")) << text;
  }
  EXPECT_TRUE(has(compile(gcc_, "void __VERIFIER_atomic_take(void) {}"), "-fno-inline"));
  EXPECT_FALSE(has(compile(gcc_, "void f(void) { __VERIFIER_atomic_begin(); }"), "-fno-inline"));
  std::ofstream(gcc_.prefix + "/own.h") << "void reach_error(void) {}\n#include \"own.h\"\n";
  EXPECT_TRUE(has(compile(gcc_, "#include \"own.h\"\n"), "-fno-ipa-pure-const"));
}

TEST_F(Driver, ArchiverOfTheCompiler) {
  EXPECT_EQ(archiver_command("thrum-frob", gcc_, {}), std::nullopt);
  EXPECT_EQ(archiver_command("thrum-gcc-ar", gcc_, {"t", "a.a"}), (Command{"gcc-ar", "t", "a.a"}));
  EXPECT_EQ(archiver_command("thrum-gcc-nm", {{"ccache", "g++", "-m64"}, false, ""}, {}),
            (Command{"gcc-nm"}));
  EXPECT_EQ(archiver_command("thrum-gcc-ar", {{"no-such-g++-3"}, false, ""}, {}), (Command{"gcc-ar"}));
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every function of tests/vm/decoded/features.c is decoded, whether main reaches it or not; what the machine
// does not run is refused by its name.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include "bitcode/reader.hpp"
#include "programs/child_process.hpp"
#include "vm/code.hpp"

namespace {

using namespace thrum;
namespace fs = std::filesystem;

// What is refused in the program, a line each.
std::string refusals(const std::string& source, const std::string& level) {
  std::string folder = fs::temp_directory_path().string() + "/thrum-vm-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return "no folder";
  const std::string bitcode = folder + "/program.bc";
  const ChildResult compiled =
      run_child({"clang-19", "-std=gnu17", level, "-w", "-mcx16", "-fsanitize=thread", "-mllvm",
                 "-tsan-distinguish-volatile", "-fno-vectorize", "-fno-slp-vectorize", "-emit-llvm", "-c",
                 source, "-o", bitcode},
                {}, 120);
  std::ostringstream bytes;
  bytes << std::ifstream(bitcode, std::ios::binary).rdbuf();
  fs::remove_all(folder);
  if (compiled.exit_code != 0) return compiled.errors;
  std::string all;
  try {
    const bitcode::Linked linked = bitcode::link({{"program", bytes.str()}}, {});
    for (const auto& function : linked.code->functions) {
      try {
        if (function->is_defined && !function->is_decoded) linked.code->decode(*function);
      } catch (const vm::Refused& refused) {
        all += refused.why + "\n";
      }
    }
  } catch (const vm::Refused& refused) {
    all += refused.why + "\n";
  }
  return all;
}

std::string refusals_of_text(const std::string& text) {
  const std::string path = testing::TempDir() + "/thrum-decoded-" + std::to_string(getpid()) + ".c";
  std::ofstream(path) << text << "\nint main(void) { return 0; }\n";
  const std::string result = refusals(path, "-O1");
  fs::remove(path);
  return result;
}

class Decoding : public testing::Test {
 protected:
  void SetUp() override {
    if (run_child({"clang-19", "--version"}, {}, 120).exit_code != 0) GTEST_SKIP() << "there is no clang-19";
  }
};

TEST_F(Decoding, KnowsWhatTheCompilerMakesOfC) {
  for (const char* const level : {"-O0", "-O1", "-O2"})
    EXPECT_EQ(refusals(std::string(THRUM_SOURCE_DIR) + "/tests/vm/decoded/features.c", level), "") << level;
}

TEST_F(Decoding, RefusesByName) {
  EXPECT_EQ(refusals_of_text("int f(int x) { __asm__(\"incl %0\" : \"+r\"(x)); return x; }"),
            "the assembly \"incl $0\", in function f\n");
  EXPECT_EQ(refusals_of_text("_Float16 f(_Float16 a) { return a * a; }"),
            "values of type half, in function f\n");
  EXPECT_EQ(refusals_of_text("__float128 f(__float128 a) { return a + a; }"),
            "values of type fp128, in function f\n");
  EXPECT_NE(refusals_of_text(
                "int f(int i) { static void* t[] = {&&a, &&b}; goto* t[i]; a: return 1; b: return 2; }")
                .find("blockaddress"),
            std::string::npos);
}

}  // namespace

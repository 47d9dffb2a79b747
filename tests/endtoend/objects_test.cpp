// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that the stock compiler made and Thrum's driver linked: they are named, and no others are.
#include <ostream>

#include "endtoend.hpp"

using nlohmann::json;

namespace {

constexpr const char* kCallsTwice = R"(
#include <thread>
#include <vector>
extern "C" int twice(int value);
extern "C" const int table[];
int main() {
  std::vector<int> all(1, twice(table[1]));
  std::thread([&] { all.push_back(2); }).join();
  return all[0] == 4 ? 0 : 1;
}
)";
constexpr const char* kTwice =
    "static int add(int a, int b) { return a + b; }\n"
    "int twice(int value) { return add(value, value); }\n";
constexpr const char* kTable = "extern const int table[];\nconst int table[] = {1, 2};\n";
constexpr const char* kAssembler = R"(
        .text
        .globl  twice
        .type   twice, @function
twice:  lea     (%rdi,%rdi), %eax
        ret
        .size   twice, . - twice
        .section .note.GNU-stack, "", @progbits
)";

struct Compiler {
  std::string cpp;
  std::string c;
};

void PrintTo(const Compiler& compiler, std::ostream* out) { *out << compiler.cpp; }

class Objects : public EndToEnd, public testing::WithParamInterface<Compiler> {
 protected:
  void SetUp() override {
    EndToEnd::SetUp();
    write("main.cpp", kCallsTwice);
    write("twice.c", kTwice);
    write("table.c", kTable);
    write("twice.S", kAssembler);
  }
  void command(const std::vector<std::string>& words) {
    ChildResult result = run(words, path(""), {"THRUM_CXX=" + GetParam().cpp, "THRUM_CC=" + GetParam().c});
    ASSERT_EQ(result.exit_code, 0) << words[0] << ": " << result.output << result.errors;
  }
  void stock(std::vector<std::string> words) {
    words.insert(words.begin(), {GetParam().c, "-c"});
    command(words);
  }
  void instrumented(std::vector<std::string> words) {
    bool is_c = words.back().ends_with(".c") || words.back().ends_with(".S");
    words.insert(words.begin(), {THRUM_PROGRAM, is_c ? "cc" : "c++", "-c"});
    command(words);
  }
  void link(std::vector<std::string> words) {
    words.insert(words.begin(), {THRUM_PROGRAM, "c++"});
    words.insert(words.end(), {"-o", "program"});
    command(words);
  }
  // What the result of `program` says of that kind; "" where it says nothing.
  std::string told(const std::string& kind) {
    json result = check({path("program")}, 0);
    EXPECT_EQ(result["verdict"], "exhausted");
    for (const json& assumption : result["tests"][0]["guarantee"]["assumptions"]) {
      if (assumption["kind"] == kind) return assumption["text"];
    }
    return "";
  }
  std::string files() {
    EXPECT_EQ(told("instrumentation-unknown"), "");
    std::string text = told("uninstrumented-files");
    return text.substr(0, text.find(". What they do"));
  }
};

TEST_P(Objects, AllOfThemInstrumented) {
  write("templates.cpp", "#include <vector>\ntemplate class std::vector<long>;\n");
  write("nothing.cpp", "inline int unused() { return 1; }\n");
  for (const char* level : {"-O0", "-O2"}) {
    for (const char* source : {"main.cpp", "templates.cpp", "nothing.cpp", "twice.c", "table.c"})
      instrumented({level, source});
    link({"main.o", "templates.o", "nothing.o", "twice.o", "table.o"});
    EXPECT_EQ(files(), "");
  }
}

TEST_P(Objects, AStockObjectIsNamed) {
  instrumented({"main.cpp"});
  instrumented({"table.c"});
  stock({"-O2", "twice.c"});
  link({"main.o", "twice.o", "table.o"});
  EXPECT_EQ(files(), "Files not instrumented: twice.c (in program)");
  ChildResult text = thrum({"check", "program"});
  EXPECT_NE(text.output.find("Files not instrumented: twice.c (in program)."), std::string::npos)
      << text.output;
}

TEST_P(Objects, AStockObjectInAnArchive) {
  instrumented({"table.c"});
  stock({"-O2", "-g", "twice.c"});
  command({"ar", "rc", "libparts.a", "table.o", "twice.o"});
  instrumented({"main.cpp"});
  link({"main.o", "-L.", "-lparts"});
  EXPECT_EQ(files(), "Files not instrumented: twice.c (in program)");
}

// Only the debug information tells that a file holds nothing but data.
TEST_P(Objects, AStockObjectWithoutCode) {
  for (const char* source : {"main.cpp", "twice.c"}) instrumented({source});
  stock({"-g", "table.c"});
  link({"main.o", "twice.o", "table.o"});
  EXPECT_EQ(files(), "");
  stock({"table.c"});
  link({"main.o", "twice.o", "table.o"});
  EXPECT_EQ(files(), "Files not instrumented: table.c (in program)");
}

TEST_P(Objects, InAnInstrumentedLibrary) {
  for (const char* source : {"main.cpp", "table.c"}) instrumented({"-fPIC", source});
  stock({"-fPIC", "twice.c"});
  command({THRUM_PROGRAM, "cc", "-shared", "table.o", "twice.o", "-o", "libparts.so"});
  link({"main.o", "libparts.so", "-Wl,-rpath,$ORIGIN"});
  EXPECT_EQ(files(), "Files not instrumented: twice.c (in libparts.so)");
}

TEST_P(Objects, Assembler) {
  for (const char* source : {"main.cpp", "table.c", "twice.S"}) instrumented({source});
  link({"main.o", "twice.o", "table.o"});
  EXPECT_EQ(files(), "Files not instrumented: twice.S (in program)");
}

TEST_P(Objects, TheToolchainsOwnFilesAreNot) {
  for (const char* source : {"main.cpp", "table.c", "twice.c"}) instrumented({"--coverage", source});
  link({"-static-libstdc++", "-static-libgcc", "--coverage", "main.o", "twice.o", "table.o"});
  EXPECT_EQ(files(), "");
}

TEST_P(Objects, AStrippedProgram) {
  instrumented({"main.cpp"});
  for (const char* source : {"table.c", "twice.c"}) stock({source});
  for (const char* how : {"-s", "-g", "-x"}) {
    link({"main.o", "table.o", "twice.o"});
    command({"strip", how, "program"});
    std::string text = told("instrumentation-unknown");
    EXPECT_NE(text.find("program"), std::string::npos) << how << ": " << text;
    EXPECT_EQ(told("uninstrumented-files"), "") << how;
  }
}

TEST_P(Objects, LinkTimeOptimisation) {
  if (GetParam().cpp != "g++") GTEST_SKIP() << "there is no linker for the bitcode of this clang++";
  for (const char* source : {"main.cpp", "table.c"}) instrumented({"-O1", "-flto", source});
  instrumented({"-O1", "-flto", "twice.c"});
  link({"-O1", "-flto", "main.o", "table.o", "twice.o"});
  EXPECT_EQ(files(), "");
  stock({"-O1", "twice.c"});
  link({"-O1", "-flto", "main.o", "table.o", "twice.o"});
  EXPECT_EQ(files(), "Files not instrumented: twice.c (in program)");
}

// Found, or said to be beyond what the compiler lets us see, stripped or not.
TEST_P(Objects, PartsOfSharedLocalVariables) {
  write("pair.cpp", R"(
#include <thread>
struct Pair { int first = 0; int second = 0; };
int main() {
  Pair pair;
  std::thread other([&] { pair.second = 1; });
  pair.second = 2;
  other.join();
  return pair.second == 0;
}
)");
  link({"-O1", "pair.cpp"});
  for (bool stripped : {false, true}) {
    if (stripped) command({"strip", "program"});
    if (GetParam().cpp == "g++") {
      EXPECT_EQ(check({path("program")}, 1)["tests"][0]["bugs"][0]["kind"], "data-race");
    } else {
      EXPECT_NE(told("clang-locals"), "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, Objects,
                         testing::Values(Compiler{"g++", "gcc"}, Compiler{"clang++-19", "clang-19"}),
                         [](const testing::TestParamInfo<Compiler>& which) {
                           return which.param.cpp == "g++" ? "gcc" : "clang";
                         });

}  // namespace

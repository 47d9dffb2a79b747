// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler drivers from the outside, over g++ and over clang++: each way of building ends in a program
// that `thrum check` finds the bug of. That takes instrumented code: the bug needs a switch between the two
// atomic operations of counter.c.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "endtoend.hpp"

namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

struct Compilers {
  const char* name;
  std::string c;
  std::string cpp;
};

void PrintTo(const Compilers& compilers, std::ostream* out) { *out << compilers.name; }

constexpr const char* kCounter = R"(
#ifdef __cplusplus
extern "C"
#endif
int increment(void) {
  static int counter;
  int next = __atomic_load_n(&counter, __ATOMIC_SEQ_CST) + 1;
  __atomic_store_n(&counter, next, __ATOMIC_SEQ_CST);
  return next;
}
)";

constexpr const char* kMain = R"(
#include <assert.h>
#include <pthread.h>
#ifdef __cplusplus
extern "C"
#endif
int increment(void);
static void* run(void* argument) {
  increment();
  return argument;
}
int main(int count, char** arguments) {
  (void)arguments;
  const int in_turn = count > 1;
  pthread_t thread;
  pthread_create(&thread, 0, run, 0);
  if (in_turn) pthread_join(thread, 0);
  increment();
  if (!in_turn) pthread_join(thread, 0);
  assert(increment() == 3);
  return 0;
}
)";

class Drivers : public EndToEnd, public testing::WithParamInterface<Compilers> {
 protected:
  void SetUp() override {
    EndToEnd::SetUp();
    write("counter.c", kCounter);
    write("main.c", kMain);
  }

  static std::string driver(const std::string& name) { return fs::path(THRUM_PROGRAM).parent_path() / name; }
  bool clang() const { return GetParam().cpp.starts_with("clang"); }

  // Runs a command in the test's folder with the drivers over the compilers of this test.
  ChildResult with_compilers(const Words& command) {
    return run(command, path(""), {"THRUM_CC=" + GetParam().c, "THRUM_CXX=" + GetParam().cpp});
  }
  ChildResult cc(Words arguments) {
    arguments.insert(arguments.begin(), driver("thrum-cc"));
    return with_compilers(arguments);
  }
  ChildResult cpp(Words arguments) {
    arguments.insert(arguments.begin(), driver("thrum-c++"));
    return with_compilers(arguments);
  }
  // What the driver is to do silently and with success.
  static void expect_done(const ChildResult& result) {
    EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
    EXPECT_EQ(result.errors, "");
  }

  // The program works by itself (its increments in turn, as its bug may occur in any run), and its bug is
  // found by a search.
  void expect_checkable(const std::string& program) {
    ChildResult plain = run({path(program), "in-turn"}, path(""));
    EXPECT_EQ(plain.exit_code, 0) << plain.errors;
    nlohmann::json result = check({program}, 1);
    EXPECT_EQ(result.at("tests").at(0).at("bugs").at(0).at("kind"), "assertion");
    EXPECT_EQ(result.at("tests").at(0).at("bugs").at(0).at("preemptions"), 1);
  }
};

INSTANTIATE_TEST_SUITE_P(Over, Drivers,
                         testing::Values(Compilers{"gcc", "gcc", "g++"},
                                         Compilers{"clang", "clang-19", "clang++-19"}),
                         [](const auto& instance) { return instance.param.name; });

TEST_P(Drivers, InOneStep) {
  expect_done(cc({"-O1", "main.c", "counter.c", "-o", "program"}));
  expect_checkable("program");
}

TEST_P(Drivers, InSeveralSteps) {
  expect_done(cc({"-Wall", "-Werror", "-c", "main.c"}));
  expect_done(cc({"-Wall", "-Werror", "-c", "-o", "other.o", "counter.c"}));
  expect_done(cc({"-Wall", "-Werror", "main.o", "other.o", "-o", "program"}));
  expect_checkable("program");
  expect_done(with_compilers({THRUM_PROGRAM, "cc", "main.o", "other.o", "-o", "again"}));
  expect_checkable("again");
}

TEST_P(Drivers, CAndCpp) {
  fs::copy_file(path("main.c"), path("main.cpp"));
  expect_done(cc({"-c", "counter.c"}));
  expect_done(cpp({"-std=c++20", "main.cpp", "counter.o", "-o", "program"}));
  expect_checkable("program");
}

TEST_P(Drivers, PositionDependentAndNot) {
  expect_done(cc({"-no-pie", "-fno-pie", "main.c", "counter.c", "-o", "fixed"}));
  expect_checkable("fixed");
  expect_done(cc({"-pie", "-fPIE", "main.c", "counter.c", "-o", "moved"}));
  expect_checkable("moved");
}

TEST_P(Drivers, SharedLibrary) {
  expect_done(cc({"-shared", "-fPIC", "counter.c", "-Wl,-z,defs", "-o", "libcounter.so"}));
  expect_done(cc({"main.c", "-L.", "-lcounter", "-Wl,-rpath,$ORIGIN", "-o", "program"}));
  expect_checkable("program");
}

TEST_P(Drivers, SharedLibraryWithoutStandardLibraries) {
  expect_done(cc({"-fPIC", "-c", "counter.c"}));
  expect_done(cc({"-shared", "-nostdlib", "counter.o", "-Wl,-z,defs", "-o", "libcounter.so"}));
  expect_done(cc({"main.c", "libcounter.so", "-Wl,-rpath,$ORIGIN", "-o", "program"}));
  expect_checkable("program");
}

TEST_P(Drivers, LoadedLibrary) {
  write("loader.c", R"(
#include <dlfcn.h>
static int (*function)(void);
int increment(void) { return function(); }
__attribute__((constructor)) static void load(void) {
  void* library = dlopen("./libcounter.so", RTLD_NOW | RTLD_LOCAL);
  if (library) function = (int (*)(void))dlsym(library, "increment");
}
)");
  expect_done(cc({"-shared", "-fPIC", "counter.c", "-Wl,-z,defs", "-o", "libcounter.so"}));
  expect_done(cc({"main.c", "loader.c", "-o", "program"}));
  expect_checkable("program");
  // A program that knows nothing of Thrum can load it, too.
  ASSERT_EQ(run({GetParam().c, "main.c", "loader.c", "-pthread", "-o", "stock"}, path("")).exit_code, 0);
  EXPECT_EQ(run({path("stock"), "in-turn"}, path("")).exit_code, 0);
}

TEST_P(Drivers, ResponseFiles) {
  write("inner.rsp", "'counter.c' -DWORDS=\"two\\ words\"");
  write("outer.rsp", "-O1\n@inner.rsp\n\"main.c\" -o 'pro gram'\n");
  expect_done(cc({"@outer.rsp"}));
  fs::rename(path("pro gram"), path("program"));
  expect_checkable("program");
  write("compile.rsp", "-c main.c");
  expect_done(cc({"@compile.rsp"}));
  EXPECT_TRUE(fs::exists(path("main.o")));
  write("refused.rsp", "@address.rsp");
  write("address.rsp", "-O1 -fsanitize=undefined,address main.c");
  ChildResult refused = cc({"@refused.rsp"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(std::count(refused.errors.begin(), refused.errors.end(), '\n'), 1) << refused.errors;
  EXPECT_NE(refused.errors.find("-fsanitize=undefined,address"), std::string::npos) << refused.errors;
}

TEST_P(Drivers, Preprocessor) {
  write("macro.c", "thrum is __THRUM__\n");
  ChildResult text = cc({"-E", "macro.c"});
  expect_done(text);
  EXPECT_NE(text.output.find("thrum is 1"), std::string::npos) << text.output;
  ChildResult macros = cpp({"-dM", "-E", "-x", "c++", "-"});
  expect_done(macros);
  EXPECT_NE(macros.output.find("#define __THRUM__ 1"), std::string::npos);
  EXPECT_NE(cpp({"-E", "-"}).exit_code, std::nullopt);
}

TEST_P(Drivers, Dependencies) {
  for (const char* flag : {"-M", "-MM"}) {
    ChildResult rule = cc({flag, "main.c"});
    expect_done(rule);
    EXPECT_TRUE(rule.output.starts_with("main.o: main.c")) << rule.output;
  }
  expect_done(cc({"-MD", "-MF", "main.d", "-MT", "target", "main.c", "counter.c", "-o", "program"}));
  EXPECT_FALSE(read(path("main.d")).empty());
  expect_checkable("program");
}

TEST_P(Drivers, OnlyTheCommands) {
  ChildResult commands = cc({"-###", "main.c", "counter.c"});
  EXPECT_EQ(commands.exit_code, 0);
  EXPECT_NE(commands.errors.find("main.c"), std::string::npos);
  EXPECT_FALSE(fs::exists(path("a.out")));
}

TEST_P(Drivers, GivenLanguageAndStandardInput) {
  fs::rename(path("counter.c"), path("counter.txt"));
  expect_done(cc({"-x", "c", "counter.txt", "-x", "none", "main.c", "-o", "program"}));
  expect_checkable("program");
  expect_done(with_compilers({"sh", "-c", driver("thrum-cc") + " -xc - -c -o counter.o < counter.txt"}));
  expect_done(cc({"main.c", "counter.o", "-o", "piped"}));
  expect_checkable("piped");
}

TEST_P(Drivers, Assembler) {
  write("seven.S",
        "#define NAME seven\n#ifndef __THRUM__\n#error\n#endif\n.globl NAME\nNAME: movl $7, %eax\nret\n"
        ".section .note.GNU-stack,\"\",@progbits\n");
  write("main.c", std::string("int seven(void);\n") + kMain +
                      "__attribute__((constructor)) static void check(void) { assert(seven() == 7); }\n");
  expect_done(cc({"-E", "seven.S", "-o", "seven.s"}));
  expect_done(cc({"-Werror", "-c", "seven.s"}));
  expect_done(cc({"-Werror", "main.c", "counter.c", "seven.s", "-o", "program"}));
  expect_checkable("program");
  expect_done(cc({"-S", "counter.c"}));
  expect_done(cc({"main.c", "counter.s", "seven.o", "-o", "through_assembly"}));
  expect_checkable("through_assembly");
}

TEST_P(Drivers, LinkTimeOptimization) {
  expect_done(cc({"-O2", "-flto", "-c", "counter.c"}));
  expect_done(with_compilers(
      {driver(clang() ? "thrum-llvm-ar" : "thrum-gcc-ar"), "rcs", "libcounter.a", "counter.o"}));
  expect_done(with_compilers({driver(clang() ? "thrum-llvm-ranlib" : "thrum-gcc-ranlib"), "libcounter.a"}));
  expect_done(cc({"-O2", "-flto", "main.c", "libcounter.a", "-o", "program"}));
  expect_checkable("program");
}

TEST_P(Drivers, StaticStandardLibrary) {
  write("main.cpp", R"(
#include <atomic>
#include <cassert>
#include <stdexcept>
#include <string>
#include <thread>
extern "C" int increment(void);
int main() {
  try {
    throw std::runtime_error(std::string(40, 'x'));
  } catch (const std::exception&) {
  }
  std::jthread other([] { increment(); });
  increment();
  other.join();
  assert(increment() == 3);
}
)");
  expect_done(cc({"-c", "counter.c"}));
  expect_done(
      cpp({"-std=c++20", "-static-libstdc++", "-static-libgcc", "main.cpp", "counter.o", "-o", "program"}));
  expect_checkable("program");
}

TEST_P(Drivers, PrecompiledHeader) {
  write("all.h", "#include <assert.h>\n#include <pthread.h>\n");
  std::string precompiled = clang() ? "all.h.pch" : "all.h.gch";
  expect_done(cc({"-x", "c-header", "all.h", "-o", precompiled}));
  expect_done(cc({"-Winvalid-pch", "-Werror", "-include", "all.h", "main.c", "counter.c", "-o", "program"}));
  expect_checkable("program");
  fs::copy_file(path("all.h"), path("all.hpp"));
  expect_done(cpp({"all.hpp"}));
}

TEST_P(Drivers, RelocatableObject) {
  expect_done(cc({"-c", "main.c", "counter.c"}));
  expect_done(cc({"-r", "main.o", "counter.o", "-o", "both.o"}));
  expect_done(cc({"both.o", "-o", "program"}));
  expect_checkable("program");
}

TEST_P(Drivers, SanitizerGivenByTheUser) {
  expect_done(cc({"-fsanitize=thread", "-c", "main.c", "counter.c"}));
  expect_done(cc({"-fsanitize=thread", "main.o", "counter.o", "-o", "program"}));
  expect_checkable("program");
}

TEST_P(Drivers, OtherLinker) {
  expect_done(cc({"-fuse-ld=gold", "main.c", "counter.c", "-o", "program"}));
  expect_checkable("program");
}

// For build systems that are told flags and not compilers.
TEST_P(Drivers, FlagsByThemselves) {
  std::string flags = driver("thrum") + " flags --compiler " + GetParam().name;
  expect_done(
      with_compilers({"sh", "-c",
                      GetParam().c + " $(" + flags + " compile) -Wall -Werror -c main.c counter.c && " +
                          GetParam().c + " $(" + flags + " link) main.o counter.o -o program"}));
  expect_checkable("program");
  EXPECT_EQ(with_compilers({driver("thrum"), "flags", "compile"}).output,
            with_compilers({driver("thrum"), "flags", "--compiler", GetParam().name, "compile"}).output);
  EXPECT_EQ(with_compilers({driver("thrum"), "flags", "assemble"}).exit_code, 2);
}

// What configure scripts ask is answered as by the compiler itself.
TEST_P(Drivers, Questions) {
  for (const Words& question : {Words{"--version"},
                                {"-dumpversion"},
                                {"-dumpmachine"},
                                {"-print-search-dirs"},
                                {"-print-prog-name=ld"},
                                {"-print-file-name=libc.so"},
                                {"-Wl,--version"},
                                {"-v"},
                                {}}) {
    Words stock = {GetParam().cpp};
    stock.insert(stock.end(), question.begin(), question.end());
    ChildResult expected = run(stock, path(""));
    ChildResult found = cpp(question);
    EXPECT_EQ(found.exit_code, expected.exit_code);
    EXPECT_EQ(found.output, expected.output);
    bool names_temporary_files = question == Words{"-v"} || question == Words{"-Wl,--version"};
    if (!names_temporary_files) {
      EXPECT_EQ(found.errors, expected.errors);
    }
  }
}

TEST_P(Drivers, ExitStatusIsTheCompilers) {
  write("broken.c", "int main(void) { return undeclared; }\n");
  EXPECT_EQ(cc({"-c", "broken.c"}).exit_code, run({GetParam().c, "-c", "broken.c"}, path("")).exit_code);
  EXPECT_EQ(cc({"main.c"}).exit_code, run({GetParam().c, "main.c"}, path("")).exit_code)
      << "a linker's error";
}

TEST_P(Drivers, Ccache) {
  Words environment = {"CCACHE_DIR=" + path("cache"), "CCACHE_STATSLOG=" + path("log"),
                       "CCACHE_CONFIGPATH=", "THRUM_CC=" + GetParam().c};
  Words arguments = {"main.c", "-c"};
  auto compile_twice = [&](Words command) {
    command.insert(command.end(), arguments.begin(), arguments.end());
    fs::remove(path("log"));
    for (int i = 0; i < 2; ++i) expect_done(run(command, path(""), environment));
    std::string log = read(path("log"));
    EXPECT_NE(log.find("cache_miss"), std::string::npos) << log;
    EXPECT_NE(log.find("direct_cache_hit"), std::string::npos) << log;
  };
  compile_twice({"ccache", driver("thrum-cc")});
  environment.back() = "THRUM_CC=ccache " + GetParam().c;
  compile_twice({driver("thrum-cc")});
  expect_done(run({driver("thrum-cc"), "main.o", "counter.c", "-o", "program"}, path(""), environment));
  expect_checkable("program");
}

TEST_P(Drivers, ThatLeadBackToThemselves) {
  ChildResult result = run({driver("thrum-cc"), "main.c"}, path(""), {"THRUM_CC=" + driver("thrum-cc")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find("leads back to Thrum's driver"), std::string::npos) << result.errors;
}

}  // namespace

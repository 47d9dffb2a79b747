// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects that carry their bitcode: each way of building ends in a native program that works, and whose
// section holds one module for each source file.
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include "endtoend.hpp"

namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

constexpr const char* kBitcodeNotice =
    "thrum: --bitcode adds -fno-vectorize -fno-slp-vectorize: the machine runs no vector code\n";

constexpr const char* kMainOfBitcode = R"(
#include "next.h"
#include <assert.h>
#include <pthread.h>
static void* run(void* argument) {
  next();
  return argument;
}
int main(int count, char** arguments) {
  (void)arguments;
  pthread_t thread;
  pthread_create(&thread, 0, run, 0);
  if (count > 1) pthread_join(thread, 0);
  next();
  if (count == 1) pthread_join(thread, 0);
  assert(next() == 3);
  return 0;
}
)";

constexpr const char* kNextOfBitcode = R"(
#include "next.h"
int next(void) {
  static int counter;
  int value = __atomic_load_n(&counter, __ATOMIC_SEQ_CST) + 1;
  __atomic_store_n(&counter, value, __ATOMIC_SEQ_CST);
  return value;
}
)";

class Bitcode : public EndToEnd {
 protected:
  void SetUp() override {
    EndToEnd::SetUp();
    write("main.c", kMainOfBitcode);
    write("next.c", kNextOfBitcode);
    write("next.h", "int next(void);\n");
    fs::create_directory(path("tmp"));
  }
  void TearDown() override {
    expect_nothing_left();
    EndToEnd::TearDown();
  }

  // The drivers' temporary files lie in a folder of the test.
  ChildResult driver(Words arguments, Words environment = {}, const std::string& name = "cc") {
    arguments.insert(arguments.begin(), {THRUM_PROGRAM, name});
    environment.push_back("TMPDIR=" + path("tmp"));
    return run(arguments, path(""), environment);
  }
  void expect_nothing_left() { EXPECT_TRUE(fs::is_empty(path("tmp"))); }
  void expect_done(const ChildResult& result) {
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.errors, kBitcodeNotice);
    expect_nothing_left();
  }
  // One clear line.
  void expect_refused(const ChildResult& result, const std::string& phrase) {
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.errors.find(phrase), std::string::npos) << result.errors;
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    expect_nothing_left();
  }

  // Writes the modules of the file's section into the folder of the test as NUMBER.bc, and returns their
  // names.
  Words modules_of(const std::string& file) {
    fs::remove(path("section"));
    run({"llvm-objcopy-19", "--dump-section", ".thrum.bc=section", file, "/dev/null"}, path(""));
    const std::string section = read(path("section"));
    const auto number_at = [&](std::size_t at) {
      std::uint64_t number = 0;
      section.copy(reinterpret_cast<char*>(&number), sizeof number, at);
      return number;
    };
    Words names;
    for (std::size_t at = 0; at + 24 <= section.size();) {
      EXPECT_EQ(section.substr(at, 8), "thrum.bc");
      const std::size_t bitcode = at + 24 + number_at(at + 16);
      names.push_back(section.substr(at + 24, number_at(at + 16)));
      write(std::to_string(names.size()) + ".bc", section.substr(bitcode, number_at(at + 8)));
      at = bitcode + number_at(at + 8);
      EXPECT_LE(at, section.size());
    }
    return names;
  }
  // A module as text.
  std::string module_text(int number) {
    ChildResult text = run({"llvm-dis-19", std::to_string(number) + ".bc", "-o", "-"}, path(""));
    EXPECT_EQ(text.exit_code, 0) << text.errors;
    return text.output;
  }
  void expect_program(const std::string& program, const Words& modules) {
    EXPECT_EQ(modules_of(program), modules);
    for (std::size_t i = 1; i <= modules.size(); ++i)
      EXPECT_NE(module_text(static_cast<int>(i)).find("tsan"), std::string::npos);
    ChildResult plain = run({path(program), "in-turn"}, path(""));
    EXPECT_EQ(plain.exit_code, 0) << plain.errors;
    const nlohmann::json result = check({program}, 1);
    EXPECT_EQ(result.at("tests").at(0).at("bugs").at(0).at("kind"), "assertion");
  }
};

TEST_F(Bitcode, InOneStep) {
  expect_done(driver({"--bitcode", "-O1", "main.c", "next.c", "-o", "program"}));
  expect_program("program", {"main.c", "next.c"});
  fs::remove(path("next.c"));
  expect_done(driver({"-O2", "./main.c", "--bitcode", "-r", "-nostdlib", "-o", "some.o"}));
  EXPECT_EQ(modules_of("some.o"), (Words{"./main.c"}));
}

TEST_F(Bitcode, InSeveralSteps) {
  expect_done(driver({"--bitcode", "-O1", "-c", path("main.c"), "next.c"}));
  ChildResult link = driver({"--bitcode", "main.o", "next.o", "-o", "program"});
  EXPECT_EQ(link.errors, "") << "nothing is compiled";
  expect_program("program", {path("main.c"), "next.c"});
  link = driver({"main.o", "next.o", "-o", "again"});
  EXPECT_EQ(link.errors, "");
  expect_program("again", {path("main.c"), "next.c"});
}

TEST_F(Bitcode, ByTheEnvironment) {
  expect_done(driver({"-c", "next.c", "-o", "other.o"}, {"THRUM_BITCODE=1"}));
  expect_done(driver({"main.c", "other.o", "-o", "program"}, {"THRUM_BITCODE=1", "THRUM_CC=clang-19"}));
  expect_program("program", {"main.c", "next.c"});
  EXPECT_EQ(driver({"-c", "next.c"}, {"THRUM_BITCODE=0"}).errors, "");
  EXPECT_EQ(modules_of("next.o"), (Words{}));
  expect_refused(driver({"-c", "next.c"}, {"THRUM_BITCODE=on"}), "THRUM_BITCODE");
}

TEST_F(Bitcode, Cpp) {
  write("catch.cpp",
        "#include <vector>\nint main() { try { return std::vector<int>().at(1); } "
        "catch (...) { return 0; } }\n");
  for (const char* level : {"-O0", "-O1", "-O2"}) {
    expect_done(driver({"--bitcode", level, "-std=c++20", "catch.cpp", "-o", "catch"}, {}, "c++"));
    EXPECT_EQ(modules_of("catch"), (Words{"catch.cpp"}));
    EXPECT_EQ(run({path("catch")}, path("")).exit_code, 0);
  }
}

// The same instructions come out as where clang does all at once.
TEST_F(Bitcode, TheObjectIsTheOneOfAnOrdinaryCompilation) {
  const auto code = [&](const std::string& object) {
    return run({"sh", "-c", "llvm-objdump-19 -d -r --no-show-raw-insn " + object + " | tail -n +3"}, path(""))
        .output;
  };
  for (const Words& flags : {Words{"-O0"},
                             {"-O1"},
                             {"-O2", "-fPIC"},
                             {"-Os", "-fno-pie", "-fno-plt"},
                             {"-O3", "-march=x86-64-v3", "-fomit-frame-pointer", "-ffunction-sections"}}) {
    Words carrying = {"--bitcode", "-c", "main.c", "-o", "one.o"};
    Words ordinary = {"-c", "main.c", "-o", "two.o", "-fno-vectorize", "-fno-slp-vectorize"};
    carrying.insert(carrying.end(), flags.begin(), flags.end());
    ordinary.insert(ordinary.end(), flags.begin(), flags.end());
    expect_done(driver(carrying));
    EXPECT_EQ(driver(ordinary, {"THRUM_CC=clang-19"}).errors, "");
    const std::string expected = code("two.o");
    EXPECT_GT(expected.size(), 500U);
    EXPECT_EQ(code("one.o"), expected) << flags[0];
  }
}

TEST_F(Bitcode, NoVectors) {
  write("sum.c", "int sum(int* p) { int s = 0; for (int i = 0; i < 1024; ++i) s += p[i] * 3; return s; }\n");
  expect_done(driver({"--bitcode", "-O3", "-fvectorize", "-c", "sum.c"}));
  modules_of("sum.o");
  EXPECT_EQ(module_text(1).find(" x i32>"), std::string::npos) << "although the user asked for them";
}

// The text of a dependency file in one line for each target, without the header that the drivers add.
std::string dependencies(std::string text) {
  text = std::regex_replace(text, std::regex(" \\\\\n +"), " ");
  text = std::regex_replace(text, std::regex("\n[^\n ]*/clang_atomics\\.h:"), "");
  return std::regex_replace(text, std::regex(" [^ \n]*/clang_atomics\\.h"), "");
}

TEST_F(Bitcode, DependencyFiles) {
  const std::string rest = ": main.c next.h\n";
  expect_done(driver({"--bitcode", "-MMD", "-c", "main.c", "-o", "a b.o"}));
  EXPECT_EQ(dependencies(read(path("a b.d"))), "a\\ b.o" + rest);
  expect_done(driver({"--bitcode", "-MMD", "-c", "main.c", "next.c"}));
  EXPECT_EQ(dependencies(read(path("main.d"))), "main.o" + rest);
  EXPECT_EQ(dependencies(read(path("next.d"))), "next.o: next.c next.h\n");
  expect_done(driver({"--bitcode", "-MMD", "-MF", "deps", "-c", "main.c", "-o", "c.o"}));
  EXPECT_EQ(dependencies(read(path("deps"))), "c.o" + rest);
  expect_done(driver({"--bitcode", "-MMD", "-MT", "x", "-MQ", "y$", "-c", "main.c", "-o", "e.o"}));
  EXPECT_EQ(dependencies(read(path("e.d"))), "x y$$" + rest);
  expect_done(
      driver({"--bitcode", "-MMD", "-MT", "z.lo", "-MP", "-MF", "f.Tpo", "-c", "main.c", "-o", "z.o"}));
  EXPECT_EQ(dependencies(read(path("f.Tpo"))), "z.lo" + rest + "next.h:\n");
  expect_done(driver({"--bitcode", "-Wp,-MMD,wp.d", "-c", "main.c", "-o", "g.o"}));
  EXPECT_EQ(dependencies(read(path("wp.d"))), "g.o" + rest);
  expect_done(driver({"--bitcode", "-MMD", "main.c", "next.o", "-o", "program"}));
  EXPECT_EQ(dependencies(read(path("program.d"))), "program" + rest);
}

TEST_F(Bitcode, Coverage) {
  fs::create_directory(path("sub"));
  expect_done(driver({"--bitcode", "--coverage", "-c", "next.c", "-o", "sub/next.o"}));
  expect_done(driver({"--bitcode", "--coverage", "main.c", "sub/next.o", "-o", "program"}));
  EXPECT_EQ(run({path("program"), "in-turn"}, path("")).exit_code, 0);
  for (const char* file : {"sub/next.gcno", "sub/next.gcda", "program-main.gcno", "program-main.gcda"})
    EXPECT_TRUE(fs::exists(path(file))) << file;
}

TEST_F(Bitcode, OtherInputs) {
  write("plain.s", ".globl seven\nseven: mov $7, %eax\nret\n.section .note.GNU-stack\n");
  write("seven.txt", "int seven(void);\nint main(void) { return seven() - 7; }\n");
  expect_done(driver({"--bitcode", "plain.s", "-x", "c", "seven.txt", "-o", "program"}));
  EXPECT_EQ(run({path("program")}, path("")).exit_code, 0);
  EXPECT_EQ(modules_of("program"), (Words{"seven.txt"}));
  ChildResult plain = driver({"--bitcode", "-c", "plain.s"});
  EXPECT_EQ(plain.errors, "") << plain.errors;
  expect_done(driver({"--bitcode", "-c", "-xc", "seven.txt", "-xassembler", "plain.s"}));
  EXPECT_EQ(modules_of("plain.o"), (Words{}));
  EXPECT_EQ(modules_of("seven.o"), (Words{"seven.txt"}));

  write("words", "-c \"main.c\"\n-DA='x y' -o \"with space.o\" --bitcode");
  expect_done(driver({"@words"}));
  EXPECT_EQ(modules_of("with space.o"), (Words{"main.c"}));
  const std::string input =
      "echo 'int f(void) { return 1; }' | " THRUM_PROGRAM " cc --bitcode -x c - -c -o f.o";
  EXPECT_EQ(run({"sh", "-c", input}, path("")).errors, kBitcodeNotice);
  EXPECT_EQ(modules_of("f.o"), (Words{"-"}));
  expect_done(
      driver({"--bitcode", "-Werror", "-Wall", "-c", "main.c", "-lm", "-L.", "-Wl,-z,now", "-o", "m.o"}));
}

TEST_F(Bitcode, ACommandLongerThanTheKernelTakes) {
  std::string words = "-c main.c -o long.o --bitcode '-DX=\\\"a b\\\"'";
  for (int i = 0; i < 3000; ++i)
    words += " -Isome/folder/of/a/large/project/with/long/names/" + std::to_string(i);
  write("words", words);
  expect_done(driver({"@words"}));
  EXPECT_EQ(modules_of("long.o"), (Words{"main.c"}));
}

TEST_F(Bitcode, WithoutObjectsItIsTheCompiler) {
  EXPECT_NE(driver({"--bitcode", "-E", "next.c"}).output.find("int next(void)"), std::string::npos);
  EXPECT_NE(driver({"--bitcode", "-S", "next.c", "-o", "-"}).output.find(".globl\tnext"), std::string::npos);
  EXPECT_NE(driver({"--bitcode", "--version"}).output.find("clang version 19"), std::string::npos);
  EXPECT_EQ(dependencies(driver({"--bitcode", "-M", "next.c"}).output), "next.o: next.c next.h\n");
  EXPECT_EQ(driver({"--bitcode", "-c", "main.c", "next.c", "-o", "x.o"}).exit_code, 1);
}

TEST_F(Bitcode, SpecialFilesStay) {
  expect_done(driver({"--bitcode", "-c", "main.c", "-o", "/dev/null"}));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Bitcode, Failures) {
  write("wrong.c", "int f( {\n");
  write("wrong.o", "old");
  ChildResult result = driver({"--bitcode", "-c", "wrong.c", "next.c"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("wrong.c:1:"), std::string::npos);
  EXPECT_FALSE(fs::exists(path("wrong.o")));
  EXPECT_TRUE(fs::exists(path("next.o"))) << "the others are compiled";
  expect_nothing_left();
  EXPECT_EQ(driver({"--bitcode", "main.c", "wrong.c", "-o", "p"}).exit_code, 1);
  result = driver({"--bitcode", "main.c", "-o", "p"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("undefined"), std::string::npos);
  EXPECT_FALSE(fs::exists(path("p")));
  expect_nothing_left();
  EXPECT_NE(driver({"--bitcode", "-c", "main.c", "-o", "no/folder/x.o"}).exit_code, 0);
}

TEST_F(Bitcode, Refused) {
  expect_refused(driver({"--bitcode", "-c", "main.c"}, {"THRUM_CC=gcc"}),
                 "--bitcode: takes clang 19, and THRUM_CC");
  expect_refused(driver({"--bitcode", "-c", "main.c"}, {"THRUM_CC=no-such-compiler"}), "cannot be run");
  expect_refused(driver({"--bitcode", "-flto=thin", "-c", "main.c"}), "-flto=thin: does not go together");
  expect_refused(driver({"--bitcode", "-static", "main.c"}), "-static");
  expect_refused(run({"env", "PATH=" + path(""), THRUM_PROGRAM, "cc", "--bitcode", "-c", "main.c"}, path("")),
                 "clang-19: cannot be run");
  EXPECT_FALSE(fs::exists(path("main.o")));
}

// The compiler is stopped in the middle of its work.
TEST_F(Bitcode, SignalsLeaveNothing) {
  write("fake-clang",
        "#!/bin/sh\ncase \"$*\" in *--version) exec clang-19 --version;; esac\n"
        "touch started; exec sleep 60\n");
  fs::permissions(path("fake-clang"), fs::perms::owner_all);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    fs::remove(path("started"));
    setenv("THRUM_CC", path("fake-clang").c_str(), 1);
    setenv("TMPDIR", path("tmp").c_str(), 1);
    const pid_t process = start({"cc", "--bitcode", "-c", "main.c"});
    unsetenv("THRUM_CC");
    unsetenv("TMPDIR");
    while (!fs::exists(path("started"))) usleep(1000);
    EXPECT_FALSE(fs::is_empty(path("tmp")));
    kill(process, signal);
    int status = 0;
    waitpid(process, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
    expect_nothing_left();
    EXPECT_EQ(children_of(process), (std::vector<pid_t>{}));
  }
}

}  // namespace

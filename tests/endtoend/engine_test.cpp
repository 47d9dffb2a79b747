// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --engine vm from the outside, as far as the command line alone decides: what it refuses, in one line, and
// what it says of programs without bitcode. What traces say of the engine.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "endtoend.hpp"

namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

constexpr const char* kTwoThreads = R"(
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static void* run(void* argument) {
  pthread_mutex_lock(&mutex);
  ++counter;
  pthread_mutex_unlock(&mutex);
  return argument;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, run, 0);
  run(0);
  pthread_join(thread, 0);
  return counter - 2;
}
)";

class Engine : public EndToEnd {
 protected:
  void SetUp() override {
    EndToEnd::SetUp();
    write("two.c", kTwoThreads);
  }
  void expect_refused(const ChildResult& result, const std::string& phrase) {
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_NE(result.errors.find(phrase), std::string::npos) << result.errors;
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    EXPECT_EQ(result.output, "");
  }
  // Compiles with the driver in the folder of the test.
  void compile(Words arguments, const Words& environment = {}) {
    arguments.insert(arguments.begin(), {THRUM_PROGRAM, "cc"});
    EXPECT_EQ(run(arguments, path(""), environment).exit_code, 0);
  }
  // An installation without thrum-vm.
  std::string thrum_alone() {
    const fs::path prefix = fs::path(THRUM_PROGRAM).parent_path().parent_path();
    fs::create_directories(path("prefix/bin"));
    fs::create_directories(path("prefix/lib/thrum"));
    fs::create_directory_symlink(prefix / "include", path("prefix/include"));
    fs::copy_file(THRUM_PROGRAM, path("prefix/bin/thrum"));
    for (const fs::directory_entry& file : fs::directory_iterator(prefix / "lib/thrum")) {
      if (file.path().filename() != "thrum-vm")
        fs::create_symlink(file.path(), path("prefix/lib/thrum") / file.path().filename());
    }
    return path("prefix/bin/thrum");
  }
};

TEST_F(Engine, ThatIsNotInstalled) {
  const std::string alone = thrum_alone();
  compile({"--bitcode", "-O1", "two.c", "-o", "program"});
  expect_refused(run({alone, "check", "--engine", "vm", "program"}, path("")),
                 "lib/thrum/thrum-vm is not there");
  expect_refused(run({alone, "check", "--engine", "vm", example("refcount.cpp")}, path("")),
                 "lib/thrum/thrum-vm is not there");
  const std::string found = run({alone, "doctor"}, path(""), {"THRUM_CXX=g++"}).output;
  EXPECT_NE(found.find("-- thrum-vm"), std::string::npos) << found;
  EXPECT_NE(found.find("ok llvm-objcopy-19"), std::string::npos) << found;
}

TEST_F(Engine, WhatItDoesNotHaveYet) {
  const std::vector<Words> options = {{"--coverage", "values"}, {"--threads", "system"},
                                      {"--strategy", "mcr"},    {"--strategy", "mcr-classic"},
                                      {"--focus-method", "f"},  {"--focus-var", "v"}};
  for (const Words& option : options) {
    Words command = {"check", "--engine", "vm"};
    command.insert(command.end(), option.begin(), option.end());
    command.emplace_back("program");
    const ChildResult result = thrum(command);
    expect_refused(result, "--engine vm: has no ");
    const auto name = std::find_if(option.rbegin(), option.rend(),
                                   [](const std::string& word) { return word.starts_with("--"); });
    EXPECT_NE(result.errors.find(*name), std::string::npos) << result.errors;
  }
  EXPECT_FALSE(fs::exists(path("file")));
  expect_refused(thrum({"check", "--engine", "vm", "program"}), "program: No such file");
}

TEST_F(Engine, CheckpointsAreOfOneEngine) {
  compile({"-O1", "two.c", "-o", "program"});
  thrum({"check", "--checkpoint", "file", "--executions", "1", "program"});
  ASSERT_TRUE(fs::exists(path("file")));
  expect_refused(thrum({"check", "--engine", "vm", "--resume", "file"}), "--engine was given otherwise then");
}

TEST_F(Engine, ProgramsWithoutBitcode) {
  write("main.c", "int other(void);\nint main(void) { return other(); }\n");
  write("other.c", "int other(void) { return 0; }\n");
  write("plain.s", ".globl plain\nplain: ret\n.section .note.GNU-stack\n");
  const Words vm = {"check", "--engine", "vm", "program"};

  compile({"main.c", "other.c", "-o", "program"});
  expect_refused(
      thrum(vm),
      "program: has no bitcode: main.c (compiled by gcc), other.c (compiled by gcc); compile with");
  compile({"main.c", "other.c", "-o", "program"}, {"THRUM_CC=clang-19"});
  expect_refused(thrum(vm), "has no bitcode: main.c (compiled without --bitcode), other.c (compiled without");
  compile({"-g0", "main.c", "other.c", "-o", "program"});
  expect_refused(thrum(vm), "has no bitcode, nor debug information");

  compile({"--bitcode", "-c", "main.c"});
  compile({"-c", "other.c"});
  compile({"main.o", "other.o", "-o", "program"});
  expect_refused(thrum(vm),
                 "program: lacks bitcode of other.c (compiled by gcc); compile with thrum c++ --bitcode");
  compile({"--bitcode", "main.c", "other.c", "-g", "plain.s", "-o", "program"});
  expect_refused(thrum(vm), "lacks bitcode of plain.s (assembler)");

  // The section's first record is overwritten.
  compile({"--bitcode", "main.c", "other.c", "-o", "program"});
  std::string text = read(path("program"));
  text[text.find("thrum.bc") + 3] = 'X';
  write("program", text);
  expect_refused(thrum(vm), "section .thrum.bc is damaged (no record at byte 0)");
}

TEST_F(Engine, SourcesThatDoNotCompile) {
  write("wrong.c", "int main( {\n");
  ChildResult result = run({THRUM_PROGRAM, "check", "wrong.c"}, path(""), {"THRUM_BITCODE=1"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find("does not compile"), std::string::npos) << result.errors;
}

// A search by the native engine of what was compiled with --bitcode, and its trace.
TEST_F(Engine, TracesSayTheEngineAndTheCode) {
  const auto replay = [&](const Words& options) {
    Words command = {"replay", "thrum-out/bug-1.trace.json"};
    command.insert(command.end(), options.begin(), options.end());
    return thrum(command);
  };
  ChildResult found = run({THRUM_PROGRAM, "check", "--json", "result.json", example("refcount.cpp")},
                          path(""), {"THRUM_BITCODE=1"});
  EXPECT_EQ(found.exit_code, 1) << found.errors;
  EXPECT_EQ(found.errors.find("thrum: --bitcode adds"), 0U);
  EXPECT_EQ(std::count(found.errors.begin(), found.errors.end(), '\n'), 1) << found.errors;
  EXPECT_EQ(nlohmann::json::parse(read(path("result.json"))).at("tests").at(0).at("engine"), "native");
  auto trace = nlohmann::json::parse(read(path("thrum-out/bug-1.trace.json")));
  EXPECT_EQ(trace.at("options").at("engine"), "native");
  EXPECT_EQ(trace.at("bitcode"), true);
  EXPECT_EQ(replay({"--json", "replay.json"}).exit_code, 1);
  EXPECT_EQ(nlohmann::json::parse(read(path("replay.json"))).at("engine"), "native");

  check({example("refcount.cpp")}, 1);
  trace = nlohmann::json::parse(read(path("thrum-out/bug-1.trace.json")));
  EXPECT_EQ(trace.at("bitcode"), false);
  expect_refused(replay({"--engine", "vm"}), "compiled without --bitcode");
  expect_refused(replay({"--engine", "vm", "--threads", "system"}), "has no --threads system");
  expect_refused(replay({"--engine", "jet"}), "--engine");
}

TEST_F(Engine, ReplayOfAProgramWithoutBitcode) {
  check({build(example("refcount.cpp"))}, 1);
  expect_refused(thrum({"replay", "--engine", "vm", "thrum-out/bug-1.trace.json"}),
                 "refcount.cpp (compiled by g++)");
}

TEST_F(Engine, SuitesOfAProgramWithoutBitcode) {
  compile({"-O1", "two.c", "-o", "program"});
  check({"--strategy", "unfolding", "--suite", "file", "program"}, 0);
  ASSERT_TRUE(fs::exists(path("file")));
  expect_refused(thrum({"replay", "--engine", "vm", "file"}), "has no bitcode");
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What builds with the compiler builds with ours, and is searched: warnings as errors, coverage, C and C++
// with the compiler's own extensions.
#include <filesystem>
#include <string>
#include <vector>

#include "endtoend.hpp"

namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

class Builds : public EndToEnd {
 protected:
  ChildResult compile(const std::string& text, Words flags, const std::string& compiler = "g++") {
    write("program.cpp", text);
    Words command = {THRUM_PROGRAM, "c++", "-std=c++20", "-g", "program.cpp", "-o", "program"};
    command.insert(command.end(), flags.begin(), flags.end());
    return run(command, path(""), {"THRUM_CXX=" + compiler});
  }
  // Builds it without a word.
  void build_silently(const std::string& text, Words flags, const std::string& compiler = "g++") {
    ChildResult result = compile(text, std::move(flags), compiler);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
  }
  json check_program(const std::string& program, int exit_code) {
    return check({program}, exit_code).at("tests").at(0);
  }
};

// ---- Warnings as errors --------------------------------------------------------------------------

constexpr const char* kFences = R"(
#include <atomic>
#include <thread>
std::atomic<int> ready{0};
int data = 0;
int main() {
  std::thread a([] {
    data = 1;
    std::atomic_thread_fence(std::memory_order_release);
    ready.store(1, std::memory_order_relaxed);
  });
  if (ready.load(std::memory_order_relaxed) == 1) {
    std::atomic_thread_fence(std::memory_order_acquire);
    if (data != 1) return 1;
  }
  a.join();
})";

TEST_F(Builds, FencesAreNoErrors) {
  build_silently(kFences, {"-O1", "-Wall", "-Wextra", "-Werror"});
  EXPECT_EQ(check_program("program", 0).at("verdict"), "exhausted");
  build_silently(kFences, {"-O2", "-Wall", "-Wextra", "-Werror"}, "clang++-19");
}

TEST_F(Builds, FencesThatAreMissingAreFound) {
  std::string text = kFences;
  const std::string fence = "std::atomic_thread_fence(std::memory_order_release);";
  text.erase(text.find(fence), fence.size());
  build_silently(text, {"-O1", "-Wall", "-Werror"});
  EXPECT_EQ(check_program("program", 1).at("bugs").at(0).at("kind"), "data-race");
}

TEST_F(Builds, OtherWarningsAreErrorsStill) {
  ChildResult result =
      compile("int main(int count, char**) { int unused; unsigned n = 3; return count < n; }",
              {"-O1", "-Wall", "-Wextra", "-Werror"});
  EXPECT_EQ(result.exit_code, 1);
  for (const char* warning : {"[-Werror=unused-variable]", "[-Werror=sign-compare]"})
    EXPECT_NE(result.errors.find(warning), std::string::npos) << warning << "\n" << result.errors;
}

constexpr const char* kAtomicPointer = R"(
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>
std::atomic<std::shared_ptr<int>> p{std::make_shared<int>(0)};
int main() {
  auto add = [] { CHANGE };
  std::jthread x(add), y(add);
  x.join();
  y.join();
  assert(*p.load() == 2);
})";

std::string atomic_pointer(const std::string& change) {
  std::string text = kAtomicPointer;
  return text.replace(text.find("CHANGE"), 6, change);
}

TEST_F(Builds, AtomicSharedPointersAreNoErrors) {
  build_silently(atomic_pointer("p.store(std::make_shared<int>(*p.load() + 1));"),
                 {"-O1", "-Wall", "-Werror"});
  EXPECT_EQ(check_program("program", 1).at("bugs").at(0).at("kind"), "assertion") << "a lost update";
  build_silently(atomic_pointer("auto old = p.load(std::memory_order_acquire);\n"
                                "while (!p.compare_exchange_strong(old, std::make_shared<int>(*old + 1),\n"
                                "                                  std::memory_order_acq_rel)) {}"),
                 {"-O2", "-Wall", "-Wextra", "-Werror"});
  EXPECT_TRUE(check({"--bound", "preemptions=1", "program"}, 0).at("tests").at(0).at("bugs").empty());
}

// ---- Coverage ------------------------------------------------------------------------------------

std::string adding(const std::string& sum) {
  return "#include <atomic>\n#include <thread>\n" + sum + R"( sum{0};
static void add(int n) { if (n > 0) sum += n; }
int main() {
  std::thread a(add, 1), b(add, 2);
  a.join();
  b.join();
})";
}

struct Coverage {
  const char* compiler;
  Words flags;
};

const Coverage kCoverages[] = {
    {"g++", {"--coverage"}},
    {"g++", {"--coverage", "-pthread", "-O2"}},
    {"clang++-19", {"--coverage"}},
    {"clang++-19", {"-fprofile-instr-generate", "-fcoverage-mapping"}},
};

TEST_F(Builds, CountersOfCoverageAreNoData) {
  for (const Coverage& coverage : kCoverages) {
    SCOPED_TRACE(std::string(coverage.compiler) + " " + coverage.flags.front());
    build_silently(adding("std::atomic<int>"), coverage.flags, coverage.compiler);
    json test = check_program("program", 0);
    EXPECT_EQ(test.at("verdict"), "exhausted") << test.at("reason");
    EXPECT_EQ(test.at("executions"), 2) << "as without counters";
  }
}

TEST_F(Builds, RacesAreFoundWithCoverageToo) {
  for (const Coverage& coverage : kCoverages) {
    SCOPED_TRACE(std::string(coverage.compiler) + " " + coverage.flags.front());
    build_silently(adding("int"), coverage.flags, coverage.compiler);
    EXPECT_EQ(check_program("program", 1).at("bugs").at(0).at("kind"), "data-race");
  }
}

// ---- Sources given to check ----------------------------------------------------------------------

constexpr const char* kReadWriteLock = R"(
#include <pthread.h>
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int n;
static void *reader(void *p) {
  pthread_rwlock_rdlock(&lock);
  int seen = n;
  pthread_rwlock_unlock(&lock);
  return seen ? p : 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, reader, 0);
  WRITE;
  pthread_join(t, 0);
  return 0;
}
)";

TEST_F(Builds, SourcesAreGnuC) {
  std::string text = kReadWriteLock;
  text.replace(text.find("WRITE"), 5, "pthread_rwlock_wrlock(&lock); n = 1; pthread_rwlock_unlock(&lock)");
  EXPECT_EQ(check_program(write("locked.c", text), 0).at("verdict"), "exhausted");
  std::string wrong = kReadWriteLock;
  wrong.replace(wrong.find("WRITE"), 5, "n = 1");
  EXPECT_EQ(check_program(write("unlocked.c", wrong), 1).at("bugs").at(0).at("kind"), "data-race");
  write("old.c", "#include <pthread.h>\npthread_rwlock_t lock;\nint main(void) { return 0; }\n");
  ChildResult strict = thrum({"check", "old.c", "--compile-flags=-std=c11"});
  EXPECT_EQ(strict.exit_code, 2) << "the user's own flag overrules: " << strict.output;
}

TEST_F(Builds, SourcesAreGnuCpp) {
  EXPECT_EQ(check_program(write("extended.cpp", R"(
#include <thread>
#ifdef __STRICT_ANSI__
#error "not gnu++20"
#endif
static_assert(__cplusplus == 202002L);
int main() {
  auto size = [](auto value) { typeof(value) copy = value; return copy ?: 1; };
  std::thread([&] { size(2); }).join();
})"),
                          0)
                .at("verdict"),
            "exhausted");
}

// ---- Threads of libraries ------------------------------------------------------------------------

constexpr const char* kOpenMp = R"(
#include <cassert>
int main() {
  int sum = 0;
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 4; ++i) sum += i;
  assert(sum == 6);
})";

TEST_F(Builds, OpenMpGetsALineOfAdvice) {
  build_silently(kOpenMp, {"-fopenmp"});
  json test = check_program("program", 3);
  EXPECT_EQ(test.at("verdict"), "inconclusive");
  const std::string advice = test.at("advice");
  EXPECT_TRUE(advice.starts_with("libgomp.so.1 is the OpenMP runtime of GCC (-fopenmp). Check")) << advice;
  EXPECT_NE(thrum({"check", "program"}).output.find("libgomp.so.1 is the OpenMP runtime"), std::string::npos);
}

TEST_F(Builds, WithoutOpenMpTheSameLoopNeedsNone) {
  build_silently(kOpenMp, {});
  json test = check_program("program", 0);
  EXPECT_EQ(test.at("verdict"), "exhausted");
  EXPECT_FALSE(test.contains("advice"));
}

TEST_F(Builds, AnyLibraryWithThreadsGetsAdvice) {
  write("pool.c",
        "#include <pthread.h>\nstatic void* work(void* p) { return p; }\n"
        "void start(void) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); }\n");
  EXPECT_EQ(run({"gcc", "-shared", "-fPIC", "pool.c", "-o", "libpool.so"}, path("")).exit_code, 0);
  build_silently("extern \"C\" void start();\nint main() { start(); }\n",
                 {"-L.", "-lpool", "-Wl,-rpath,$ORIGIN"});
  json test = check_program("program", 3);
  EXPECT_EQ(
      test.at("advice"),
      "libpool.so starts threads of its own. Build it with thrum-cc or thrum-c++, so that they are seen.");
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Libraries: loaded while the program runs, instrumented or not, with threads of their own.
#include "endtoend.hpp"

namespace {

using nlohmann::json;

// Adds to a counter in two steps, as wrong as it gets with two threads, or in one.
constexpr char kPlugin[] = R"(
#include <atomic>
#include <string>
#include <vector>
std::atomic<int> counter;
thread_local std::vector<std::string> calls;
struct Early { Early() { counter.store(100); } } early;
extern "C" int add() {
  calls.push_back("a call with a string that is too long to be stored in place");
#ifdef WRONG
  int old = counter.load();
  counter.store(old + 1);
#else
  counter.fetch_add(1);
#endif
  return static_cast<int>(calls.size());
}
extern "C" int total() { return counter.load() - 100; }
)";

// WHERE: 0 loads in main before threads, 1 in main with threads, 2 in both threads.
constexpr char kUser[] = R"(
#include <dlfcn.h>
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> turns;
void* load() {
  void* library = dlopen("libplugin.so", RTLD_NOW);
  if (!library) throw dlerror();
  return library;
}
void use(void* library) {
  auto add = reinterpret_cast<int (*)()>(dlsym(library, "add"));
  assert(add() == 1);
}
int main() {
  void* library = WHERE == 0 ? load() : nullptr;
  auto body = [&] {
    turns.fetch_add(1);
    use(WHERE == 2 ? load() : library ? library : load());
  };
  if (WHERE == 1) {
    std::thread([] {}).join();
    library = load();
  }
  std::thread a(body);
  std::thread b(body);
  a.join();
  b.join();
  auto total = reinterpret_cast<int (*)()>(dlsym(load(), "total"));
  assert(total() == 2);
  dlclose(load());
}
)";

class Library : public EndToEnd, public testing::WithParamInterface<int> {
 protected:
  void compile(const std::vector<std::string>& arguments) {
    std::vector<std::string> command = {THRUM_PROGRAM, "c++", "-std=c++20", "-O1", "-g"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    ChildResult result = run(command, path(""));
    ASSERT_EQ(result.exit_code, 0) << result.errors;
  }
  void make_plugin(const std::string& flag) {
    write("plugin.cpp", kPlugin);
    compile({"-shared", "-fPIC", flag, "plugin.cpp", "-o", "libplugin.so"});
  }
  static bool assumes(const json& result, const std::string& kind) {
    for (const json& assumption : result["tests"][0]["guarantee"]["assumptions"]) {
      if (assumption["kind"] == kind) return true;
    }
    return false;
  }
};

TEST_P(Library, LoadedWhileTheProgramRuns) {
  write("user.cpp", kUser);
  // The library is found by the program's own search path.
  compile({"-DWHERE=" + std::to_string(GetParam()), "user.cpp", "-o", "user", "-ldl", "-Wl,-rpath,$ORIGIN"});
  make_plugin("-DRIGHT");
  EXPECT_EQ(run({path("user")}, "/").exit_code, 0);
  json right = check({path("user")}, 0);
  EXPECT_EQ(right["verdict"], "exhausted");
  EXPECT_EQ(right["tests"][0]["complete"], true);
  EXPECT_TRUE(GetParam() == 0 || assumes(right, "loaded-early"));
  EXPECT_GT(right["tests"][0]["executions"], 5);

  make_plugin("-DWRONG");
  json wrong = check({path("user")}, 1);
  EXPECT_EQ(wrong["tests"][0]["bugs"][0]["kind"], "assertion");
  EXPECT_EQ(wrong["tests"][0]["bugs"][0]["preemptions"], 1);
  ChildResult replayed = thrum({"replay", "thrum-out/bug-1.trace.json"});
  EXPECT_EQ(replayed.exit_code, 1) << replayed.output << replayed.errors;
  EXPECT_NE(replayed.output.find("plugin.cpp"), std::string::npos) << replayed.output;
}

INSTANTIATE_TEST_SUITE_P(Where, Library, testing::Values(0, 1, 2));

TEST_F(Library, ThatIsNotThere) {
  std::string source = write("missing.cpp", R"(
#include <dlfcn.h>
#include <cassert>
#include <cstring>
#include <thread>
int main() {
  std::thread([] {
    assert(dlopen("libnothere.so.7", RTLD_LAZY) == nullptr);
    assert(std::strstr(dlerror(), "libnothere.so.7"));
    assert(dlerror() == nullptr);
    assert(dlopen(nullptr, RTLD_LAZY) != nullptr);
    assert(dlopen("libm.so.6", RTLD_LAZY) != nullptr);
    assert(dlsym(RTLD_DEFAULT, "no_such_name") == nullptr && dlerror() != nullptr);
  }).join();
}
)");
  EXPECT_EQ(check({source}, 0)["verdict"], "exhausted");
}

TEST_F(Library, LoadedByLibc) {
  std::string source = write("convert.cpp", R"(
#include <iconv.h>
#include <thread>
int main() { std::thread([] { iconv_open("UTF-16", "EBCDIC-US"); }).join(); }
)");
  json result = check({source}, 3);
  auto reason = result["tests"][0]["reason"].get<std::string>();
  EXPECT_NE(reason.find("libc loads"), std::string::npos) << reason;
}

TEST_F(Library, WithThreadsOfItsOwn) {
  write("loop.cpp", "#include <cstdio>\nint main() {\n#pragma omp parallel\n  std::puts(\"hello\");\n}\n");
  json result = check({path("loop.cpp"), "--compile-flags", "-fopenmp"}, 3);
  auto reason = result["tests"][0]["reason"].get<std::string>();
  EXPECT_NE(reason.find("libgomp"), std::string::npos) << reason;

  // A library built by the plain compiler, with std::thread.
  write("starter.cpp", "#include <thread>\nvoid start() { std::thread([] {}).join(); }\n");
  write("main.cpp", "void start();\nint main() { start(); }\n");
  ChildResult built = run({"g++", "-shared", "-fPIC", "starter.cpp", "-o", "libstarter.so"}, path(""));
  ASSERT_EQ(built.exit_code, 0) << built.errors;
  result = check({path("main.cpp"), "--compile-flags", path("libstarter.so")}, 3);
  reason = result["tests"][0]["reason"].get<std::string>();
  EXPECT_NE(reason.find("libstarter.so starts a thread"), std::string::npos) << reason;
  EXPECT_TRUE(assumes(result, "uninstrumented-modules"));

  // And before main.
  write(
      "starter.cpp",
      "#include <thread>\nstruct Early { Early() { std::thread([] {}).join(); } } early;\nvoid start() {}\n");
  built = run({"g++", "-shared", "-fPIC", "starter.cpp", "-o", "libstarter.so"}, path(""));
  ASSERT_EQ(built.exit_code, 0) << built.errors;
  result = check({path("main.cpp"), "--compile-flags", path("libstarter.so")}, 3);
  reason = result["tests"][0]["reason"].get<std::string>();
  EXPECT_NE(reason.find("libstarter.so starts a thread"), std::string::npos) << reason;

  write("tasks.cpp",
        "#include <tbb/parallel_for.h>\n#include <atomic>\nint main() { std::atomic<int> sum{0};\n"
        "  tbb::parallel_for(0, 1000, [&](int i) { sum += i; }); }\n");
  result = check({path("tasks.cpp"), "--compile-flags", "-ltbb"}, 3);
  reason = result["tests"][0]["reason"].get<std::string>();
  EXPECT_NE(reason.find("libtbb"), std::string::npos) << reason;
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that do their worst: each gets its report, and nothing of it stays behind.
#include <sys/auxv.h>

#include <filesystem>
#include <set>

#include "endtoend.hpp"

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// One of four schedules goes wild: where the second thread reads between the writes of the first.
constexpr const char* kFrame = R"(
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <atomic>
#include <thread>
#include <vector>
std::atomic<int> turn;
void go_wild();
int main() {
  std::thread a([] { turn = 1; turn = 2; });
  std::thread b([] { if (turn == 1) go_wild(); });
  a.join();
  b.join();
}
)";

struct Wild {
  const char* name;
  const char* code;
  const char* finding;  // the kind of its bug, or what the reason holds
  std::vector<std::string> words = {};
};

const Wild kWild[] = {
    {"heap_smasher",
     "void go_wild() { volatile char* p = static_cast<char*>(malloc(8));"
     "  for (long i = 0; i < (1l << 22); ++i) p[i] = 0x41; }",
     "buffer-overflow"},
    {"stack_overflow",
     "volatile int depth;"
     "int dive(int n) { volatile char big[4096]; big[n % 4096] = 1; return depth = dive(n + 1) + big[0]; }"
     "void go_wild() { dive(0); }",
     "stack-overflow"},
    {"stack_smasher",
     "__attribute__((noinline)) void fill(volatile char* p) { for (int i = 0; i < 4096; ++i) p[i] = 0x41; }"
     "void go_wild() { char small[8]; fill(small); }",
     "crash"},
    {"leaves", "void go_wild() { _exit(3); }", "nonzero-exit"},
    {"leaves_by_system_call", "void go_wild() { syscall(SYS_exit_group, 7); }", "nonzero-exit"},
    {"signal_games",
     "void go_wild() { sigset_t all; sigfillset(&all); pthread_sigmask(SIG_BLOCK, &all, nullptr);"
     "  struct sigaction action = {}; action.sa_handler = [](int) { for (;;) { } };"
     "  for (int i = 1; i < 65; ++i) sigaction(i, &action, nullptr);"
     "  *reinterpret_cast<volatile int*>(8) = 1; }",
     "crash"},
    {"kills_itself", "void go_wild() { syscall(SYS_kill, syscall(SYS_getpid), SIGKILL); }", "crash"},
    // The handler of the runtime has no thread pointer to stand on: the worker dies.
    {"loses_thread_pointer",
     "void go_wild() { turn.load(); asm volatile(\"wrfsbase %0; movl $1, 8\" :: \"r\"(0l) : \"memory\"); }",
     "crash"},
    {"memory_hog",
     "void go_wild() { std::vector<char*> all; for (;;) {"
     "  char* more = static_cast<char*>(malloc(1 << 20)); memset(more, 1, 1 << 20); all.push_back(more); } }",
     "--program-memory",
     {"--program-memory", "48M"}},
    {"mapping_hog",
     "void go_wild() { for (;;) memset(mmap(nullptr, 1 << 22, PROT_READ | PROT_WRITE,"
     "  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, 1 << 22); }",
     "--program-memory",
     {"--program-memory", "48M"}},
    {"endless_loop", "void go_wild() { for (;;) asm volatile(\"\"); }", "hang", {"--hang", "1"}},
    {"endless_work", "void go_wild() { for (;;) turn = turn + 1; }", "--steps", {"--steps", "1000"}},
    {"closes_everything", "void go_wild() { syscall(SYS_close_range, 0, ~0u, 0); abort(); }", "crash"},
    {"overwrites_the_runtime",
     "#include <stdio.h>\n"
     "void go_wild() { FILE* maps = fopen(\"/proc/self/maps\", \"r\"); char line[512];"
     "  std::vector<std::pair<char*, char*>> all; unsigned long from, to; char writable;"
     "  while (fgets(line, sizeof line, maps))"
     "    if (sscanf(line, \"%lx-%lx %*c%c\", &from, &to, &writable) == 3 && writable == 'w' &&"
     "        strstr(line, \"libthrum\"))"
     "      all.push_back({reinterpret_cast<char*>(from), reinterpret_cast<char*>(to)});"
     "  for (auto [begin, end] : all) for (volatile char* p = begin; p < end; ++p) *p = 0x5a; }",
     "crash"},
    {"leaves_a_child",
     "void go_wild() { if (syscall(SYS_fork) == 0) { syscall(SYS_setsid); for (;;) pause(); } abort(); }",
     "fork"},
    {"hides_from_its_parent",
     "#include <sys/prctl.h>\n"
     "void go_wild() { prctl(PR_SET_PDEATHSIG, 0); setsid(); for (;;) asm volatile(\"\"); }",
     "prctl"},
};

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

class WildTest : public EndToEnd {};

TEST_F(WildTest, EachIsReportedAndNothingIsLeft) {
  fs::create_directory(path("temporary"));
  const std::set<std::string> shared_before = names_in("/dev/shm");
  for (const Wild& wild : kWild) {
    SCOPED_TRACE(wild.name);
    const std::string program =
        build(write(wild.name + std::string(".cpp"), std::string(kFrame) + wild.code));
    std::vector<std::string> command = {THRUM_PROGRAM, "check", program, "--keep-going", "--json", "-"};
    command.insert(command.end(), wild.words.begin(), wild.words.end());
    const ChildResult result =
        run(command, path(""), {"TMPDIR=" + path("temporary")});  // and no process is left
    const json report = json::parse(result.output, nullptr, false);
    ASSERT_FALSE(report.is_discarded()) << result.output << result.errors;
    const json& test = report["tests"][0];
    const bool has_bug = test["verdict"] == "bug";
    EXPECT_EQ(result.exit_code, has_bug ? 1 : 3);
    const auto finding = (has_bug ? test["bugs"][0]["kind"] : test["reason"]).get<std::string>();
    EXPECT_NE(finding.find(wild.finding), std::string::npos) << finding;
    EXPECT_EQ(names_in(path("temporary")), std::set<std::string>());
  }
  for (const std::string& name : names_in("/dev/shm")) EXPECT_TRUE(shared_before.contains(name)) << name;
}

// The worker dies by it each time, and is let die no more when that is known.
TEST_F(WildTest, DeathsDoNotEndASearchThatKeepsGoing) {
  constexpr unsigned long kFsgsbase = 2;
  if ((getauxval(AT_HWCAP2) & kFsgsbase) == 0)
    GTEST_SKIP() << "the system keeps no control block that a program sets by itself";
  constexpr const char* kCode =
      "void go_wild() { turn.load(); asm volatile(\"wrfsbase %0; movl $1, 8\" :: \"r\"(0l) : \"memory\"); }";
  std::string frame = kFrame;
  frame.replace(frame.find("go_wild(); }"), 11, "go_wild(); if (turn == 2) abort();");
  const std::string program = build(write("dies.cpp", frame + kCode));
  for (const char* strategy : {"icb", "dfs", "dpor"}) {
    SCOPED_TRACE(strategy);
    const json test = check({program, "--keep-going", "--strategy", strategy}, 1)["tests"][0];
    std::set<std::string> messages;
    for (const json& bug : test["bugs"]) {
      messages.insert(bug["message"]);
      EXPECT_FALSE(bug["trace"].empty());
    }
    EXPECT_EQ(messages, (std::set<std::string>{"SIGSEGV (Segmentation fault) in an execution", "aborted"}));
    EXPECT_EQ(test["guarantee"]["text"], "every schedule (an execution ends at its bug)");
  }
}

}  // namespace

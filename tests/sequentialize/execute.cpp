// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sequentialize/execute.hpp"

#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace thrum::seq::random {

namespace {

namespace fs = std::filesystem;

struct Hooks {
  int (*choose)();
  void (*stop)();
  void (*note)(int, const char*);
  void (*fail)();
  void* (*allocate)(unsigned long);
  void (*print)(long);
};

constexpr const char* kGlue = R"(
struct { int (*choose)(void); void (*stop)(void); void (*note)(int, const char *); void (*fail)(void);
  void *(*allocate)(unsigned long); void (*print)(long); } hooks;
void thrum_test_hooks(const void *given) { __builtin_memcpy(&hooks, given, sizeof hooks); }
_Bool __VERIFIER_nondet_bool(void) { return hooks.choose(); }
/* What the eager rounds guess is one of four values. */
static int guess(void) { int high = hooks.choose(); return 2 * high + hooks.choose(); }
int __VERIFIER_nondet_int(void) { return guess(); }
unsigned __VERIFIER_nondet_uint(void) { return guess(); }
unsigned char __VERIFIER_nondet_uchar(void) { return guess(); }
void __VERIFIER_assume(int condition) { if (!condition) hooks.stop(); }
void thrum_test_note(int when, const char *message) { hooks.note(when, message); }
void out(long value) { hooks.print(value); }
void reach_error(void) { hooks.fail(); }
void thrum_test_exit(int status) { hooks.stop(); }
void *thrum_test_allocate(unsigned long size) { return hooks.allocate(size); }
)";

constexpr const char* kBefore = R"(
#define THRUM_STEP(thread, round)
#define THRUM_FAILED(thread, round, message) thrum_test_note((round) * 256 + (thread), message)
extern void thrum_test_note(int, const char *);
extern void *thrum_test_allocate(unsigned long);
#define __builtin_malloc thrum_test_allocate
#define __builtin_free(pointer) ((void)(pointer))
#define exit thrum_test_exit
)";

// One run: which way the choices go, and how it ended. Jumps leave it, so it is outside of all functions.
struct Run {
  std::array<char, 600> choices{};
  std::size_t known = 0;
  std::size_t next = 0;
  int when = 0;  // in the order of turns, a failure was
  const char* noted = nullptr;
  const char* failed = nullptr;
  int trouble = 0;
  std::size_t allocated = 0;
  sigjmp_buf out{};
};
Run g_run;
std::vector<long> g_printed;
alignas(16) std::array<char, 1 << 20> g_arena;

[[noreturn]] void leave(int trouble) {
  g_run.trouble = trouble;
  siglongjmp(g_run.out, 1);
}

int choose() {
  if (g_run.next == g_run.known) {
    if (g_run.known == g_run.choices.size()) leave(SIGALRM);
    g_run.choices[g_run.known++] = 0;
  }
  return g_run.choices[g_run.next++];
}

void stop() { leave(0); }

// Threads that run through all their rounds at once may fail one after the other: the first in the order of
// turns counts.
void note(int when, const char* message) {
  if (g_run.noted != nullptr && g_run.when <= when) return;
  g_run.when = when;
  g_run.noted = message;
}

void fail() {
  g_run.failed = g_run.noted == nullptr ? "reach_error" : g_run.noted;
  leave(0);
}

void* allocate(unsigned long size) {
  std::size_t begin = g_run.allocated;
  g_run.allocated += (size + 15) & ~15UL;
  if (g_run.allocated > g_arena.size()) leave(SIGSEGV);
  std::memset(g_arena.data() + begin, 0, size);
  return g_arena.data() + begin;
}

void print(long value) {
  if (g_printed.size() > 100'000) leave(SIGALRM);
  g_printed.push_back(value);
}

struct Memory {
  char* begin = nullptr;
  std::string saved{};
};

int find_memory(dl_phdr_info* info, std::size_t, void* data) {
  auto& [path, memory] = *static_cast<std::pair<std::string, Memory>*>(data);
  if (path != info->dlpi_name) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) continue;
    memory.begin = reinterpret_cast<char*>(info->dlpi_addr + header.p_vaddr);
    memory.saved.assign(memory.begin, header.p_memsz);
  }
  return 1;
}

void run_once(int (*program)()) {
  if (sigsetjmp(g_run.out, 0) == 0) program();
}

// Faults and time limits end a run.
class Guard {
 public:
  Guard() {
    struct sigaction action = {};
    action.sa_handler = [](int signal) { leave(signal); };
    action.sa_flags = SA_NODEFER | SA_ONSTACK;
    stack_t stack = {};
    stack.ss_sp = memory_.data();
    stack.ss_size = memory_.size();
    sigaltstack(&stack, nullptr);
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before_[i]);
  }
  ~Guard() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  static constexpr std::array<int, 5> kSignals{SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGALRM};
  std::array<struct sigaction, 5> before_{};
  std::array<char, 65536> memory_{};
};

Runs explore(int (*program)(), const Memory& memory, const Executed& limits) {
  Runs result;
  Guard guard;
  g_run.known = 0;
  alarm(limits.seconds);
  for (;;) {
    std::memcpy(memory.begin, memory.saved.data(), memory.saved.size());
    g_run.next = 0;
    g_run.noted = nullptr;
    g_run.failed = nullptr;
    g_run.trouble = 0;
    g_run.allocated = 0;
    g_printed.clear();
    run_once(program);
    if (g_run.trouble != 0) {
      result.trouble =
          std::string("ended by ") + strsignal(g_run.trouble) + " in run " + std::to_string(result.count);
      break;
    }
    if (g_run.failed != nullptr) result.failing.insert(g_run.failed);
    g_run.known = g_run.next;
    while (g_run.known > 0 && g_run.choices[g_run.known - 1] == 1) --g_run.known;
    ++result.count;
    if (g_run.known == 0) break;
    g_run.choices[g_run.known - 1] = 1;
    if (result.count == limits.runs) {
      result.all = false;
      break;
    }
  }
  alarm(0);
  result.printed = g_printed;
  return result;
}

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "thrum-agreement-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void put(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

std::string compiler(const fs::path& folder) {
  return "cd " + folder.string() +
         " && cc -O0 -w -fwrapv -std=gnu17 -fPIC -shared -Wl,-z,now,-z,norelro,-z,defs -o all.so *.c "
         "2>messages";
}

}  // namespace

std::vector<Runs> run_all(const std::vector<std::string>& programs, const Executed& limits) {
  std::vector<Runs> result(programs.size());
  Folder folder;
  put(folder.path() / "glue.c", kGlue);
  for (std::size_t i = 0; i < programs.size(); ++i) {
    std::string number = std::to_string(i);
    put(folder.path() / ("p" + number + ".c"), "#define main program_" + number + kBefore + programs[i]);
  }
  if (std::system(compiler(folder.path()).c_str()) != 0) {
    if (programs.size() == 1) {
      std::ifstream in(folder.path() / "messages");
      result[0].trouble = "does not compile: " + std::string(std::istreambuf_iterator<char>(in), {});
      return result;
    }
    for (std::size_t i = 0; i < programs.size(); ++i) result[i] = run_all({programs[i]}, limits)[0];
    return result;
  }
  std::string path = (folder.path() / "all.so").string();
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  Hooks hooks{choose, stop, note, fail, allocate, print};
  reinterpret_cast<void (*)(const void*)>(dlsym(library, "thrum_test_hooks"))(&hooks);
  std::pair<std::string, Memory> found{path, {}};
  dl_iterate_phdr(find_memory, &found);
  for (std::size_t i = 0; i < programs.size(); ++i) {
    void* program = dlsym(library, ("program_" + std::to_string(i)).c_str());
    result[i] = explore(reinterpret_cast<int (*)()>(program), found.second, limits);
  }
  dlclose(library);
  return result;
}

}  // namespace thrum::seq::random

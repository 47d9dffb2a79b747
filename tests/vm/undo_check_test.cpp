// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine's check that it can undo (vm/undo_check.hpp): it finds nothing in the machine, and it finds
// each of some mistakes that are planted here. A mistake is a loop that besides does what a loop must not do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/wait.h>
#include <unistd.h>

#include "bitcode/reader.hpp"
#include "programs/child_process.hpp"
#include "vm/machine.hpp"
#include "vm/undo_check.hpp"

namespace {

using namespace thrum;
namespace fs = std::filesystem;

// Locks, the heap, a condition, atomic operations, output, a loop that waits, calls that keep frames.
constexpr const char* kProgram = R"(#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t added = PTHREAD_COND_INITIALIZER;
struct node { struct node* next; int value; };
static struct node* list;
static atomic_int ready;
static __attribute__((noinline)) void add(int depth, int value) {
  if (depth != 0) return add(depth - 1, value);
  struct node* made = malloc(sizeof *made);
  pthread_mutex_lock(&mutex);
  made->next = list;
  made->value = value;
  list = made;
  pthread_cond_signal(&added);
  pthread_mutex_unlock(&mutex);
  atomic_fetch_add(&ready, 1);
}
static void* produce(void* argument) {
  add(3, 1);
  add(1, 2);
  return argument;
}
int main(void) {
  pthread_t thread;
  int sum = 0;
  pthread_create(&thread, 0, produce, 0);
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&mutex);
    while (list == 0) pthread_cond_wait(&added, &mutex);
    struct node* taken = list;
    list = taken->next;
    sum += taken->value;
    pthread_mutex_unlock(&mutex);
    free(taken);
  }
  while (atomic_load(&ready) != 2) {
  }
  pthread_join(thread, 0);
  printf("%d\n", sum);
  return 0;
}
)";

std::string bitcode() {
  std::string folder = fs::temp_directory_path().string() + "/thrum-vm-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return "";
  std::ofstream(folder + "/program.c") << kProgram;
  const ChildResult compiled =
      run_child({"clang-19", "-O1", "-w", "-fsanitize=thread", "-mllvm", "-tsan-distinguish-volatile",
                 "-emit-llvm", "-c", folder + "/program.c", "-o", folder + "/program.bc"},
                {}, 120);
  std::ifstream in(folder + "/program.bc", std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  fs::remove_all(folder);
  return bytes.str();
}

struct Checked {
  std::string problem;
  std::uint64_t checks = 0, given_up = 0;
};

// Executions by schedules drawn at random.
Checked check(const std::string& bytes, vm::Loop loop) {
  constexpr std::uint64_t kExecutions = 50;
  const bitcode::Linked linked = bitcode::link({{"program", bytes}}, {});
  ThreadNames names;
  vm::MachineSettings settings;
  settings.loop = loop;
  settings.arguments = {"program"};
  vm::Machine machine(*linked.code, settings, names);
  machine.prepare();
  vm::UndoCheck check(machine, 1, 1);
  for (std::uint64_t seed = 0; seed < kExecutions && check.problem().empty(); ++seed) {
    Plan plan;
    plan.policy.kind = Policy::Kind::random;
    plan.policy.seed = seed;
    Trace trace;
    check.execute(plan, nullptr, Wanted::all_events(), trace);
  }
  return {check.problem(), check.checks(), check.given_up()};
}

// In a process of its own: the machine's memory lies at fixed addresses. Its problem; the rest in front of
// it.
std::string in_a_process(const std::string& bytes, vm::Loop loop) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    const Checked checked = check(bytes, loop);
    const std::string text =
        (checked.checks > 100 && checked.given_up == 0 ? "checked: " : "not checked: ") + checked.problem;
    _exit(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string text(4096, '\0');
  const ssize_t count = read(ends[0], text.data(), text.size());
  close(ends[0]);
  waitpid(child, nullptr, 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return text;
}

// Words of the arena that the program does not use.
constexpr std::uint64_t kUnused = vm::kGlobals + vm::kGlobalsSize - 4096;

// The real loop; behind it, in executions, the mistake.
template <void (*kMistake)(vm::Machine&, vm::Thread&)>
vm::Stop mistaken(vm::Machine* machine, vm::Thread* thread, std::uint32_t* handlers) {
  const vm::Stop stop = vm::run_concrete(machine, thread, handlers);
  if (handlers == nullptr && machine->in_execution) kMistake(*machine, *thread);
  return stop;
}

void write_unlogged(vm::Machine& /*machine*/, vm::Thread& /*thread*/) { ++vm::at<std::uint64_t>(kUnused); }
void write_shadow_unlogged(vm::Machine& /*machine*/, vm::Thread& /*thread*/) {
  vm::shadow_at<std::uint8_t>(kUnused) ^= vm::kDefined;
}
void change_other_thread(vm::Machine& machine, vm::Thread& thread) {
  const std::uint32_t other = thread.slot ^ 1U;
  if (other < vm::Machine::course().slots_used) ++machine.thread(other).random_draws;
}
void change_lower_frame(vm::Machine& /*machine*/, vm::Thread& thread) {
  if (thread.top > thread.bottom) ++thread.bottom->registers[thread.bottom->function->slots - 1];
}
// Logged, but the value comes from outside of the state.
void use_hidden_state(vm::Machine& machine, vm::Thread& /*thread*/) {
  static std::uint64_t hidden = 0;
  machine.memory.put(vm::at<std::uint64_t>(kUnused), ++hidden);
}

class UndoCheck : public testing::Test {
 protected:
  void SetUp() override {
    if (run_child({"clang-19", "--version"}, {}, 120).exit_code != 0) GTEST_SKIP() << "there is no clang-19";
    bytes_ = bitcode();
    ASSERT_FALSE(bytes_.empty());
  }
  std::string bytes_;
};

TEST_F(UndoCheck, FindsNothingInTheMachine) {
  EXPECT_EQ(in_a_process(bytes_, vm::run_concrete), "checked: ");
}

TEST_F(UndoCheck, FindsWritesThatAreNotLogged) {
  EXPECT_NE(
      in_a_process(bytes_, mistaken<write_unlogged>)
          .find("global variables, 0x1a0ffffff000, is after the return to a mark not what it was there"),
      std::string::npos);
  EXPECT_NE(in_a_process(bytes_, mistaken<write_shadow_unlogged>).find("the shadow of global variables"),
            std::string::npos);
  EXPECT_NE(in_a_process(bytes_, mistaken<change_other_thread>).find("records 4"), std::string::npos);
  EXPECT_NE(in_a_process(bytes_, mistaken<change_lower_frame>).find("frames"), std::string::npos);
}

TEST_F(UndoCheck, FindsStateOutsideTheMemory) {
  EXPECT_NE(
      in_a_process(bytes_, mistaken<use_hidden_state>).find("differs after the same steps were run again"),
      std::string::npos);
}

// Programs of tests/programs. THRUM_UNDO_PROGRAMS names those that are tried, by a part of their paths; a
// slash: all of them.
std::vector<std::string> undone_programs() {
  std::vector<std::string> parts = {"correct/condvar/", "correct/containers/", "correct/polling/under_lock",
                                    "correct/exceptions/in_threads", "wrong/memory/"};
  if (const char* const wanted = std::getenv("THRUM_UNDO_PROGRAMS")) parts = {wanted};
  std::vector<std::string> all;
  for (const char* const kind : {"/correct", "/wrong"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(std::string(THRUM_SOURCE_DIR) + "/tests/programs" + kind)) {
      const std::string path = entry.path().string();
      const bool is_source = path.ends_with(".c") || path.ends_with(".cpp");
      const bool is_wanted = std::any_of(parts.begin(), parts.end(), [&path](const std::string& part) {
        return path.find(part) != std::string::npos;
      });
      if (is_source && is_wanted) all.push_back(path);
    }
  }
  return all;
}

TEST_F(UndoCheck, FindsNothingInPrograms) {
  const std::string build = THRUM_BUILD_DIR;
  if (!fs::exists(build + "/bin/thrum")) GTEST_SKIP() << "there is no program thrum";
  std::string folder = fs::temp_directory_path().string() + "/thrum-vm-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::vector<std::string> environment = {"THRUM_VM_UNDO_CHECK=4",
                                                "THRUM_VM_UNDO_CHECK_COUNTS=" + folder + "/counts",
                                                "XDG_CACHE_HOME=" + build + "/tests/vm-library"};
  const std::vector<std::string> all = undone_programs();
  ASSERT_FALSE(all.empty());
  for (const std::string& program : all) {
    for (const char* const strategy : {"random", "icb"}) {
      constexpr int kInternalError = 4;
      const ChildResult done =
          run_child({build + "/bin/thrum", "check", "--engine", "vm", "--jobs", "1", "--keep-going",
                     "--strategy", strategy, "--executions", "25", "--time", "10", "--out", folder, program},
                    environment, 120);
      EXPECT_NE(done.exit_code, kInternalError) << program << ": " << done.output << done.errors;
      EXPECT_EQ(done.errors.find("cannot undo"), std::string::npos) << program << ": " << done.errors;
    }
  }
  std::ifstream in(folder + "/counts");
  std::uint64_t marks = 0;
  for (std::string line; std::getline(in, line);) marks += std::strtoull(line.c_str(), nullptr, 10);
  EXPECT_GT(marks, 10 * all.size());
  fs::remove_all(folder);
}

}  // namespace

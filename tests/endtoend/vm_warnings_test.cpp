// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --engine vm: warnings. Both engines give the same ones, with the same places.
#include <filesystem>

#include "endtoend.hpp"

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using nlohmann::json;

const char kProgram[] = R"(#include <pthread.h>
#include <semaphore.h>
#include <string.h>
static pthread_mutex_t a, b, c, gate;  // zeros are unlocked
static pthread_rwlock_t s, t;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t posted;
static int n;
static void nest(pthread_mutex_t* first, pthread_mutex_t* second) {
  pthread_mutex_lock(first);
  pthread_mutex_lock(second);
  ++n;
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
}
static void* ab(void* p) { nest(&a, &b); return p; }
static void* ba(void* p) { nest(&b, &a); return p; }
static void* bc(void* p) { nest(&b, &c); return p; }
static void* ca(void* p) { nest(&c, &a); return p; }
static void* gated(void* p) {
  pthread_mutex_lock(&gate);
  if (p) ab(p); else ba(p);
  pthread_mutex_unlock(&gate);
  return p;
}
static void* reads_st(void* p) {
  pthread_rwlock_wrlock(&s);
  pthread_rwlock_rdlock(&t);
  pthread_rwlock_unlock(&t);
  pthread_rwlock_unlock(&s);
  return p;
}
static void* reads_ts(void* p) {
  pthread_rwlock_wrlock(&t);
  pthread_rwlock_rdlock(&s);
  pthread_rwlock_unlock(&s);
  pthread_rwlock_unlock(&t);
  return p;
}
static void* waits(void* p) {
  pthread_mutex_lock(&a);
  pthread_cond_wait(&never, &a);
  return p;
}
static void* locks(void* p) { pthread_mutex_lock(&a); pthread_mutex_unlock(&a); return p; }
static void* gives(void* p) { sem_post(&posted); return p; }
static void* takes(void* p) { sem_wait(&posted); return p; }
static void one_after_another(void* (*first)(void*), void* (*second)(void*), void* (*third)(void*)) {
  void* (*all[])(void*) = {first, second, third};
  for (int i = 0; i < 3; ++i) {
    pthread_t one;
    pthread_create(&one, 0, all[i], i == 0 ? &n : 0);
    pthread_join(one, 0);
  }
}
static void leave(void* (*body)(void*)) {
  pthread_t one;
  pthread_create(&one, 0, body, 0);
  pthread_detach(one);
}
int main(int count, char** words) {
  const char* what = words[count - 1];
  sem_init(&posted, 0, 0);
  if (!strcmp(what, "two")) one_after_another(ab, ba, gives);
  if (!strcmp(what, "circle")) one_after_another(ab, bc, ca);
  if (!strcmp(what, "gated")) one_after_another(gated, gated, gives);
  if (!strcmp(what, "writers")) one_after_another(reads_st, reads_ts, gives);
  if (!strcmp(what, "condition")) leave(waits);
  if (!strcmp(what, "dead")) { pthread_mutex_lock(&a); leave(locks); leave(gives); }
  if (!strcmp(what, "some")) { leave(takes); leave(gives); leave(takes); }
  if (!strcmp(what, "goes on")) { leave(takes); leave(gives); }
  return 0;
}
)";

class VmWarnings : public EndToEnd {
 protected:
  void SetUp() override {
    EndToEnd::SetUp();
    if (!fs::exists(prefix() / "lib/thrum/thrum-vm")) GTEST_SKIP() << "Thrum was built without LLVM 19";
    const ChildResult built = with_thrum(
        {"cc", "--bitcode", "-O1", "-g", "-pthread", write("program.c", kProgram), "-o", path("program")});
    ASSERT_EQ(built.exit_code, 0) << built.errors;
  }
  static fs::path prefix() { return fs::path(THRUM_PROGRAM).parent_path().parent_path(); }
  ChildResult with_thrum(Words words) {
    words.insert(words.begin(), THRUM_PROGRAM);
    return run(words, path("."), {"XDG_CACHE_HOME=" + (prefix() / "tests/vm-library").string()});
  }
  json warnings(const std::string& engine, const std::string& the_case, Words options = {}) {
    Words words = {"check", "--engine", engine, "--json", "result.json"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {path("program"), "--", the_case});
    fs::remove(path("result.json"));
    const ChildResult result = with_thrum(words);
    if (!fs::exists(path("result.json"))) {
      ADD_FAILURE() << engine << " " << the_case << ": " << result.output << result.errors;
      return {};
    }
    return json::parse(read(path("result.json"))).at("tests").at(0).at("warnings");
  }
};

TEST_F(VmWarnings, AreTheNativeOnes) {
  const std::vector<std::pair<std::string, const char*>> cases = {{"two", "lock-order"},
                                                                  {"circle", "lock-order"},
                                                                  {"gated", nullptr},
                                                                  {"writers", "lock-order"},
                                                                  {"condition", "blocked-at-exit"},
                                                                  {"dead", "blocked-at-exit"},
                                                                  {"some", "blocked-at-exit"},
                                                                  {"goes on", nullptr}};
  for (const auto& [name, kind] : cases) {
    for (const Words& options : {Words{"--strategy", "dfs"}, Words{"--strategy", "icb"}}) {
      const json machine = warnings("vm", name, options);
      EXPECT_EQ(machine, warnings("native", name, options)) << name << " " << options.back();
      if (kind == nullptr) {
        EXPECT_TRUE(machine.empty()) << name << ": " << machine.dump(1);
      } else {
        ASSERT_EQ(machine.size(), 1U) << name << " " << options.back();
        EXPECT_EQ(machine[0]["kind"], kind);
      }
    }
  }
}

TEST_F(VmWarnings, OfSeveralWorkersAndOfPieces) {
  for (const char* const name : {"two", "some"}) {
    const json whole = warnings("vm", name, {"--strategy", "dfs"});
    const json shared = warnings("vm", name, {"--strategy", "dfs", "--jobs", "4"});
    ASSERT_EQ(shared.size(), 1U) << name;
    EXPECT_EQ(shared[0]["locations"], whole[0]["locations"]);
    warnings("vm", name, {"--strategy", "dfs", "--executions", "2", "--checkpoint", path("saved")});
    const json resumed = warnings("vm", name, {"--resume", path("saved")});
    ASSERT_EQ(resumed.size(), 1U) << name;
    EXPECT_EQ(resumed[0], whole[0]) << name;
  }
}

}  // namespace

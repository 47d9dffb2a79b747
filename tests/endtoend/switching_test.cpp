// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machines that do not let programs change the FS base: what belongs to a thread stays its own, and searches
// come to what they come to elsewhere (runtime/base/shared_block.hpp).
#include <sys/auxv.h>

#include "endtoend.hpp"

namespace {

using nlohmann::json;

class Switching : public EndToEnd {
 protected:
  // By each of these strategies.
  void check_text(const std::string& text, int exit_code) {
    const std::string program = build(write("program.cpp", kBegin + text));
    for (const char* strategy : {"auto", "dfs", "random"}) {
      const json with = search(program, strategy, exit_code, {});
      const json without = search(program, strategy, exit_code, {"--no-fsgsbase"});
      for (const char* field : {"verdict", "reason", "executions", "steps", "midway"})
        EXPECT_EQ(with[field], without[field]) << strategy << ' ' << field;
      ASSERT_EQ(with["bugs"].size(), without["bugs"].size()) << strategy;
      for (std::size_t i = 0; i < with["bugs"].size(); ++i)
        EXPECT_EQ(with["bugs"][i]["fingerprint"], without["bugs"][i]["fingerprint"]) << strategy;
    }
  }
  // Whether a second thread finds errno elsewhere than main does.
  bool has_own_block(const std::string& declaration, const std::vector<std::string>& options) {
    const std::string program = build(write("errno.cpp", kBegin + declaration + R"(
      int main() {
        static int* mains;
        static bool same;
        mains = &errno;
        std::thread other([] { n.load(); same = mains == &errno; });
        other.join();
        return same ? 1 : 0;
      })"));
    std::vector<std::string> arguments{"check", program};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ChildResult result = thrum(arguments);
    EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 1) << result.output;
    return result.exit_code == 0;
  }

 private:
  json search(const std::string& program, const char* strategy, int exit_code,
              std::vector<std::string> options) {
    for (const char* option :
         {"--strategy", strategy, "--executions", "2000", "--keep-going", "--jobs", "1", "--seed", "7"})
      options.emplace_back(option);
    options.insert(options.begin(), program);
    return check(options, exit_code)["tests"][0];
  }

  static const std::string kBegin;
};

const std::string Switching::kBegin = R"(
#include <atomic>
#include <cassert>
#include <cerrno>
#include <clocale>
#include <exception>
#include <mutex>
#include <pthread.h>
#include <string>
#include <stdexcept>
#include <thread>
std::atomic<int> n;
std::mutex m;
void meet() { n.fetch_add(1); std::lock_guard lock(m); }
)";

TEST_F(Switching, TheBlockIsSharedWhereNothingOfTheProgramsOwnIsInIt) {
  EXPECT_FALSE(has_own_block("", {"--no-fsgsbase"}));
  EXPECT_TRUE(has_own_block("thread_local int own = 1; int* keep() { return &own; }", {"--no-fsgsbase"}));
  constexpr unsigned long kHwcap2Fsgsbase = 2;
  EXPECT_EQ(has_own_block("", {}), (getauxval(AT_HWCAP2) & kHwcap2Fsgsbase) != 0);
}

TEST_F(Switching, ErrnoExceptionsAndIdentitiesAreAThreadsOwn) {
  check_text(R"(
    void work(int mine) {
      const pthread_t self = pthread_self();
      const std::thread::id id = std::this_thread::get_id();
      errno = mine;
      try {
        meet();
        throw std::runtime_error(std::string(40, static_cast<char>('0' + mine)));
      } catch (const std::exception& caught) {
        meet();
        assert(std::uncaught_exceptions() == 0);
        assert(std::current_exception() != nullptr);
        assert(caught.what()[0] == '0' + mine);
      }
      assert(std::current_exception() == nullptr);
      assert(errno == mine);
      assert(pthread_equal(self, pthread_self()) && id == std::this_thread::get_id());
    }
    int main() {
      errno = 9;
      std::thread a(work, 1), b(work, 2);
      assert(a.get_id() != b.get_id());
      a.join();
      b.join();
      assert(errno == 9);
    })",
             0);
}

TEST_F(Switching, ADestructorThatUnwindsMeetsOthers) {
  check_text(R"(
    struct Meets {
      ~Meets() { meet(); assert(std::uncaught_exceptions() == 1); }
    };
    void work() {
      try {
        Meets meets;
        throw 1;
      } catch (int) {
        assert(std::uncaught_exceptions() == 0);
      }
    }
    int main() { std::thread a(work), b(work); a.join(); b.join(); })",
             0);
}

TEST_F(Switching, LocalesAndKeysAreAThreadsOwn) {
  check_text(R"(
    pthread_key_t key;
    void work() {
      int own = 0;
      pthread_setspecific(key, &own);
      locale_t mine = newlocale(LC_ALL_MASK, "C", nullptr);
      locale_t before = uselocale(mine);
      meet();
      assert(pthread_getspecific(key) == &own);
      assert(uselocale(nullptr) == mine);
      uselocale(before);
      freelocale(mine);
    }
    int main() {
      pthread_key_create(&key, nullptr);
      std::thread a(work), b(work);
      a.join();
      b.join();
      assert(pthread_getspecific(key) == nullptr);
      assert(uselocale(nullptr) == LC_GLOBAL_LOCALE);
    })",
             0);
}

TEST_F(Switching, RacesAndFaultsAreFound) {
  check_text(
      "int plain; int main() { std::thread a([] { meet(); plain = 1; }); meet(); plain = 2; a.join(); }", 1);
  check_text(R"(
    int* pointer;
    int main() {
      int target = 0;
      std::thread a([&] { std::lock_guard lock(m); pointer = &target; });
      { std::lock_guard lock(m); *pointer = 1; }
      a.join();
    })",
             1);
}

}  // namespace

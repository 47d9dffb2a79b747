// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heap symmetry (--symmetry) on random programs whose threads pass blocks of the heap to each other: the same
// bugs with it and without it, and fewer states. A program may have more: where blocks may move, all accesses
// to a word of blocks are scheduling points as soon as several threads use it in one of them.
//
//   THRUM_NATIVE_PROGRAMS   random programs
//   THRUM_NATIVE_SEED       seed of the first (1); the next has the next seed
#include <gtest/gtest.h>

#include <iostream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "native/workshop.hpp"
#include "oracle/setting.hpp"

namespace thrum {
namespace {

using nlohmann::json;

constexpr const char* kPreludeOfHeap = R"(#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <pthread.h>
struct Node {
  std::atomic<int> value;
  std::atomic<Node*> next;
};
static std::atomic<Node*> shared[2];
static Node* make(int value) {
  Node* node = static_cast<Node*>(malloc(sizeof(Node)));
  node->value = value;
  node->next = nullptr;
  return node;
}
)";

// A thread has two blocks of its own, a and b, which may be none.
class HeapProgram {
 public:
  explicit HeapProgram(std::uint64_t seed) : random_(seed) {}

  std::string text(std::size_t number) {
    const std::string name = std::to_string(number);
    const std::uint64_t threads = 2 + below(2);
    std::string program = "namespace p" + name + " {\n";
    for (std::uint64_t thread = 0; thread < threads; ++thread) {
      program += "static void* t" + std::to_string(thread) + "(void*) {\n  Node *a = make(0), *b = make(" +
                 std::to_string(below(2)) + ");\n";
      const std::uint64_t count = 2 + below(threads == 2 ? 5 : 3);
      for (std::uint64_t i = 0; i < count; ++i) program += "  " + statement(thread * 100 + i) + "\n";
      program += "  static_cast<void>(a), static_cast<void>(b);\n  return nullptr;\n}\n";
    }
    program += "static void run() {\n  pthread_t threads[" + std::to_string(threads) + "];\n";
    for (const char* const call :
         {"pthread_create(&threads[#], nullptr, t#, nullptr)", "pthread_join(threads[#], nullptr)"}) {
      for (std::uint64_t thread = 0; thread < threads; ++thread) {
        std::string line = call;
        for (std::size_t place = line.find('#'); place != std::string::npos; place = line.find('#'))
          line.replace(place, 1, std::to_string(thread));
        program += "  " + line + ";\n";
      }
    }
    return program + "}\n}\n";
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

  std::string statement(std::uint64_t place) {
    const std::string own = below(2) == 0 ? "a" : "b", cell = "shared[" + std::to_string(below(2)) + "]";
    const std::string value = std::to_string(below(2));
    switch (below(16)) {
      case 12:
      case 13:
      case 14: return own + " = " + cell + ".exchange(" + own + ");";
      case 15: return "if (b) { free(b); b = nullptr; }";
      case 0:
      case 1:
      case 2: return own + " = make(" + value + ");";
      case 3:
      case 4: return own + " = " + cell + ".exchange(" + own + ");";
      case 5:
        return "if (" + own + ") { Node* none = nullptr; " + cell + ".compare_exchange_strong(none, " + own +
               "); }";
      case 6: return "if (" + own + ") { free(" + own + "); " + own + " = nullptr; }";
      case 7: return "if (" + own + ") " + own + "->next = " + cell + ".exchange(nullptr);";
      case 8: return "if (" + own + ") " + own + " = " + own + "->next.exchange(nullptr);";
      case 9: return "if (" + own + ") " + own + "->value = " + own + "->value + 1;";
      case 10:
        return "if (a && b && a != b) assert(a->value + b->value != " + value + " && \"at " +
               std::to_string(place) + "\");";
      // Where the next block lies may be where the last one lay.
      default:
        return "if (" + own + ") { Node* old = " + own + "; free(" + own + "); " + own + " = make(" + value +
               "); if (old == " + own + ") " + own + "->value = 5; }";
    }
  }

  std::mt19937_64 random_;
};

std::set<std::string> bugs_of(const json& test) {
  std::set<std::string> bugs;
  for (const json& bug : test["bugs"])
    bugs.insert(bug["kind"].get<std::string>() + ": " + bug["message"].get<std::string>());
  return bugs;
}

TEST(States, HeapSymmetryChangesNoResult) {
  const std::uint64_t first = setting("THRUM_NATIVE_SEED", 1);
  const std::uint64_t count = setting("THRUM_NATIVE_PROGRAMS", 40);
  std::string text = kPreludeOfHeap, table;
  for (std::size_t i = 0; i < count; ++i) {
    text += HeapProgram(first + i).text(i);
    table += "p" + std::to_string(i) + "::run, ";
  }
  text += "static void (*const programs[])() = {" + table +
          "};\nint main(int, char** words) { programs[atoi(words[1])](); }\n";
  Workshop workshop;
  ASSERT_EQ(workshop.compile("programs", text), "");
  std::uint64_t fewer = 0, as_many = 0, more = 0, with_bugs = 0, states_of_all = 0, states_with_symmetry = 0;
  for (std::size_t i = 0; i < count; ++i) {
    SCOPED_TRACE("seed " + std::to_string(first + i) + "\n" + HeapProgram(first + i).text(i));
    // Lost blocks are bugs of ordinary executions, and are looked for in each of them.
    const auto search = [&](std::vector<std::string> options) {
      return workshop.check("programs", i, options)["tests"][0];
    };
    const json symmetric = search({"--state-cache", "--strategy", "dfs"});
    const json plain = search({"--state-cache", "--strategy", "dfs", "--symmetry", "none"});
    ASSERT_EQ(symmetric["statistics"]["stateful"]["symmetry"], "heap");
    ASSERT_EQ(plain["statistics"]["stateful"]["symmetry"], "none");
    EXPECT_EQ(bugs_of(symmetric), bugs_of(plain));
    EXPECT_EQ(symmetric["verdict"], plain["verdict"]);
    with_bugs += bugs_of(plain).empty() ? 0 : 1;
    const auto states = symmetric["statistics"]["states"].get<std::uint64_t>();
    const auto all = plain["statistics"]["states"].get<std::uint64_t>();
    ++(states < all ? fewer : states == all ? as_many : more);
    states_of_all += all;
    states_with_symmetry += states;
  }
  std::cout << count << " programs, " << with_bugs << " with bugs: " << fewer
            << " have fewer states with symmetry, " << as_many << " have as many, " << more << " have more; "
            << states_with_symmetry << " states instead of " << states_of_all << "\n";
  EXPECT_LT(more, fewer);
  EXPECT_LT(states_with_symmetry, states_of_all);
}

}  // namespace
}  // namespace thrum

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "native/translate.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <sstream>
#include <utility>

#include "support/check.hpp"

namespace thrum {

namespace {

// All programs use the same objects: a process runs only one of them. The deadlines lie in a year that the
// virtual clock does not reach by itself.
constexpr std::string_view kPrelude = R"(// Toy programs: see native/translate.hpp.
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <thrum/thrum.h>

#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

static std::atomic<int> x[3];
// Not static, lest the compiler know that nobody else changes it. Two neighbours may lie across a border of
// eight bytes.
alignas(16) int p[3];
static pthread_mutex_t m[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                               PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t c[3] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER,
                             PTHREAD_COND_INITIALIZER};
static sem_t s[3];

template <std::memory_order order>
static bool compare_exchange(std::atomic<int>& variable, int expected, int desired) {
  return variable.compare_exchange_strong(expected, desired, order);
}

// What is no atomic access to an atomic variable.
static int& plain(std::atomic<int>& variable) { return reinterpret_cast<int&>(variable); }

// Lest the compiler make one access of two, or leave out a read whose value nobody uses: it may race all the same.
static int used(int value) {
  asm volatile("" : "+r"(value) : : "memory");
  return value;
}
static void written() { asm volatile("" : : : "memory"); }

static int read_two(const int* first) {
  std::uint64_t both;
  std::memcpy(&both, first, sizeof both);
  return static_cast<int>(both) + static_cast<int>(both >> 32);
}

static void write_two(int* first, int value) {
  std::uint64_t both = static_cast<std::uint32_t>(value) * ((std::uint64_t{1} << 32) + 1);
  std::memcpy(first, &both, sizeof both);
}

static bool timed_wait(pthread_cond_t* condition, pthread_mutex_t* mutex, int deadline) {
  timespec time = {2'000'000'000 + deadline, 0};
  return pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT;
}
)";

constexpr std::string_view kMain = R"(
int main(int, char** arguments) {
  for (sem_t& semaphore : s) sem_init(&semaphore, 0, 0);
  programs[std::atoi(arguments[1])](nullptr);
  pthread_exit(nullptr);
}
)";

// What stands before a place in a failure's message.
constexpr std::string_view kAssertionMark = "assertion at ";
constexpr std::string_view kMisuseMark = "misuse at ";

constexpr std::string_view kSelfLock = "locks again a mutex that it holds";

// Text with each '$' replaced by the next of the operands.
std::string fill(std::string_view text, std::initializer_list<std::string> operands) {
  std::string result;
  auto next = operands.begin();
  for (char letter : text) {
    if (letter == '$') {
      result += *next++;
    } else {
      result += letter;
    }
  }
  return result;
}

class Translator {
 public:
  Translator(const ToyCode& code, int thread)
      : list_(code.threads[static_cast<std::size_t>(thread)]), thread_(thread) {}

  std::string body() {
    std::string text;
    for (at_ = 0; at_ < list_.size(); ++at_) {
      if (is_target(at_)) text += fill("l$:\n", {std::to_string(at_)});
      text += "  " + statement(list_[at_]) + "\n";
    }
    if (is_target(at_)) text += fill("l$:\n", {std::to_string(at_)});
    return text;
  }

 private:
  // Where a skip goes to, at most the end.
  std::size_t target(std::size_t at) const {
    return std::min<std::size_t>(at + 1 + list_[at].operands[2], list_.size());
  }

  bool is_target(std::size_t place) const {
    for (std::size_t i = 0; i < place; ++i) {
      if (list_[i].opcode == Opcode::skip && target(i) == place) return true;
    }
    return false;
  }

  static std::string value(std::uint8_t operand) {
    if (operand < kRegisterOperand) return std::to_string(operand);
    return "r[" + std::to_string(operand - kRegisterOperand) + "]";
  }

  std::string place(std::string_view mark) const {
    return fill("\"$$\"", {std::string(mark), std::to_string(toy_place(thread_, static_cast<int>(at_)))});
  }

  // Fails, behind a scheduling point, where the thread does not hold the mutex.
  std::string check_holds(const std::string& mutex) const {
    return fill("if (!held[$]) { thrum_point(); assert(!$); } ", {mutex, place(kMisuseMark)});
  }

  std::string statement(const Instruction& instruction) const {
    const auto& operands = instruction.operands;
    std::string a = std::to_string(operands[0]);
    std::string b = std::to_string(operands[1]);
    THRUM_CHECK(!is_for_terms(instruction.opcode));
    if (instruction.opcode <= Opcode::write || instruction.opcode >= Opcode::fence)
      return memory(instruction);
    switch (instruction.opcode) {
      case Opcode::yield: return "sched_yield();";
      case Opcode::create:
        return fill("created[$] = pthread_create(&handles[$], nullptr, t$, nullptr) == 0;", {a, a, a});
      case Opcode::join: return fill("if (created[$]) pthread_join(handles[$], nullptr);", {a, a});
      case Opcode::choose: return fill("r[$] = static_cast<int>(thrum_choose($));", {a, b});
      case Opcode::equal:
        return fill("assert(r[$] == $ && $);", {a, value(operands[1]), place(kAssertionMark)});
      case Opcode::unequal:
        return fill("assert(r[$] != $ && $);", {a, value(operands[1]), place(kAssertionMark)});
      case Opcode::skip:
        return fill("if (r[$] == $) goto l$;", {a, value(operands[1]), std::to_string(target(at_))});
      default: return synchronization(instruction);
    }
  }

  static std::string memory(const Instruction& instruction) {
    const auto& operands = instruction.operands;
    std::string a = std::to_string(operands[0]);
    std::string b = std::to_string(operands[1]);
    std::string order = "std::memory_order_" + std::string(order_name(instruction.order));
    switch (instruction.opcode) {
      case Opcode::load: return fill("r[$] = x[$].load($);", {b, a, order});
      case Opcode::store: return fill("x[$].store($, $);", {a, value(operands[1]), order});
      case Opcode::add: return fill("r[$] = x[$].fetch_add($, $);", {b, a, value(operands[2]), order});
      case Opcode::cas:
        return fill("r[$] = compare_exchange<$>(x[$], $, $);",
                    {b, order, a, value(operands[2]), value(operands[3])});
      case Opcode::fence:
        return fill("std::atomic_thread_fence($); asm volatile(\"\");",
                    {order});  // else clang joins two of them
      case Opcode::move:
        return fill("thrum_atomic_begin(); r[$] = x[$].load(); x[$].store(x[$].load()); thrum_atomic_end();",
                    {std::to_string(operands[2]), b, b, a});
      case Opcode::add_both:
        return fill("thrum_atomic_begin(); x[$] += $; x[$] += $; thrum_atomic_end();",
                    {a, value(operands[2]), b, value(operands[2])});
      case Opcode::read: return fill("r[$] = used(p[$]);", {b, a});
      case Opcode::write: return fill("p[$] = $; written();", {a, value(operands[1])});
      case Opcode::peek: return fill("r[$] = used(plain(x[$]));", {b, a});
      case Opcode::poke: return fill("plain(x[$]) = $; written();", {a, value(operands[1])});
      case Opcode::read_two: return fill("r[$] = used(read_two(&p[$]));", {b, a});
      default: return fill("write_two(&p[$], $); written();", {a, value(operands[1])});
    }
  }

  std::string synchronization(const Instruction& instruction) const {
    const auto& operands = instruction.operands;
    std::string a = std::to_string(operands[0]);
    std::string b = std::to_string(operands[1]);
    switch (instruction.opcode) {
      case Opcode::lock: return fill("pthread_mutex_lock(&m[$]); held[$] = true;", {a, a});
      case Opcode::try_lock:
        return fill("r[$] = pthread_mutex_trylock(&m[$]) == 0; if (r[$] != 0) held[$] = true;", {b, a, b, a});
      case Opcode::unlock:
        return check_holds(a) + fill("held[$] = false; pthread_mutex_unlock(&m[$]);", {a, a});
      case Opcode::wait: return check_holds(b) + fill("pthread_cond_wait(&c[$], &m[$]);", {a, b});
      case Opcode::timed_wait:
        return check_holds(b) + fill("r[$] = timed_wait(&c[$], &m[$], $);",
                                     {std::to_string(operands[2]), a, b, std::to_string(operands[3])});
      case Opcode::signal: return fill("pthread_cond_signal(&c[$]);", {a});
      case Opcode::broadcast: return fill("pthread_cond_broadcast(&c[$]);", {a});
      case Opcode::down: return fill("sem_wait(&s[$]);", {a});
      default: return fill("sem_post(&s[$]);", {a});
    }
  }

  const std::vector<Instruction>& list_;
  int thread_;
  std::size_t at_ = 0;
};

std::string translate_thread(const ToyCode& code, int thread) {
  std::string text = fill("static void* t$(void*) {\n", {std::to_string(thread)});
  text +=
      "  int r[4] = {};\n  bool held[3] = {};\n  bool created[5] = {};\n  pthread_t handles[5];\n"
      "  static_cast<void>(held), static_cast<void>(created), static_cast<void>(handles);\n";
  return text + Translator(code, thread).body() + "  return nullptr;\n}\n";
}

std::string translate_program(const ToyCode& code, std::size_t number) {
  std::string text = "\n";
  std::istringstream lines(print(code));
  for (std::string line; std::getline(lines, line);) text += "// " + line + "\n";
  text += fill("namespace p$ {\n", {std::to_string(number)});
  int count = static_cast<int>(code.threads.size());
  for (int i = 0; i < count; ++i) text += fill("static void* t$(void*);\n", {std::to_string(i)});
  for (int i = 0; i < count; ++i) text += translate_thread(code, i);
  return text + "}\n";
}

}  // namespace

std::string translate(const std::vector<ToyCode>& programs) {
  std::string text(kPrelude);
  std::string table;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    text += translate_program(programs[i], i);
    table += fill("  p$::t0,\n", {std::to_string(i)});
  }
  return text + "\nstatic void* (*const programs[])(void*) = {\n" + table + "};\n" + std::string(kMain);
}

std::optional<ToyBug> translated_bug(std::string_view kind, std::string_view message) {
  // A thread that waits for itself is told of as what is wrong; the toy's is a deadlock like any other.
  bool waits_for_itself = kind == bug_kind_name(BugKind::lock_misuse) && message == kSelfLock;
  if (kind == bug_kind_name(BugKind::deadlock) || waits_for_itself) return ToyBug{BugKind::deadlock, 0, {}};
  if (kind != bug_kind_name(BugKind::assertion)) return std::nullopt;
  for (auto [mark, meant] :
       {std::pair{kAssertionMark, BugKind::assertion}, std::pair{kMisuseMark, BugKind::lock_misuse}}) {
    std::size_t found = message.find(mark);
    if (found == std::string_view::npos) continue;
    ToyBug bug{meant, 0, {}};
    std::from_chars(message.data() + found + mark.size(), message.data() + message.size(), bug.place);
    return bug;
  }
  return std::nullopt;
}

}  // namespace thrum

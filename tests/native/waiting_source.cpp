// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "native/waiting_source.hpp"

#include <algorithm>
#include <sstream>

#include "native/waiting_states.hpp"
#include "support/check.hpp"
#include "support/random.hpp"

namespace thrum {

namespace {

constexpr std::string_view kWaitingPrelude = R"(// Waiting loops: see native/waiting_source.hpp.
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cassert>
#include <cstdlib>
#include <cstring>

typedef unsigned char byte;
static std::atomic<byte> x[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static byte kept[3][6];  // each thread's registers

static inline byte exchange_if(std::atomic<byte>& cell, byte expected, byte desired) {
  return cell.compare_exchange_strong(expected, desired);
}

struct Program {
  void* (*threads[3])(void*);
  void (*check)();
};
static byte state[20];
static bool is_state(const char* wanted, unsigned size) {
  for (unsigned i = 0; i < size; ++i)
    if (state[i] != static_cast<byte>(wanted[i])) return false;
  return true;
}
)";

constexpr std::string_view kWaitingMain = R"(
int main(int, char** arguments) {
  const Program& program = programs[std::atoi(arguments[1])];
  pthread_t handles[3];
  int count = 1;
  for (; count < 3 && program.threads[count]; ++count)
    pthread_create(&handles[count], nullptr, program.threads[count], nullptr);
  program.threads[0](nullptr);
  for (int i = 1; i < count; ++i) pthread_join(handles[i], nullptr);
  for (int i = 0; i < 2; ++i) state[i] = x[i].load();
  std::memcpy(state + 2, kept, sizeof kept);
  program.check();
}
)";

class ThreadText {
 public:
  ThreadText(const WaitingSource& source, std::size_t thread)
      : code_(source.code.threads[thread]), style_(source.styles[thread]), thread_(thread) {}

  std::string text() const {
    std::ostringstream out;
    out << "static void* t" << thread_ << "(void*) {\n";
    for (std::size_t i = 0; i < kWaitingRegisters && !style_.keeps_in_memory; ++i)
      out << "  byte r" << i << " = 0;\n";
    for (std::size_t at = 0; at < code_.size(); ++at) {
      if (is_target(at)) out << "l" << at << ":\n";
      out << "  " << instruction(at) << "\n";
    }
    out << "}\n";
    return out.str();
  }

 private:
  bool is_target(std::size_t at) const {
    return std::ranges::any_of(code_, [&](const WaitingInstruction& jump) {
      return jump.opcode >= WaitingOpcode::if_equal && jump.opcode <= WaitingOpcode::jump &&
             jump.c == static_cast<int>(at);
    });
  }

  std::string reg(int number) const {
    if (!style_.keeps_in_memory) return "r" + std::to_string(number);
    return "kept[" + std::to_string(thread_) + "][" + std::to_string(number) + "]";
  }

  static std::string cell(int number) { return "x[" + std::to_string(number) + "]"; }

  std::string go(std::size_t at, const std::string& condition, int to) const {
    const std::string yield = style_.yields && to <= static_cast<int>(at) ? "sched_yield(); " : "";
    return "if (" + condition + ") { " + yield + "goto l" + std::to_string(to) + "; }";
  }

  std::string instruction(std::size_t at) const {
    const auto& [opcode, a, b, c, d, e] = code_[at];
    const std::string to = is_visible(opcode) ? reg(a) + " = " : "";
    const std::string value = "static_cast<byte>(" + std::to_string(d) + ")";
    switch (opcode) {
      case WaitingOpcode::load: return to + cell(b) + ".load();";
      case WaitingOpcode::store: return cell(b) + ".store(" + std::to_string(a) + ");";
      case WaitingOpcode::store_register: return cell(b) + ".store(" + reg(a) + ");";
      case WaitingOpcode::exchange: return to + cell(b) + ".exchange(" + value + ");";
      case WaitingOpcode::fetch_add: return to + cell(b) + ".fetch_add(" + value + ");";
      case WaitingOpcode::compare_exchange:
        return to + "exchange_if(" + cell(b) + ", " + reg(d) + ", " + reg(e) + ");";
      case WaitingOpcode::compare_load:
        return to + cell(b) + ".compare_exchange_strong(" + reg(d) + ", " + reg(e) + ");";
      case WaitingOpcode::lock: return "pthread_mutex_lock(&m);";
      case WaitingOpcode::unlock: return "pthread_mutex_unlock(&m);";
      case WaitingOpcode::try_lock: return to + "pthread_mutex_trylock(&m) == 0;";
      default: return hidden_instruction(at);
    }
  }

  std::string hidden_instruction(std::size_t at) const {
    const auto& [opcode, a, b, c, d, e] = code_[at];
    const std::string number = std::to_string(b);
    const auto set = [&](const std::string& what) { return reg(a) + " = static_cast<byte>(" + what + ");"; };
    switch (opcode) {
      case WaitingOpcode::set: return set(number);
      case WaitingOpcode::copy: return set(reg(b));
      case WaitingOpcode::add: return set(reg(b) + " + " + std::to_string(c));
      case WaitingOpcode::sum: return set(reg(b) + " + " + reg(c));
      case WaitingOpcode::mask: return set(reg(b) + " & " + std::to_string(c));
      case WaitingOpcode::shift: return set(reg(b) + " >> " + std::to_string(c));
      case WaitingOpcode::if_equal: return go(at, reg(a) + " == " + number, c);
      case WaitingOpcode::if_unequal: return go(at, reg(a) + " != " + number, c);
      case WaitingOpcode::if_same: return go(at, reg(a) + " == " + reg(b), c);
      case WaitingOpcode::if_different: return go(at, reg(a) + " != " + reg(b), c);
      case WaitingOpcode::jump: return go(at, "true", c);
      case WaitingOpcode::check:
        return "assert(" + reg(a) + " == " + number + " && \"check " + std::to_string(thread_) + "." +
               std::to_string(at) + "\");";
      default: return end(a != 0);
    }
  }

  std::string end(bool keeps_registers) const {
    std::string text;
    for (int i = 0; i < static_cast<int>(kWaitingRegisters); ++i) {
      const std::string place = "kept[" + std::to_string(thread_) + "][" + std::to_string(i) + "]";
      if (!keeps_registers) text += place + " = 0; ";
      if (keeps_registers && !style_.keeps_in_memory) text += place + " = " + reg(i) + "; ";
    }
    return text + "return nullptr;";
  }

  const std::vector<WaitingInstruction>& code_;
  WaitingStyle style_;
  std::size_t thread_;
};

std::string check_text(const std::vector<PollingEnd>& ends) {
  std::ostringstream out;
  out << "static void check() {\n";
  for (std::size_t i = 0; i < ends.size(); ++i) {
    out << "  if (is_state(\"";
    for (const std::uint8_t value : ends[i].values) out << "\\" << std::oct << int{value} << std::dec;
    out << "\", " << ends[i].values.size() << ")) assert(!\"end " << i << "\");\n";
  }
  out << "  assert(!\"end that is none\");\n}\n";
  return out.str();
}

}  // namespace

WaitingStyle WaitingStyle::random(std::uint64_t seed, std::size_t thread) {
  Random random(seed * 4 + thread);
  WaitingStyle style;
  style.keeps_in_memory = random.below(4) == 0;
  style.yields = random.below(4) == 0;
  return style;
}

std::string translate(const std::vector<WaitingSource>& programs) {
  std::ostringstream out;
  std::ostringstream table;
  out << kWaitingPrelude;
  for (std::size_t p = 0; p < programs.size(); ++p) {
    THRUM_CHECK(programs[p].styles.size() == programs[p].code.threads.size());
    out << "\nnamespace p" << p << " {  // " << programs[p].code.name << "\n";
    table << "  {{";
    for (std::size_t i = 0; i < programs[p].code.threads.size(); ++i) {
      out << ThreadText(programs[p], i).text();
      table << (i == 0 ? "" : ", ") << "p" << p << "::t" << i;
    }
    out << check_text(programs[p].ends) << "}\n";
    table << "}, p" << p << "::check},\n";
  }
  out << "\nstatic const Program programs[] = {\n" << table.str() << "};\n" << kWaitingMain;
  return out.str();
}

}  // namespace thrum

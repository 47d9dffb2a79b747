// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/toy_code.hpp"

#include <algorithm>
#include <sstream>

namespace thrum {

namespace {

struct Row {
  std::string_view name;
  std::string_view letters;  // x p q m c s: objects; r: a register; v: a value; t: a thread; n: a number
};

constexpr std::array<Row, kOpcodeCount> kTable = {{
    {"load", "xr"},        {"store", "xv"}, {"add", "xrv"},     {"cas", "xrvv"},   {"read", "pr"},
    {"write", "pv"},       {"lock", "m"},   {"trylock", "mr"},  {"unlock", "m"},   {"wait", "cm"},
    {"timedwait", "cmrn"}, {"signal", "c"}, {"broadcast", "c"}, {"down", "s"},     {"up", "s"},
    {"yield", ""},         {"create", "t"}, {"join", "t"},      {"choose", "rn"},  {"equal", "rv"},
    {"unequal", "rv"},     {"skip", "rvn"}, {"fence", ""},      {"move", "xxr"},   {"addboth", "xxv"},
    {"input", "rn"},       {"sum", "rv"},   {"subtract", "rv"}, {"below", "rvn"},  {"loadat", "rr"},
    {"storeat", "rv"},     {"peek", "xr"},  {"poke", "xv"},     {"readtwo", "qr"}, {"writetwo", "qv"},
}};

constexpr std::array<std::string_view, kOrderCount> kOrders = {"seq_cst", "relaxed", "acquire", "release",
                                                               "acq_rel"};

const Row& row(Opcode opcode) { return kTable[static_cast<std::size_t>(opcode)]; }

std::string print_operand(char letter, int operand) {
  if (letter == 'v' && operand >= kRegisterOperand) return "r" + std::to_string(operand - kRegisterOperand);
  if (letter == 'v' || letter == 'n') return std::to_string(operand);
  return letter + std::to_string(operand);
}

// The operand that prints as `text`, or nothing.
std::optional<std::uint8_t> parse_operand(char letter, const std::string& text) {
  for (int i = 0; i < operand_limit(letter); ++i) {
    if (print_operand(letter, i) == text) return static_cast<std::uint8_t>(i);
  }
  if (letter != 'v') return std::nullopt;
  std::optional<std::uint8_t> in = parse_operand('r', text);
  if (in) *in = static_cast<std::uint8_t>(*in + kRegisterOperand);
  return in;
}

// word: the name, with the order behind it.
std::optional<Instruction> parse_instruction(const std::string& word, std::istringstream& rest) {
  std::size_t dot = word.find('.');
  std::string name = word.substr(0, dot);
  auto found = std::find_if(kTable.begin(), kTable.end(), [&](const Row& r) { return r.name == name; });
  if (found == kTable.end()) return std::nullopt;
  Instruction instruction{static_cast<Opcode>(found - kTable.begin()), {}};
  if (dot != std::string::npos) {
    auto order = std::find(kOrders.begin(), kOrders.end(), word.substr(dot + 1));
    if (order == kOrders.end()) return std::nullopt;
    instruction.order = static_cast<Order>(order - kOrders.begin());
  }
  for (std::size_t i = 0; i < found->letters.size(); ++i) {
    std::string text;
    rest >> text;
    std::optional<std::uint8_t> operand = parse_operand(found->letters[i], text);
    if (!operand) return std::nullopt;
    instruction.operands[i] = *operand;
  }
  return instruction;
}

}  // namespace

std::string_view operand_letters(Opcode opcode) { return row(opcode).letters; }

std::string_view order_name(Order order) { return kOrders[static_cast<std::size_t>(order)]; }

bool may_have(Opcode opcode, Order order) {
  switch (opcode) {
    case Opcode::load: return order <= Order::acquire;
    case Opcode::store: return order <= Order::relaxed || order == Order::release;
    case Opcode::add:
    case Opcode::cas: return true;
    case Opcode::fence: return order != Order::relaxed;  // which a compiler leaves out
    default: return order == Order::seq_cst;
  }
}

int operand_limit(char letter) {
  switch (letter) {
    case 'q': return kToyObjects - 1;
    case 'r': return kToyRegisters;
    case 't': return kToyThreads;
    case 'v':
    case 'n': return kConstantMax + 1;
    default: return kToyObjects;
  }
}

bool has_waits(const ToyCode& code) {
  return std::any_of(code.threads.begin(), code.threads.end(), [](const auto& thread) {
    return std::any_of(thread.begin(), thread.end(), [](const Instruction& instruction) {
      return instruction.opcode == Opcode::wait || instruction.opcode == Opcode::timed_wait;
    });
  });
}

bool has_weak_orders(const ToyCode& code) {
  return std::any_of(code.threads.begin(), code.threads.end(), [](const auto& thread) {
    return std::any_of(thread.begin(), thread.end(),
                       [](const Instruction& instruction) { return instruction.order != Order::seq_cst; });
  });
}

bool is_valid(const ToyCode& code) {
  if (code.threads.empty() || code.threads.size() > kToyThreads) return false;
  std::array<std::size_t, kToyThreads> creator{};
  std::array<bool, kToyThreads> created{true};
  for (std::size_t thread = 0; thread < code.threads.size(); ++thread) {
    if (code.threads[thread].size() > 64) return false;
    for (const Instruction& instruction : code.threads[thread]) {
      if (!may_have(instruction.opcode, instruction.order)) return false;
      std::size_t other = instruction.operands[0];
      if (instruction.opcode == Opcode::create) {
        if (other >= code.threads.size() || created[other]) return false;
        created[other] = true;
        creator[other] = thread;
      }
      if (instruction.opcode == Opcode::join && (other == 0 || !created[other] || creator[other] != thread))
        return false;
      if (instruction.opcode == Opcode::choose && instruction.operands[1] == 0) return false;
      if (instruction.opcode == Opcode::input &&
          (instruction.operands[1] == 0 || instruction.operands[1] > kInputBitsMax))
        return false;
    }
  }
  return true;
}

std::string print(const ToyCode& code) {
  std::string text = code.spurious ? "spurious\n" : "";
  for (std::size_t thread = 0; thread < code.threads.size(); ++thread) {
    text += "thread t" + std::to_string(thread) + "\n";
    for (const Instruction& instruction : code.threads[thread]) {
      text += "  " + std::string(row(instruction.opcode).name);
      if (instruction.order != Order::seq_cst) text += "." + std::string(order_name(instruction.order));
      std::size_t i = 0;
      for (char letter : operand_letters(instruction.opcode)) {
        text += " " + print_operand(letter, instruction.operands[i++]);
      }
      text += "\n";
    }
  }
  return text;
}

std::optional<ToyCode> parse(std::string_view text) {
  ToyCode code;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word;
    if (!(words >> word)) continue;
    if (word == "spurious") {
      if (code.spurious || !code.threads.empty()) return std::nullopt;
      code.spurious = true;
    } else if (word == "thread") {
      words >> word;
      if (word != "t" + std::to_string(code.threads.size())) return std::nullopt;
      code.threads.emplace_back();
    } else {
      std::optional<Instruction> instruction = parse_instruction(word, words);
      if (!instruction || code.threads.empty()) return std::nullopt;
      code.threads.back().push_back(*instruction);
    }
    if (words >> word) return std::nullopt;
  }
  if (!is_valid(code)) return std::nullopt;
  return code;
}

bool stands_at_join(const ToyCode& code, int thread, std::size_t at) {
  const std::vector<Instruction>& list = code.threads[static_cast<std::size_t>(thread)];
  return at < list.size() && list[at].opcode == Opcode::join;
}

std::string print_local_state(int thread, std::size_t at, const std::array<int, kToyRegisters>& registers) {
  std::ostringstream out;
  out << 't' << thread << " at ";
  if (at == kToyOver) {
    out << "its end";
  } else {
    out << at;
  }
  for (int value : registers) out << ' ' << value;
  return out.str();
}

std::string print(const FinalState& state) {
  std::ostringstream out;
  auto list = [&](const char* name, const auto& values) {
    out << name;
    for (int value : values) out << ' ' << value;
    out << "; ";
  };
  list("shared", state.shared);
  list("plain", state.plain);
  list("holders", state.holder);
  list("semaphores", state.semaphores);
  for (std::size_t i = 0; i < state.threads.size(); ++i) {
    const FinalState::Thread& thread = state.threads[i];
    if (thread.status == FinalState::Thread::Status::absent) continue;
    out << 't' << i;
    if (thread.status == FinalState::Thread::Status::ended) {
      out << " ended";
    } else {
      out << (thread.in_wait ? " in " : " before ") << static_cast<int>(thread.at);
    }
    list(", registers", thread.registers);
  }
  return out.str();
}

}  // namespace thrum

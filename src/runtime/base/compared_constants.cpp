// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/compared_constants.hpp"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>

#include "runtime/base/modules.hpp"
#include "runtime/base/symbol_tables.hpp"

namespace thrum {

namespace {

using Bytes = std::span<const unsigned char>;

// Decodes a ModRM byte (at index 0): which instruction of its group it names, and where the operand ends.
struct Operand {
  unsigned group;
  unsigned reg;  // the register that the operand is, or that its address is relative to
  bool is_memory;
  std::int32_t displacement;
  std::size_t end;
};
constexpr unsigned kAdd = 0, kSub = 5, kCmp = 7;
constexpr unsigned kStackPointer = 4, kFramePointer = 5;

template <typename T>
std::optional<T> number_at(Bytes code, std::size_t at) {
  if (at > code.size() || code.size() - at < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, code.data() + at, sizeof value);
  return value;
}

std::optional<Operand> operand_at(Bytes code) {
  if (code.empty()) return std::nullopt;
  const unsigned mode = code[0] >> 6;
  Operand operand{(code[0] >> 3) & 7u, code[0] & 7u, mode != 3, 0, 1};
  if (!operand.is_memory) return operand;
  if (operand.reg == 4) ++operand.end;  // a SIB byte
  if (mode == 1) {
    const auto displacement = number_at<std::int8_t>(code, operand.end);
    if (!displacement) return std::nullopt;
    operand.displacement = *displacement;
    operand.end += 1;
  } else if (mode == 2 || operand.reg == 5) {
    const auto displacement = number_at<std::int32_t>(code, operand.end);
    if (!displacement) return std::nullopt;
    operand.displacement = *displacement;
    operand.end += 4;
  }
  return operand;
}

// An instruction that compares with a constant or adds or subtracts one. Compilers turn `x >= 20 && x < 40`
// into `x - 20 < 20`.
struct Constant {
  std::int64_t value;
  bool is_base;
};

std::optional<Constant> constant_of(Bytes code) {
  constexpr unsigned char kGroupByte = 0x83, kGroupWord = 0x81, kCmpAl = 0x3c, kCmpAx = 0x3d, kLea = 0x8d;
  const unsigned char opcode = code[0];
  if (opcode == kCmpAl || opcode == kCmpAx) {
    const auto byte = number_at<std::int8_t>(code, 1);
    const auto word = number_at<std::int32_t>(code, 1);
    if (opcode == kCmpAl && byte) return Constant{*byte, false};
    if (opcode == kCmpAx && word) return Constant{*word, false};
    return std::nullopt;
  }
  if (opcode != kGroupByte && opcode != kGroupWord && opcode != kLea) return std::nullopt;
  const std::optional<Operand> operand = operand_at(code.subspan(1));
  if (!operand) return std::nullopt;
  if (opcode == kLea) {
    // Relative to the stack pointer the sum is the address of a variable.
    const bool is_sum = operand->is_memory && operand->displacement != 0 && operand->reg != kStackPointer &&
                        operand->reg != kFramePointer;
    return is_sum ? std::optional(Constant{-std::int64_t{operand->displacement}, true}) : std::nullopt;
  }
  const auto byte = number_at<std::int8_t>(code, 1 + operand->end);
  const auto word = number_at<std::int32_t>(code, 1 + operand->end);
  if (opcode == kGroupByte ? !byte : !word) return std::nullopt;
  const std::int64_t value = opcode == kGroupByte ? std::int64_t{*byte} : std::int64_t{*word};
  const bool is_stack = !operand->is_memory && operand->reg == kStackPointer;
  if (operand->group == kCmp) return Constant{value, false};
  if (is_stack || operand->is_memory) return std::nullopt;
  if (operand->group == kSub) return Constant{value, true};
  if (operand->group == kAdd) return Constant{-value, true};
  return std::nullopt;
}

class Constants {
 public:
  explicit Constants(std::size_t most) : most_(most) {}

  void add(std::int64_t value) {
    const bool is_usual = value >= -1 && value <= 1;
    if (is_usual || values_.size() == most_) return;
    if (std::find(values_.begin(), values_.end(), value) == values_.end()) values_.push_back(value);
  }

  void add_code(Bytes code) {
    constexpr std::size_t kNear = 12;  // at most so many bytes lie between a subtraction and its comparison
    std::optional<std::int64_t> base;
    std::size_t base_at = 0;
    for (std::size_t i = 0; i < code.size() && values_.size() < most_; ++i) {
      const std::optional<Constant> constant = constant_of(code.subspan(i));
      if (!constant) continue;
      add(constant->value);
      if (constant->is_base) {
        base = constant->value;
        base_at = i;
      } else if (base && i - base_at <= kNear) {
        add(*base + constant->value);
      }
    }
  }

  // Adds the neighbours of the values, as far as there is room.
  void add_neighbours() {
    const std::size_t count = values_.size();
    for (std::int64_t step : {1, -1}) {
      for (std::size_t i = 0; i < count; ++i) add(values_[i] + step);
    }
  }

  std::vector<std::int64_t> take() { return std::move(values_); }

 private:
  std::size_t most_;
  std::vector<std::int64_t> values_;
};

}  // namespace

std::vector<std::int64_t> constants_in(std::span<const unsigned char> code, std::size_t most) {
  Constants constants(most);
  constants.add_code(code);
  return constants.take();
}

std::span<const std::int64_t> compared_constants() {
  constexpr std::size_t kMost = 44;  // the rest of the vectors is for other numbers
  static const std::vector<std::int64_t> values = [] {
    static std::vector<CodeRange> functions;
    visit_symbols(STT_FUNC, [](const char*, const CodeRange& range) {
      if (is_instrumented(range.begin)) functions.push_back(range);
    });
    Constants constants(kMost);
    for (const CodeRange& range : functions)
      constants.add_code({reinterpret_cast<const unsigned char*>(range.begin), range.end - range.begin});
    constants.add_neighbours();
    functions = {};
    return constants.take();
  }();
  return values;
}

}  // namespace thrum

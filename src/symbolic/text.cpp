// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Terms as text.
#include <string>

#include "symbolic/terms.hpp"

namespace thrum {

std::string decimal(Bits value) {
  std::string text;
  do {
    text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  return text;
}

namespace {

// Small negative numbers are more often meant than large ones.
std::string constant_text(Bits value, unsigned width) {
  constexpr Bits kSmall = 1024;
  const Bits negative = (0 - value) & bits_up_to(width);
  return width > 8 && negative < kSmall && negative != 0 ? "-" + decimal(negative) : decimal(value);
}

class Printer {
 public:
  Printer(const Terms& terms, std::string (*name)(std::uint32_t), int most)
      : terms_(terms), name_(name), left_(most) {}

  std::string text(Term term, bool is_inner) {
    if (left_-- <= 0) return "...";
    const Terms::Node& node = terms_[term];
    const auto operand = [&](std::size_t i) { return text(node.operands[i], true); };
    const std::string sign(row_of(node.kind).sign);
    switch (node.kind) {
      case TermKind::constant: return constant_text(terms_.value(term), node.width);
      case TermKind::symbol: return name_(node.operands[0]);
      case TermKind::extract:
        return operand(0) + "[" + std::to_string(node.low + node.width - 1) + ".." +
               std::to_string(node.low) + "]";
      case TermKind::zero_extend:
      case TermKind::sign_extend:
        return sign + std::to_string(node.width) + "(" + text(node.operands[0], false) + ")";
      case TermKind::if_then_else: {
        const std::string condition = operand(0);
        const std::string then = operand(1);
        return inner(condition + " ? " + then + " : " + operand(2), is_inner);
      }
      case TermKind::bit_xor:
        if (terms_.is_value(node.operands[1], bits_up_to(node.width))) return "~" + operand(0);
        break;
      case TermKind::add:
        if (const std::string right = constant_if_negative(node.operands[1]); !right.empty())
          return inner(operand(0) + " - " + right, is_inner);
        break;
      default: break;
    }
    const std::string left = operand(0);
    return inner(left + " " + sign + " " + operand(1), is_inner);
  }

 private:
  static std::string inner(const std::string& text, bool is_inner) {
    return is_inner ? "(" + text + ")" : text;
  }

  // Without its sign; empty: it is none.
  std::string constant_if_negative(Term term) const {
    if (!terms_.is_constant(term)) return "";
    const std::string text = constant_text(terms_.value(term), terms_.width(term));
    return text.front() == '-' ? text.substr(1) : "";
  }

  const Terms& terms_;
  std::string (*name_)(std::uint32_t);
  int left_;
};

}  // namespace

std::string to_text(const Terms& terms, Term term, std::string (*name)(std::uint32_t symbol), int most) {
  return Printer(terms, name, most).text(term, false);
}

}  // namespace thrum

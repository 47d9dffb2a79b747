// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each operator on all pairs of four bits against C's own arithmetic: the program whose variables the
// operands are holds the values first, then the operator's steps, and the interpreter runs it.
#include "cprogram/bit_vector.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "boolprog/interpreter.hpp"
#include "cprogram/code_builder.hpp"

namespace thrum::cprogram {
namespace {

constexpr std::size_t kWidth = 4;

// The low bits of a number, as one with a sign or without.
std::int64_t as_number(std::uint64_t bits, bool is_signed) {
  bits &= 15U;
  return is_signed && bits >= 8 ? static_cast<std::int64_t>(bits) - 16 : static_cast<std::int64_t>(bits);
}

using Operator = std::function<Bits(Arithmetic&, const Bits& a, const Bits& b)>;

Bits named(const std::string& name) {
  Bits result;
  for (std::size_t i = 0; i < kWidth; ++i) result.push_back(variable(name + std::to_string(i)));
  return result;
}

// A program that computes into the globals r0, ... and the operator's own variables.
class Computation {
 public:
  Computation(const Operator& make, std::int64_t a, std::int64_t b, bool constants) {
    bp::Program program;
    for (const char* name : {"a", "b", "r"}) {
      for (const Bit& bit : named(name)) program.globals.push_back({{bit.name}});
    }
    bp::Function main;
    main.name = {"main"};
    CodeBuilder code(main);
    Arithmetic arithmetic(code);
    code.begin_scope();
    code.assign(names_of(named("a")), constant_bits(a, kWidth));
    code.assign(names_of(named("b")), constant_bits(b, kWidth));
    Bits result = make(arithmetic, named("a"), constants ? constant_bits(b, kWidth) : named("b"));
    result.resize(kWidth, constant(false));
    code.assign(names_of(named("r")), std::move(result));
    program.globals.insert(program.globals.end(), main.locals.begin(), main.locals.end());
    main.locals.clear();
    program.functions.push_back(std::move(main));
    flow_ = bp::to_flow(bp::parse(bp::to_text(program)), {});
  }

  std::uint64_t result() const {
    bp::Interpreter interpreter(flow_);
    bp::State state;
    state.globals.resize(flow_.globals.size());
    bp::Frame frame;
    frame.pc = flow_.procedures[0].entry;
    state.threads.push_back({.stack = {frame}});
    while (!state.threads[0].stack.empty()) {
      bp::State next;
      interpreter.step(state, 0, [&](bp::State&& after) { next = std::move(after); });
      state = std::move(next);
    }
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < kWidth; ++i) number |= std::uint64_t{state.globals[2 * kWidth + i]} << i;
    return number;
  }

 private:
  bp::Flow flow_;
};

using Expected = std::function<std::int64_t(std::int64_t a, std::int64_t b)>;

void compare(const Operator& make, const Expected& expected, bool is_signed, bool b_is_zero_too = true) {
  for (std::uint64_t x = 0; x < 16; ++x) {
    for (std::uint64_t y = b_is_zero_too ? 0 : 1; y < 16; ++y) {
      std::int64_t a = as_number(x, is_signed);
      std::int64_t b = as_number(y, is_signed);
      std::uint64_t wanted = static_cast<std::uint64_t>(expected(a, b)) & 15U;
      EXPECT_EQ(Computation(make, a, b, false).result(), wanted) << a << ' ' << b;
      EXPECT_EQ(Computation(make, a, b, true).result(), wanted) << a << " constant " << b;
    }
  }
}

TEST(BitVector, Sums) {
  compare([](Arithmetic& with, const Bits& a, const Bits& b) { return with.add(a, b); },
          [](auto a, auto b) { return a + b; }, false);
  compare([](Arithmetic& with, const Bits& a, const Bits& b) { return with.subtract(a, b); },
          [](auto a, auto b) { return a - b; }, false);
  compare([](Arithmetic& with, const Bits& a, const Bits&) { return with.negate(a); },
          [](auto a, auto) { return -a; }, true);
}

// Operands that are no variables are stored first.
TEST(BitVector, SumsOfSums) {
  compare([](Arithmetic& with, const Bits& a,
             const Bits& b) { return with.add(with.add(a, b), with.subtract(a, b)); },
          [](auto a, auto) { return a + a; }, false);
}

TEST(BitVector, Products) {
  compare([](Arithmetic& with, const Bits& a, const Bits& b) { return with.multiply(a, b); },
          [](auto a, auto b) { return a * b; }, false);
  compare(
      [](Arithmetic& with, const Bits& a, const Bits& b) { return with.multiply(with.multiply(a, b), a); },
      [](auto a, auto b) { return a * b * a; }, true);
}

TEST(BitVector, Quotients) {
  for (bool is_signed : {false, true}) {
    compare(
        [=](Arithmetic& with, const Bits& a, const Bits& b) { return with.divide(a, b, is_signed).quotient; },
        [](auto a, auto b) { return a / b; }, is_signed, false);
    compare([=](Arithmetic& with, const Bits& a,
                const Bits& b) { return with.divide(a, b, is_signed).remainder; },
            [](auto a, auto b) { return a % b; }, is_signed, false);
  }
}

TEST(BitVector, Shifts) {
  compare([](Arithmetic& with, const Bits& a, const Bits& b) { return with.shift_left(a, b); },
          [](auto a, auto b) { return a << b; }, false);
  compare([](Arithmetic& with, const Bits& a, const Bits& b) { return with.shift_right(a, b, false); },
          [](auto a, auto b) { return a >> b; }, false);
  compare([](Arithmetic& with, const Bits& a, const Bits& b) { return with.shift_right(a, b, true); },
          [](auto a, auto b) { return a >> (b & 15); }, true);
}

TEST(BitVector, Comparisons) {
  compare([](Arithmetic& with, const Bits& a, const Bits& b) { return Bits{with.equal(a, b)}; },
          [](auto a, auto b) { return a == b ? 1 : 0; }, false);
  for (bool is_signed : {false, true}) {
    compare([=](Arithmetic& with, const Bits& a, const Bits& b) { return Bits{with.less(a, b, is_signed)}; },
            [](auto a, auto b) { return a < b ? 1 : 0; }, is_signed);
  }
}

TEST(BitVector, Widths) {
  compare(
      [](Arithmetic& with, const Bits& a, const Bits& b) {
        return with.add(with.extend({a[0], a[1]}, 4, true), b);
      },
      [](auto a, auto b) { return ((a & 2) != 0 ? (a & 3) - 4 : (a & 3)) + b; }, false);
  compare([](Arithmetic& with, const Bits& a, const Bits& b) { return with.choose(nonzero(b), a, b); },
          [](auto a, auto b) { return b != 0 ? a : b; }, false);
}

// Wider than a chain of carries may be.
TEST(BitVector, LongNumbers) {
  bp::Function function;
  CodeBuilder code(function);
  Arithmetic arithmetic(code);
  code.begin_scope();
  Bits sum = code.store(arithmetic.add(code.fresh(64), code.fresh(64)));
  for (const bp::Statement& one : function.body) {
    for (const Bit& value : one.values) EXPECT_LT(bp::to_text(value).size(), 600U);
  }
}

}  // namespace
}  // namespace thrum::cprogram

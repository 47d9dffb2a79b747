// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers as vectors of boolean expressions, the lowest bit first, in two's complement, and arithmetic on
// them.
//
// An expression is a tree, so that what is used twice in it is written twice: a chain of additions would grow
// exponentially. Operands that are used more than once are therefore stored in variables first, unless they
// are constants or variables already. No operator here evaluates `*`, which has another value each time.
//
// Tested by bit_vector_test.cpp, against C on all pairs of small values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "boolprog/syntax.hpp"

namespace thrum::cprogram {

using Bit = bp::Expression;
using Bits = std::vector<Bit>;

Bit constant(bool value);
Bit variable(const std::string& name);
Bit arbitrary();
// These leave out what constants decide.
Bit operator!(Bit a);
Bit operator&(Bit a, Bit b);
Bit operator|(Bit a, Bit b);
Bit operator^(Bit a, Bit b);
Bit conditional(Bit condition, Bit yes, Bit no);
bool is(const Bit& bit, bool value);  // that constant

Bits constant_bits(std::int64_t value, std::size_t width);
Bit nonzero(const Bits& a);
Bit equals(const Bits& a, std::uint64_t value);

// Variables for what is needed more than once.
class Scratch {
 public:
  virtual ~Scratch() = default;
  // The variables that now hold the values, in one step.
  virtual Bits store(Bits values) = 0;
  // Those of store(), which are not needed any more.
  virtual void release(const Bits& stored) = 0;
};

// Operands of a binary operator have the same width, and so has its result; the shifts' second one is of any.
class Arithmetic {
 public:
  explicit Arithmetic(Scratch& scratch) : scratch_(scratch) {}

  // The same values, such that writing them twice costs little.
  Bits hold(Bits values);
  Bit hold(Bit value);

  Bits add(Bits a, Bits b, Bit carry = constant(false));
  Bits subtract(Bits a, Bits b);
  Bits negate(Bits a);
  Bits multiply(Bits a, Bits b);
  struct Division {
    Bits quotient;
    Bits remainder;
  };
  // Rounds towards zero. Anything for a divisor of zero.
  Division divide(Bits a, Bits b, bool is_signed);
  Bits shift_left(Bits a, const Bits& by);
  Bits shift_right(Bits a, const Bits& by, bool is_signed);
  Bits choose(Bit condition, Bits yes, const Bits& no);
  Bits extend(Bits a, std::size_t width, bool is_signed);  // or cuts

  Bit equal(const Bits& a, const Bits& b);
  Bit less(Bits a, Bits b, bool is_signed);

 private:
  Division divide_unsigned(const Bits& a, const Bits& b);
  Bits shift(Bits a, const Bits& by, const Bit& fill, bool to_left);

  Scratch& scratch_;
};

}  // namespace thrum::cprogram

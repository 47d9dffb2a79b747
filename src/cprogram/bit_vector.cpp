// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cprogram/bit_vector.hpp"

#include <algorithm>
#include <utility>

namespace thrum::cprogram {

namespace {

using Kind = bp::Expression::Kind;

// A chain of carries is cut after so many bits.
constexpr std::size_t kCarriesMax = 8;

Bit made(Kind kind, Bit a, Bit b) {
  Bit result{.kind = kind};
  result.operands.push_back(std::move(a));
  result.operands.push_back(std::move(b));
  return result;
}

bool is_simple(const Bit& bit) {
  return bit.kind == Kind::constant || bit.kind == Kind::variable ||
         (bit.kind == Kind::negation && bit.operands[0].kind == Kind::variable);
}

bool is_constant(const Bit& bit) { return bit.kind == Kind::constant; }

}  // namespace

Bit constant(bool value) { return {.kind = Kind::constant, .value = value}; }
Bit variable(const std::string& name) { return {.kind = Kind::variable, .name = name}; }
Bit arbitrary() { return {.kind = Kind::nondeterministic}; }
bool is(const Bit& bit, bool value) { return is_constant(bit) && bit.value == value; }

Bit operator!(Bit a) {
  if (is_constant(a)) return constant(!a.value);
  if (a.kind == Kind::negation) {
    Bit inner = std::move(a.operands[0]);
    return inner;
  }
  Bit result{.kind = Kind::negation};
  result.operands.push_back(std::move(a));
  return result;
}

Bit operator&(Bit a, Bit b) {
  if (is_constant(a)) return a.value ? b : a;
  if (is_constant(b)) return b.value ? a : b;
  return made(Kind::conjunction, std::move(a), std::move(b));
}

Bit operator|(Bit a, Bit b) {
  if (is_constant(a)) return a.value ? a : b;
  if (is_constant(b)) return b.value ? b : a;
  return made(Kind::disjunction, std::move(a), std::move(b));
}

Bit operator^(Bit a, Bit b) {
  if (is_constant(a)) return a.value ? !std::move(b) : b;
  if (is_constant(b)) return b.value ? !std::move(a) : a;
  return made(Kind::exclusive, std::move(a), std::move(b));
}

Bit conditional(Bit condition, Bit yes, Bit no) {
  if (is_constant(condition)) return condition.value ? yes : no;
  if (is_constant(yes))
    return yes.value ? std::move(condition) | std::move(no) : (!std::move(condition)) & std::move(no);
  if (is_constant(no))
    return no.value ? (!std::move(condition)) | std::move(yes) : std::move(condition) & std::move(yes);
  Bit result{.kind = Kind::conditional};
  result.operands = {std::move(condition), std::move(yes), std::move(no)};
  return result;
}

Bits constant_bits(std::int64_t value, std::size_t width) {
  Bits result;
  for (std::size_t i = 0; i < width; ++i) {
    result.push_back(constant(((value >> std::min<std::size_t>(i, 63)) & 1) != 0));
  }
  return result;
}

Bit nonzero(const Bits& a) {
  Bit result = constant(false);
  for (const Bit& bit : a) result = std::move(result) | bit;
  return result;
}

Bit equals(const Bits& a, std::uint64_t value) {
  Bit result = constant(true);
  for (std::size_t i = 0; i < a.size(); ++i) {
    bool wanted = i < 64 && ((value >> i) & 1U) != 0;
    result = std::move(result) & (wanted ? a[i] : !a[i]);
  }
  return result;
}

Bits Arithmetic::hold(Bits values) {
  if (std::all_of(values.begin(), values.end(), is_simple)) return values;
  Bits wanted;
  std::copy_if(values.begin(), values.end(), std::back_inserter(wanted),
               [](const Bit& bit) { return !is_simple(bit); });
  Bits stored = scratch_.store(std::move(wanted));
  std::size_t next = 0;
  for (Bit& bit : values) {
    if (!is_simple(bit)) bit = stored[next++];
  }
  return values;
}

Bit Arithmetic::hold(Bit value) { return hold(Bits{std::move(value)})[0]; }

Bits Arithmetic::add(Bits a, Bits b, Bit carry) {
  a = hold(std::move(a));
  b = hold(std::move(b));
  Bits sum;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (i % kCarriesMax == 0 && i > 0) carry = hold(std::move(carry));
    Bit differ = a[i] ^ b[i];
    sum.push_back(differ ^ carry);
    if (i + 1 < a.size()) carry = (a[i] & b[i]) | (std::move(carry) & differ);
  }
  return sum;
}

Bits Arithmetic::subtract(Bits a, Bits b) {
  for (Bit& bit : b) bit = !std::move(bit);
  return add(std::move(a), std::move(b), constant(true));
}

Bits Arithmetic::negate(Bits a) {
  std::size_t width = a.size();
  return subtract(constant_bits(0, width), std::move(a));
}

Bits Arithmetic::multiply(Bits a, Bits b) {
  // The one with more constants says which multiples are added.
  if (std::count_if(a.begin(), a.end(), is_constant) > std::count_if(b.begin(), b.end(), is_constant))
    std::swap(a, b);
  a = hold(std::move(a));
  b = hold(std::move(b));
  std::size_t width = a.size();
  Bits sum = constant_bits(0, width);
  Bits stored;
  for (std::size_t i = 0; i < width; ++i) {
    if (is(b[i], false)) continue;
    Bits multiple(i, constant(false));
    for (std::size_t k = 0; i + k < width; ++k) multiple.push_back(a[k] & b[i]);
    Bits next = scratch_.store(add(std::move(sum), std::move(multiple)));
    scratch_.release(stored);
    sum = stored = std::move(next);
  }
  return sum;
}

Arithmetic::Division Arithmetic::divide_unsigned(const Bits& a, const Bits& b) {
  std::size_t width = a.size();
  Bits divisor = b;
  divisor.push_back(constant(false));  // the remainder may be twice the divisor on the way
  Bits remainder = constant_bits(0, width + 1);
  Bits quotient(width, constant(false));
  Bits stored;
  for (std::size_t i = width; i-- > 0;) {
    remainder.pop_back();
    remainder.insert(remainder.begin(), a[i]);
    Bits fits = scratch_.store({!less(remainder, divisor, false)});
    Bits next = scratch_.store(choose(fits[0], subtract(remainder, divisor), remainder));
    scratch_.release(stored);
    remainder = stored = std::move(next);
    quotient[i] = fits[0];
  }
  remainder.pop_back();
  return {std::move(quotient), std::move(remainder)};
}

Arithmetic::Division Arithmetic::divide(Bits a, Bits b, bool is_signed) {
  a = hold(std::move(a));
  b = hold(std::move(b));
  if (!is_signed) return divide_unsigned(a, b);
  Bit a_negative = a.back();
  Bit b_negative = b.back();
  Bits a_size = hold(choose(a_negative, negate(a), a));
  Bits b_size = hold(choose(b_negative, negate(b), b));
  Division sizes = divide_unsigned(a_size, b_size);
  Division result;
  result.quotient = choose(hold(a_negative ^ b_negative), negate(sizes.quotient), sizes.quotient);
  result.remainder = choose(a_negative, negate(sizes.remainder), sizes.remainder);
  return result;
}

Bits Arithmetic::shift(Bits a, const Bits& by, const Bit& fill, bool to_left) {
  std::size_t width = a.size();
  Bit too_far = constant(false);
  for (std::size_t level = 0; level < by.size(); ++level) {
    std::size_t distance = level < 32 ? std::size_t{1} << level : width;
    if (distance >= width) {
      too_far = std::move(too_far) | by[level];
      continue;
    }
    if (is(by[level], false)) continue;
    a = hold(std::move(a));
    Bits shifted(width, fill);
    for (std::size_t i = 0; i + distance < width; ++i) {
      if (to_left) shifted[i + distance] = a[i];
      if (!to_left) shifted[i] = a[i + distance];
    }
    a = choose(by[level], std::move(shifted), a);
  }
  return choose(hold(std::move(too_far)), Bits(width, fill), a);
}

Bits Arithmetic::shift_left(Bits a, const Bits& by) {
  return shift(std::move(a), hold(by), constant(false), true);
}

Bits Arithmetic::shift_right(Bits a, const Bits& by, bool is_signed) {
  if (is_signed) a.back() = hold(std::move(a.back()));
  Bit fill = is_signed ? a.back() : constant(false);
  return shift(std::move(a), hold(by), fill, false);
}

Bits Arithmetic::choose(Bit condition, Bits yes, const Bits& no) {
  condition = hold(std::move(condition));
  for (std::size_t i = 0; i < yes.size(); ++i) yes[i] = conditional(condition, std::move(yes[i]), no[i]);
  return yes;
}

Bits Arithmetic::extend(Bits a, std::size_t width, bool is_signed) {
  if (a.size() < width && is_signed) a.back() = hold(std::move(a.back()));
  Bit fill = is_signed ? a.back() : constant(false);
  a.resize(width, fill);
  return a;
}

Bit Arithmetic::equal(const Bits& a, const Bits& b) {
  Bit result = constant(true);
  for (std::size_t i = 0; i < a.size(); ++i) {
    Bit same = is_constant(a[i]) || is_constant(b[i]) ? !(a[i] ^ b[i]) : made(Kind::equal, a[i], b[i]);
    result = std::move(result) & std::move(same);
  }
  return result;
}

Bit Arithmetic::less(Bits a, Bits b, bool is_signed) {
  a = hold(std::move(a));
  b = hold(std::move(b));
  if (is_signed) std::swap(a.back(), b.back());  // a negative number is less than any other
  Bit result = constant(false);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (i % kCarriesMax == 0 && i > 0) result = hold(std::move(result));
    result = ((!a[i]) & b[i]) | ((!(a[i] ^ b[i])) & std::move(result));
  }
  return result;
}

}  // namespace thrum::cprogram

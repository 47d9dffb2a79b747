// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cerrno>
#include <climits>
#include <vector>

#include "functions.hpp"

namespace thrum {
namespace {

template <class Number>
std::vector<Number> numbers(Inputs& inputs) {
  std::vector<Number> all = {0,
                             1,
                             -1,
                             2,
                             -2,
                             7,
                             -7,
                             std::numeric_limits<Number>::max(),
                             std::numeric_limits<Number>::max() - 1,
                             std::numeric_limits<Number>::min(),
                             std::numeric_limits<Number>::min() + 1};
  for (int i = 0; i < 60; ++i)
    all.push_back(
        static_cast<Number>((std::uint64_t{inputs.word()} << 32 | inputs.word()) >> inputs.number(60)));
  return all;
}

TEST(Numbers, AbsoluteValues) {
  Inputs inputs;
  for (int n : numbers<int>(inputs)) EXPECT_EQ(vm_abs(n), n == INT_MIN ? n : std::abs(n));
  for (long n : numbers<long>(inputs)) EXPECT_EQ(vm_labs(n), n == LONG_MIN ? n : std::labs(n));
  for (long long n : numbers<long long>(inputs)) EXPECT_EQ(vm_llabs(n), n == LLONG_MIN ? n : std::llabs(n));
}

template <class Number, class Ours, class Theirs>
void expect_same_quotients(Ours ours, Theirs theirs) {
  Inputs inputs;
  const std::vector<Number> all = numbers<Number>(inputs);
  for (Number value : all) {
    for (Number by : all) {
      if (by == 0 || (by == -1 && value == std::numeric_limits<Number>::min())) continue;
      const auto our = ours(value, by);
      const auto their = theirs(value, by);
      EXPECT_EQ(our.quot, their.quot) << value << " / " << by;
      EXPECT_EQ(our.rem, their.rem) << value << " / " << by;
    }
  }
}

TEST(Numbers, Quotients) {
  expect_same_quotients<int>(vm_div, [](int value, int by) { return std::div(value, by); });
  expect_same_quotients<long>(vm_ldiv, [](long value, long by) { return std::ldiv(value, by); });
  expect_same_quotients<long long>(vm_lldiv,
                                   [](long long value, long long by) { return std::lldiv(value, by); });
}

// White space, signs, digits and more, in an order that makes sense more often than not.
std::string number_text(Inputs& inputs) {
  const auto some_of = [&](const std::string& set, std::size_t most) {
    std::string text;
    for (std::size_t left = inputs.number(most); left > 0; --left)
      text.push_back(set[inputs.number(set.size() - 1)]);
    return text;
  };
  return some_of(" \t\n\v\f\r", 2) + some_of("+-", inputs.number(7) == 0 ? 2 : 1) + some_of("0", 2) +
         some_of("0123456789", inputs.number(1) == 0 ? 5 : 22) + some_of(" x.-9/:", 2);
}

template <class Ours, class Theirs>
void expect_same_number(const std::string& text, Ours ours, Theirs theirs) {
  static Guarded memory;
  const char* in = memory.place_string(text);
  errno = 0;
  const auto their = theirs(in);
  const int their_error = errno;
  errno = 0;
  EXPECT_EQ(ours(in), their) << "'" << text << "'";
  EXPECT_EQ(errno, their_error) << "'" << text << "'";
}

TEST(Numbers, Texts) {
  Inputs inputs;
  std::vector<std::string> texts = {"",
                                    "-",
                                    "+",
                                    " ",
                                    "+-1",
                                    "- 1",
                                    "9223372036854775807",
                                    "9223372036854775808",
                                    "-9223372036854775808",
                                    "-9223372036854775809",
                                    "92233720368547758070",
                                    "2147483647",
                                    "2147483648",
                                    "-2147483648",
                                    "-2147483649",
                                    "4294967296",
                                    "0x10",
                                    "\x85"};
  for (int i = 0; i < kRandomInputs; ++i) texts.push_back(number_text(inputs));
  for (const std::string& text : texts) {
    expect_same_number(text, vm_atoi, [](const char* in) { return std::atoi(in); });
    expect_same_number(text, vm_atol, [](const char* in) { return std::atol(in); });
    expect_same_number(text, vm_atoll, [](const char* in) { return std::atoll(in); });
  }
}

}  // namespace
}  // namespace thrum

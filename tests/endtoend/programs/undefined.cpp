// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One kind of undefined behaviour for each number that may be given as argument; without one, the number of
// kinds. Built with -fsanitize=undefined.
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

// What compilers cannot know, and so do not warn of or fold away.
template <typename T>
T opaque(T value) {
  volatile T copy = value;
  return copy;
}

struct Base {
  virtual ~Base() = default;
  int value = 1;
};
struct Derived : Base {
  virtual int get() { return value; }
};
struct Other {
  virtual ~Other() = default;
  virtual int get() { return 2; }
};
struct Multiple : Other, Derived {};

enum Color { kRed, kGreen };

__attribute__((nonnull)) int first(const char* text) { return text != nullptr ? *text : 0; }
__attribute__((returns_nonnull)) const char* nothing() { return opaque<const char*>(nullptr); }
int no_return(int x) {
  if (x > 0) return x;
}

volatile int sink = 0;

void overflow_add() { sink = opaque(INT_MAX) + opaque(1); }
void overflow_subtract() { sink = opaque(INT_MIN) - opaque(1); }
void overflow_multiply() { sink = opaque(LLONG_MAX) * opaque(2LL) > 0 ? 1 : 2; }
void overflow_negate() { sink = -opaque(INT_MIN); }
void overflow_wide() {
  __int128 wide = static_cast<__int128>(opaque(1)) << 126;
  sink = wide + wide > 0 ? 1 : 2;
}
void overflow_short() { sink = opaque<short>(-7) * opaque(INT_MAX); }
void divide_by_zero() { sink = opaque(1) / opaque(0); }
void divide_by_minus_one() { sink = opaque(INT_MIN) / opaque(-1); }
void shift_too_far() { sink = 1 << opaque(40); }
void shift_by_negative() { sink = 1 << opaque(-3); }
void index_out_of_bounds() {
  int array[4] = {};
  sink = array[opaque(5)];
}
void length_negative() {
  int length = opaque(-2);
  int array[length];
  sink = sizeof array;
}
void float_cast() { sink = static_cast<int>(opaque(1e20)); }
void load_bool() {
  bool flag = false;
  char byte = 3;
  std::memcpy(&flag, &byte, 1);
  sink = opaque(flag) ? 1 : 0;
}
void load_enum() {
  Color color = kRed;
  int value = 77;
  std::memcpy(&color, &value, sizeof color);
  sink = opaque(color);
}
void null_load() { sink = *opaque<int*>(nullptr); }
void null_member() { sink = opaque<Derived*>(nullptr)->value; }
void misaligned() {
  alignas(int) char bytes[8] = {};
  sink = *reinterpret_cast<int*>(opaque(bytes + 1));
}
void null_offset() { sink = *opaque(opaque<char*>(nullptr) + opaque(4)); }
void null_argument() { sink = first(opaque<const char*>(nullptr)); }
void null_return() { sink = nothing() == nullptr ? 1 : 2; }
void missing_return() { sink = no_return(opaque(-1)); }
void unreachable() {
  if (opaque(1) == 1) __builtin_unreachable();
}
void wrong_type() {
  Other other;
  sink = reinterpret_cast<Derived*>(opaque(&other))->get();
}
void zero_to_ctz() { sink = __builtin_ctz(opaque(0u)); }

constexpr void (*kKinds[])() = {
    overflow_add,        overflow_subtract, overflow_multiply,   overflow_negate, overflow_wide,
    overflow_short,      divide_by_zero,    divide_by_minus_one, shift_too_far,   shift_by_negative,
    index_out_of_bounds, length_negative,   float_cast,          load_bool,       load_enum,
    null_load,           null_member,       misaligned,          null_offset,     null_argument,
    null_return,         missing_return,    unreachable,         wrong_type,      zero_to_ctz};

}  // namespace

int main(int argc, char** argv) {
  // Right uses, whose checks must let them pass.
  Multiple multiple;
  Derived* derived = opaque(&multiple);
  sink = derived->get() + opaque(1) / opaque(1);
  if (argc < 2) {
    std::printf("%zu\n", sizeof kKinds / sizeof *kKinds);
    return 0;
  }
  auto kind = static_cast<std::size_t>(std::atoi(argv[1]));
  if (argc > 2) {
    std::thread([kind] { kKinds[kind](); }).join();
  } else {
    kKinds[kind]();
  }
}

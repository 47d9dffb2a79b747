// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of <math.h>, by libc's own (mathematics.def). Arguments and results are slots as code.hpp has
// them; where libc's function sets errno, the thread's errno is set.
#include <bit>
#include <cfenv>
#include <complex>
#include <cstring>
#include <ctime>

#include <fenv.h>
#include <math.h>

#include "vm/library.hpp"

// Not in C++'s headers: they are C's.
extern "C" {
#define THRUM_VM_COMPLEX(name)                                \
  __complex__ double name(__complex__ double) noexcept(true); \
  __complex__ float name##f(__complex__ float) noexcept(true);
THRUM_VM_COMPLEX(cacos)
THRUM_VM_COMPLEX(cacosh)
THRUM_VM_COMPLEX(casin)
THRUM_VM_COMPLEX(casinh)
THRUM_VM_COMPLEX(catan)
THRUM_VM_COMPLEX(catanh)
THRUM_VM_COMPLEX(ccos)
THRUM_VM_COMPLEX(ccosh)
THRUM_VM_COMPLEX(cexp)
THRUM_VM_COMPLEX(clog)
THRUM_VM_COMPLEX(conj)
THRUM_VM_COMPLEX(cproj)
THRUM_VM_COMPLEX(csin)
THRUM_VM_COMPLEX(csinh)
THRUM_VM_COMPLEX(csqrt)
THRUM_VM_COMPLEX(ctan)
THRUM_VM_COMPLEX(ctanh)
#undef THRUM_VM_COMPLEX
double cabs(__complex__ double) noexcept(true);
float cabsf(__complex__ float) noexcept(true);
double carg(__complex__ double) noexcept(true);
float cargf(__complex__ float) noexcept(true);
__complex__ double cpow(__complex__ double, __complex__ double) noexcept(true);
__complex__ float cpowf(__complex__ float, __complex__ float) noexcept(true);
// What compilers call for products and quotients of complex numbers: the compiler's own library has them.
#define THRUM_VM_COMPLEX(name, letter, type) __complex__ type __##name##letter##c3(type, type, type, type);
THRUM_VM_COMPLEX(mul, s, float)
THRUM_VM_COMPLEX(mul, d, double)
THRUM_VM_COMPLEX(mul, x, long double)
THRUM_VM_COMPLEX(div, s, float)
THRUM_VM_COMPLEX(div, d, double)
THRUM_VM_COMPLEX(div, x, long double)
#undef THRUM_VM_COMPLEX
}

namespace thrum::vm {

namespace {

constexpr std::size_t kExtendedBytes = 10;

// The value in the slots from `argument` on, which goes behind it.
template <typename T>
T take(const Call& call, std::size_t& argument) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(call.argument(argument++));
  } else if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(call.argument(argument++)));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(call.argument(argument++));
  } else if constexpr (std::is_same_v<T, long double>) {
    const std::uint64_t words[] = {call.argument(argument), call.argument(argument + 1)};
    argument += 2;
    long double value = 0;
    std::memcpy(&value, words, kExtendedBytes);
    return value;
  } else {
    using Part = decltype(__real__ T());
    T value = take<Part>(call, argument);
    __imag__ value = take<Part>(call, argument);
    return value;
  }
}

template <typename T>
void give(std::uint64_t* slots, T value) {
  if constexpr (std::is_integral_v<T>) {
    slots[0] = static_cast<std::make_unsigned_t<T>>(value);
  } else if constexpr (std::is_same_v<T, float>) {
    slots[0] = std::bit_cast<std::uint32_t>(value);
  } else if constexpr (std::is_same_v<T, double>) {
    slots[0] = std::bit_cast<std::uint64_t>(value);
  } else if constexpr (std::is_same_v<T, long double>) {
    slots[0] = slots[1] = 0;
    std::memcpy(slots, &value, kExtendedBytes);
  } else {
    give(slots, __real__ value);
    give(slots + (sizeof(__imag__ value) > sizeof(double) ? 2 : 1), __imag__ value);
  }
}

template <typename Result>
Next give_result(const Call& call, Result value) {
  give(call.registers() + call.site.result, value);
  return Next::done;
}

template <typename Result, typename... Arguments>
Next compute(Call& call, Result (*function)(Arguments...)) {
  std::size_t argument = 0;
  const std::tuple<Arguments...> arguments{take<Arguments>(call, argument)...};
  errno = 0;
  const Result result = std::apply(function, arguments);
  if (errno != 0) set_errno(call, errno);
  return give_result(call, result);
}

// With a place for a second result behind the arguments.
template <typename Second, typename... Arguments>
Next compute_two(Call& call, auto function) {
  std::size_t argument = 0;
  const std::tuple<Arguments...> arguments{take<Arguments>(call, argument)...};
  const std::uint64_t place = call.argument(argument);
  Second second = {};
  errno = 0;
  const auto result = std::apply([&](auto... each) { return function(each..., &second); }, arguments);
  const int error = errno;
  if (!put_value(call, place, second)) return Next::over;
  if (error != 0) set_errno(call, error);
  return give_result(call, result);
}

template <typename T>
Next sine_and_cosine(Call& call, void (*function)(T, T*, T*)) {
  std::size_t argument = 0;
  const T value = take<T>(call, argument);
  T sine = 0, cosine = 0;
  errno = 0;
  function(value, &sine, &cosine);
  const int error = errno;
  if (!put_value(call, call.argument(argument), sine) ||
      !put_value(call, call.argument(argument + 1), cosine))
    return Next::over;
  if (error != 0) set_errno(call, error);
  return Next::done;
}

template <typename T>
Next not_a_number(Call& call, T (*function)(const char*)) {
  const auto text = read_text<char>(call, call.argument(0));
  return text ? give_result(call, function(std::string(*text).c_str())) : Next::over;
}

}  // namespace

#define THRUM_VM_MATHEMATICS(name, type)              \
  Next do_##name(Call& call) {                        \
    using Type = type;                                \
    return compute(call, static_cast<Type*>(::name)); \
  }
#include "vm/mathematics.def"
#undef THRUM_VM_MATHEMATICS

#define THRUM_VM_TWO(name, ...)                                                                    \
  Next do_##name(Call& call) {                                                                     \
    return compute_two<__VA_ARGS__>(call, [](auto... arguments) { return ::name(arguments...); }); \
  }
THRUM_VM_TWO(modf, double, double)
THRUM_VM_TWO(modff, float, float)
THRUM_VM_TWO(modfl, long double, long double)
THRUM_VM_TWO(frexp, int, double)
THRUM_VM_TWO(frexpf, int, float)
THRUM_VM_TWO(frexpl, int, long double)
THRUM_VM_TWO(remquo, int, double, double)
THRUM_VM_TWO(remquof, int, float, float)
THRUM_VM_TWO(remquol, int, long double, long double)
THRUM_VM_TWO(lgamma_r, int, double)
THRUM_VM_TWO(lgammaf_r, int, float)
THRUM_VM_TWO(lgammal_r, int, long double)
#undef THRUM_VM_TWO
Next do_sincos(Call& call) { return sine_and_cosine<double>(call, ::sincos); }
Next do_sincosf(Call& call) { return sine_and_cosine<float>(call, ::sincosf); }
Next do_sincosl(Call& call) { return sine_and_cosine<long double>(call, ::sincosl); }
Next do_nan(Call& call) { return not_a_number(call, ::nan); }
Next do_nanf(Call& call) { return not_a_number(call, ::nanf); }
Next do_nanl(Call& call) { return not_a_number(call, ::nanl); }

// The rounding mode of a thread holds for its instructions too (Machine::run_current).
Next do_fegetround(Call& call) { return call.result_int(call.thread.rounding); }
Next do_fesetround(Call& call) {
  const int mode = call.int_argument(0);
  if (std::fesetround(mode) != 0) return call.result_int(1);
  call.machine.change(call.thread).rounding = mode;
  return call.result_int(0);
}

}  // namespace thrum::vm

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The handlers that a program compiled with -fsanitize=undefined calls when its behaviour is undefined. Under
// a search this is a bug. A plain process behaves as without Thrum. g++ has linked UBSan's own library,
// behind ours; that library reports. With clang++ the library would bring in the sanitizer's runtime, which
// ours replaces; so the report is printed here, in the same words.
//
// Rejected: UBSan's hook for reports, __ubsan_on_report. It is called with a lock held, which the execution
// would leave locked. Its library reads files and environment in the middle of the execution. clang++ links
// it into the executable, where its own empty hook comes first.

#include <dlfcn.h>
#include <cstdlib>
#include <cstring>

#include "runtime/base/engine.hpp"
#include "runtime/intercept/intercept.hpp"
#include "runtime/intercept/ubsan_data.hpp"
#include "support/raw_syscall.hpp"

using namespace thrum;

namespace {

// The data of each handler, written by the compiler. All but a few begin with the location.
struct Located {
  UbsanLocation location;
};
struct Typed : Located {
  const UbsanType* type;
};
struct TypedTwice : Typed {
  const UbsanType* type2;
};
struct Mismatch : Typed {
  unsigned char log_alignment;
  unsigned char check;
};
struct Alignment : Located {
  UbsanLocation assumption;
  const UbsanType* type;
};
struct Builtin : Located {
  unsigned char kind;
};
struct Argument : Located {
  UbsanLocation attribute;
  int index;
};
struct DynamicType : Typed {
  const void* type_info;
  unsigned char check;
};

constexpr const char* kChecks[] = {"load of",
                                   "store to",
                                   "reference binding to",
                                   "member access within",
                                   "member call on",
                                   "constructor call on",
                                   "downcast of",
                                   "downcast of",
                                   "upcast of",
                                   "cast to virtual base of",
                                   "_Nonnull binding to",
                                   "dynamic operation on"};

const char* check_words(unsigned char check) {
  return check < sizeof kChecks / sizeof *kChecks ? kChecks[check] : "operation on";
}

// ---- The wording of reports ------------------------------------------------------------------------------

void describe_overflow(UbsanText& text, const Typed& data, const char* sign, UbsanValue left,
                       UbsanValue right) {
  text << (data.type->is_signed() ? "signed" : "unsigned")
       << " integer overflow: " << UbsanNumber(*data.type, left) << " " << sign << " "
       << UbsanNumber(*data.type, right) << " cannot be represented in type " << *data.type;
}

void describe(UbsanText& text, const Mismatch& data, UbsanValue pointer, UbsanValue) {
  text << check_words(data.check);
  std::uintptr_t alignment = std::uintptr_t{1} << data.log_alignment;
  if (pointer == 0) {
    text << " null pointer of type " << *data.type;
  } else if ((pointer & (alignment - 1)) != 0) {
    text << " misaligned address";
    text.address(pointer) << " for type " << *data.type << ", which requires " << alignment
                          << " byte alignment";
  } else {
    text << " address";
    text.address(pointer) << " with insufficient space for an object of type " << *data.type;
  }
}

void describe_alignment(UbsanText& text, const Alignment& data, UbsanValue alignment, UbsanValue offset) {
  text << "assumption of " << alignment << " byte alignment ";
  if (offset != 0) text << "(with offset of " << offset << " byte) ";
  text << "for pointer of type " << *data.type << " failed";
}

void describe_negation(UbsanText& text, const Typed& data, UbsanValue value, UbsanValue) {
  text << "negation of " << UbsanNumber(*data.type, value) << " cannot be represented in type " << *data.type;
  if (data.type->is_signed()) text << "; cast to an unsigned type to negate this value to itself";
}

void describe_division(UbsanText& text, const Typed& data, UbsanValue left, UbsanValue right) {
  if (UbsanNumber(*data.type, right).is_minus_one()) {
    text << "division of " << UbsanNumber(*data.type, left) << " by -1 cannot be represented in type "
         << *data.type;
  } else {
    text << "division by zero";
  }
}

void describe_shift(UbsanText& text, const TypedTwice& data, UbsanValue left, UbsanValue right) {
  UbsanNumber value(*data.type, left);
  UbsanNumber places(*data.type2, right);
  if (places.negative()) {
    text << "shift exponent " << places << " is negative";
  } else if (places.integer >= data.type->bits()) {
    text << "shift exponent " << places << " is too large for " << std::uint64_t{data.type->bits()}
         << "-bit type " << *data.type;
  } else if (value.negative()) {
    text << "left shift of negative value " << value;
  } else {
    text << "left shift of " << value << " by " << places << " places cannot be represented in type "
         << *data.type;
  }
}

void describe_index(UbsanText& text, const TypedTwice& data, UbsanValue index, UbsanValue) {
  text << "index " << UbsanNumber(*data.type2, index) << " out of bounds for type " << *data.type;
}

void describe_length(UbsanText& text, const Typed& data, UbsanValue bound, UbsanValue) {
  text << "variable length array bound evaluates to non-positive value " << UbsanNumber(*data.type, bound);
}

void describe_float_cast(UbsanText& text, const TypedTwice& data, UbsanValue from, UbsanValue) {
  text << UbsanNumber(*data.type, from) << " is outside the range of representable values of type "
       << *data.type2;
}

void describe_value(UbsanText& text, const Typed& data, UbsanValue value, UbsanValue) {
  text << "load of value " << UbsanNumber(*data.type, value) << ", which is not a valid value for type "
       << *data.type;
}

void describe_conversion(UbsanText& text, const TypedTwice& data, UbsanValue from, UbsanValue to) {
  auto sign = [](const UbsanType& type) { return type.is_signed() ? "-bit, signed)" : "-bit, unsigned)"; };
  text << "implicit conversion from type " << *data.type << " of value " << UbsanNumber(*data.type, from)
       << " (" << std::uint64_t{data.type->bits()} << sign(*data.type) << " to type " << *data.type2
       << " changed the value to " << UbsanNumber(*data.type2, to) << " ("
       << std::uint64_t{data.type2->bits()} << sign(*data.type2);
}

void describe_builtin(UbsanText& text, const Builtin& data, UbsanValue, UbsanValue) {
  if (data.kind > 1) {
    text << "assumption is violated during execution";
  } else {
    text << "passing zero to " << (data.kind == 0 ? "ctz()" : "clz()") << ", which is not a valid argument";
  }
}

void describe_argument(UbsanText& text, const Argument& data, UbsanValue, UbsanValue) {
  text << "null pointer passed as argument " << static_cast<std::uint64_t>(data.index)
       << ", which is declared to never be null";
}

void describe_pointer_overflow(UbsanText& text, const Located&, UbsanValue base, UbsanValue result) {
  if (base == 0 && result == 0) {
    text << "applying zero offset to null pointer";
  } else if (base == 0) {
    text << "applying non-zero offset " << result << " to null pointer";
  } else if (result == 0) {
    text << "applying non-zero offset to non-null pointer";
    text.address(base) << " produced null pointer";
  } else {
    bool same_half = (static_cast<std::intptr_t>(base) >= 0) == (static_cast<std::intptr_t>(result) >= 0);
    text << (!same_half      ? "pointer index expression with base"
             : base > result ? "addition of unsigned offset to"
                             : "subtraction of unsigned offset from");
    text.address(base) << " overflowed";
    if (!searching()) text << " to";
    text.address(result);
  }
}

void describe_dynamic_type(UbsanText& text, const DynamicType& data, UbsanValue object, UbsanValue) {
  text << check_words(data.check) << " address";
  text.address(object) << " which does not point to an object of type " << *data.type;
}

void describe_function(UbsanText& text, const Typed& data, UbsanValue function, UbsanValue) {
  Dl_info info{};
  bool known = dladdr(reinterpret_cast<void*>(function), &info) != 0 && info.dli_sname;
  text << "call to function " << (known ? info.dli_sname : "(unknown)")
       << " through pointer to incorrect function type " << *data.type;
}

// ---- Reports ----------------------------------------------------------------------------------------

// The number given for an option in UBSAN_OPTIONS.
int ubsan_option(const char* name, int otherwise) {
  const char* options = std::getenv("UBSAN_OPTIONS");
  const char* found = options ? std::strstr(options, name) : nullptr;
  return found ? std::atoi(found + std::strlen(name)) : otherwise;
}

// Like UBSan: reports each place once.
void print(UbsanLocation& location, const UbsanText& what, bool must_end) {
  constexpr std::uint32_t kSaid = ~std::uint32_t{0};
  std::uint32_t column = __atomic_exchange_n(&location.column, kSaid, __ATOMIC_RELAXED);
  if (column != kSaid) {
    UbsanText line;
    if (location.file) {
      line << location.file << ":" << std::uint64_t{location.line};
      if (column != 0) line << ":" << std::uint64_t{column};
      line << ": ";
    } else {
      line << "<unknown>: ";
    }
    line << "runtime error: " << what.text() << "\n";
    raw_syscall(SYS_write, 2, reinterpret_cast<long>(line.text()), static_cast<long>(line.size()));
  }
  if (must_end || ubsan_option("halt_on_error=", 0) != 0)
    raw_syscall(SYS_exit_group, ubsan_option("exitcode=", 1));
}

void report(UbsanLocation& location, const UbsanText& what, bool must_end, std::uint64_t code) {
  if (!searching()) {
    print(location, what, must_end);
    return;
  }
  ThreadId thread = world.running ? scheduler().current().id : kMainThread;
  fail({BugKind::undefined_behaviour, what.text(), thread, code, {}});
}

// Handlers take up to three values after their data; those that take fewer ignore the rest.
using Handler = void (*)(void*, UbsanValue, UbsanValue, UbsanValue);

// UBSan's own handler, in a plain process that has its library.
Handler stock_handler(const char* name) {
  return searching() ? nullptr : reinterpret_cast<Handler>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// Defines a handler. Data is the type of its data; `describe_it` writes the report, or returns if nothing is
// wrong.
#define HANDLER_NAMED(symbol, Data, place, must_end, describe_it)                      \
  THRUM_EXPORT void symbol(void* raw_data, UbsanValue a, UbsanValue b, UbsanValue c) { \
    static const Handler stock = stock_handler(#symbol);                               \
    if (stock) return stock(raw_data, a, b, c);                                        \
    [[maybe_unused]] auto& data = *static_cast<Data*>(raw_data);                       \
    UbsanText text;                                                                    \
    describe_it;                                                                       \
    report(place, text, must_end, THRUM_CALLER);                                       \
  }

// __ubsan_handle_NAME, and the same with _abort for -fno-sanitize-recover.
#define HANDLER_AT(name, Data, place, describe_it)                      \
  HANDLER_NAMED(__ubsan_handle_##name, Data, place, false, describe_it) \
  HANDLER_NAMED(__ubsan_handle_##name##_abort, Data, place, true, describe_it)
#define HANDLER(name, Data, describe_it) HANDLER_AT(name, Data, data.location, describe_it)

HANDLER(type_mismatch_v1, Mismatch, describe(text, data, a, b))
HANDLER(add_overflow, Typed, describe_overflow(text, data, "+", a, b))
HANDLER(sub_overflow, Typed, describe_overflow(text, data, "-", a, b))
HANDLER(mul_overflow, Typed, describe_overflow(text, data, "*", a, b))
HANDLER(negate_overflow, Typed, describe_negation(text, data, a, b))
HANDLER(divrem_overflow, Typed, describe_division(text, data, a, b))
HANDLER(shift_out_of_bounds, TypedTwice, describe_shift(text, data, a, b))
HANDLER(out_of_bounds, TypedTwice, describe_index(text, data, a, b))
HANDLER(local_out_of_bounds, Located, text << "access out of bounds")
HANDLER(vla_bound_not_positive, Typed, describe_length(text, data, a, b))
HANDLER(float_cast_overflow, TypedTwice, describe_float_cast(text, data, a, b))
HANDLER(load_invalid_value, Typed, describe_value(text, data, a, b))
HANDLER(implicit_conversion, TypedTwice, describe_conversion(text, data, a, b))
HANDLER(invalid_builtin, Builtin, describe_builtin(text, data, a, b))
HANDLER(nonnull_arg, Argument, describe_argument(text, data, a, b))
HANDLER(nullability_arg, Argument, describe_argument(text, data, a, b))
HANDLER(pointer_overflow, Located, describe_pointer_overflow(text, data, a, b))
HANDLER(function_type_mismatch, Typed, describe_function(text, data, a, b))
HANDLER(function_type_mismatch_v1, Typed, if (ubsan_same_type(b, c)) return;
        describe_function(text, data, a, b))
HANDLER(alignment_assumption, Alignment, describe_alignment(text, data, b, c))
HANDLER_NAMED(__ubsan_handle_builtin_unreachable, Located, data.location, true,
              text << "execution reached an unreachable program point")
HANDLER_NAMED(__ubsan_handle_missing_return, Located, data.location, true,
              text << "execution reached the end of a value-returning function without returning a value")

// For these the place is a value, and the data describes the attribute.
#define NULL_RETURNED text << "null pointer returned from function declared to never return null"
HANDLER_AT(nonnull_return_v1, Located, *reinterpret_cast<UbsanLocation*>(a), NULL_RETURNED)
HANDLER_AT(nullability_return_v1, Located, *reinterpret_cast<UbsanLocation*>(a), NULL_RETURNED)

// Called when compiled code does not know yet whether the type is right.
HANDLER(dynamic_type_cache_miss, DynamicType, if (ubsan_type_is_right(a, data.type_info, b)) return;
        describe_dynamic_type(text, data, a, b))

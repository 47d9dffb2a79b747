// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which handler takes an exception: what the machine's unwinder asks for each clause of a landing pad. The
// rules are those of libstdc++'s personality routine, which reads them from tables of machine code; here the
// unwinder knows the clauses.
//
// The unwinder, for the frame at an `invoke`, first phase:
//
//   catch TYPE          thrum_vm_match(type, exception): nonzero, and the search ends here
//   filter [TYPE, ...]  thrum_vm_allows(types, count, exception): zero, and the search ends here
//   cleanup             noted for the second phase
//
// A match leaves the caught object's address where __cxa_begin_catch looks for it. A violated filter leaves
// its types for
// __cxa_call_unexpected, so the array must stay where it is.
//
// Compiled with libstdc++'s own headers, as a part of libstdc++.bc.
// Tested by tests/endtoend/vm_library_test.cpp.
#include <bits/c++config.h>
#include <cxxabi.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <typeinfo>

#include "unwind-cxx.h"

using namespace __cxxabiv1;

namespace {

using Types = const std::type_info* const*;

// Whether a handler for `wanted` takes an object of type `thrown`. If so, object becomes what the handler
// gets: a base class's part of it, or the pointer that was thrown, for pointers are caught by value.
bool takes(const std::type_info* wanted, const std::type_info* thrown, void*& object) {
  void* adjusted = thrown->__is_pointer_p() ? *static_cast<void**>(object) : object;
  if (!wanted->__do_catch(thrown, &adjusted, 1)) return false;
  object = adjusted;
  return true;
}

bool any_takes(Types types, std::size_t count, const std::type_info* thrown, void* object) {
  for (std::size_t i = 0; i < count; ++i) {
    void* adjusted = object;
    if (takes(types[i], thrown, adjusted)) return true;
  }
  return false;
}

bool is_of_this_library(const _Unwind_Exception* exception) {
  return __is_gxx_exception_class(exception->exception_class);
}

// The object that was thrown, also where `exception` stands for one that rethrow_exception threw again.
void* object_of(_Unwind_Exception* exception) { return __get_object_from_ue(exception); }

const std::type_info* type_of(void* object) { return __get_exception_header_from_obj(object)->exceptionType; }

}  // namespace

// Whether a catch clause takes the exception. type: what it catches; null: everything.
extern "C" int thrum_vm_match(const std::type_info* type, void* exception) {
  auto* header = static_cast<_Unwind_Exception*>(exception);
  if (!is_of_this_library(header)) {
    void* object = nullptr;
    return type == nullptr || takes(type, &typeid(__foreign_exception), object);
  }
  void* object = object_of(header);
  if (type != nullptr && !takes(type, type_of(object), object)) return 0;
  __get_exception_header_from_ue(header)->adjustedPtr = object;
  return 1;
}

// Whether a catch clause takes a forced unwinding, such as that of pthread_exit.
extern "C" int thrum_vm_match_forced(const std::type_info* type) {
  void* object = nullptr;
  return type == nullptr || takes(type, &typeid(__forced_unwind), object);
}

// Whether an exception specification of these types lets the exception pass.
extern "C" int thrum_vm_allows(Types types, std::size_t count, void* exception) {
  auto* header = static_cast<_Unwind_Exception*>(exception);
  // Which type a foreign exception has is not known. It passes where any does.
  if (!is_of_this_library(header)) return count != 0;
  void* object = object_of(header);
  if (any_takes(types, count, type_of(object), object)) return 1;
  __cxa_exception* own = __get_exception_header_from_ue(header);
  own->adjustedPtr = object;
  own->languageSpecificData = reinterpret_cast<const unsigned char*>(types);
  own->catchTemp = count;
  return 0;
}

// What a landing pad does with an exception that its specification does not allow.
extern "C" void __cxa_call_unexpected(void* exception) {
  auto* header = static_cast<_Unwind_Exception*>(exception);
  __cxa_begin_catch(header);
  struct EndOfCatch {
    ~EndOfCatch() { __cxa_end_catch(); }
  } end_of_catch;
  if (!is_of_this_library(header)) {
    try {
      __unexpected(__unexpected_handler);
    } catch (...) {
      std::terminate();
    }
  }
  // The handler may throw the same exception again, which overwrites these.
  const __cxa_exception* own = __get_exception_header_from_ue(header);
  const auto types = reinterpret_cast<Types>(own->languageSpecificData);
  const std::size_t count = own->catchTemp;
  const std::terminate_handler terminate = own->terminateHandler;
  try {
    __unexpected(own->unexpectedHandler);
  } catch (...) {
    void* thrown = __get_object_from_ambiguous_exception(__cxa_get_globals_fast()->caughtExceptions);
    if (any_takes(types, count, type_of(thrown), thrown)) throw;
    if (any_takes(types, count, &typeid(std::bad_exception), nullptr)) throw std::bad_exception();
    __terminate(terminate);
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects whose owners the C++ library counts: exceptions (owned by each copy of an exception_ptr, and by
// each thread that has caught one), the messages of standard exceptions, which copies share, and locales.
//
// It counts with atomics that are not instrumented. The thread that drops the last reference destroys the
// object, after everything that the other owners did with it before they dropped theirs. The other owners are
// not ordered by this, so a write to an exception races with a read of it by another thread.

#include <unwind.h>

#include <cstddef>

#include "runtime/intercept/intercept.hpp"
#include "runtime/judge/race_judge.hpp"

using namespace thrum;

namespace {

// The header in front of an exception (Itanium C++ ABI 2.2.1) in libstdc++.
struct Header {
  void* type;  // if rethrow_exception() throws it: the exception itself, which has its own header
  void* functions[3];
  void* next;
  int counts[2];
  void* caught[4];
  _Unwind_Exception unwind;
};
struct CountedHeader {
  int owners;
  Header header;
};
static_assert(offsetof(Header, unwind) == 80 && sizeof(CountedHeader) == 128);

constexpr _Unwind_Exception_Class kThrown = 0x47'4e'55'43'43'2b'2b'00;  // GNUCC++ and a zero
constexpr _Unwind_Exception_Class kRethrown = kThrown + 1;              // by rethrow_exception()

// The running thread is about to drop a reference.
void drop(const int* owners, bool last) {
  if (last) {
    race_judge().acquire(address_of(owners));
  } else {
    race_judge().release(address_of(owners));
  }
}

void drop_exception(const void* exception) {
  if (!world.judges_races || !exception) return;
  const int* owners = &(static_cast<const CountedHeader*>(exception) - 1)->owners;
  drop(owners, *owners == 1);
}

// std::logic_error and std::runtime_error. In front of the string: its length, its capacity, and its number
// of owners minus one (the std::string from before C++11).
struct MessageError {
  void* virtual_functions;
  char* message;
};
struct MessageHeader {
  std::size_t length;
  std::size_t capacity;
  int more_owners;
};
static_assert(sizeof(MessageHeader) == 24);

void drop_message(const MessageError* error) {
  if (!world.judges_races) return;
  const int* owners = &(reinterpret_cast<const MessageHeader*>(error->message) - 1)->more_owners;
  drop(owners, *owners <= 0);
}

// std::filesystem::filesystem_error. Its copies share everything but the message, by a std::shared_ptr.
struct FilesystemError {
  MessageError base;
  int code;
  const void* category;
  const void* shared;
  struct Counts {
    void* virtual_functions;
    int owners;
    int weak_owners;
  } * counts;
};
static_assert(offsetof(FilesystemError, counts) == 40);

void drop_filesystem_error(const FilesystemError* error) {
  if (world.judges_races && error->counts) drop(&error->counts->owners, error->counts->owners == 1);
}

// Locales share facets, so one object represents all of them.
constexpr std::uint64_t kLocales = 4;

void drop_locale(int* const* locale) {
  if (!world.judges_races) return;
  if (**locale == 1) {
    race_judge().acquire(kLocales);
  } else {
    race_judge().release(kLocales);
  }
}

}  // namespace

// std::exception_ptr::_M_release(), called by its destructor.
THRUM_EXPORT void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void** exception_ptr) {
  static auto* const real = reinterpret_cast<void (*)(void**)>(
      next_function("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv"));
  drop_exception(*exception_ptr);
  real(exception_ptr);
}

// Called at the end of a catch block, unless the exception is thrown on. The unwinder's own function does no
// more.
THRUM_EXPORT void _Unwind_DeleteException(_Unwind_Exception* unwind) {
  if (unwind->exception_class == kThrown) {
    drop_exception(unwind + 1);
  } else if (unwind->exception_class == kRethrown) {
    drop_exception((reinterpret_cast<const Header*>(unwind + 1) - 1)->type);
  }
  if (unwind->exception_cleanup) unwind->exception_cleanup(_URC_FOREIGN_EXCEPTION_CAUGHT, unwind);
}

// The arguments are those of a destructor or an assignment.
#define DROPS(name, type, drop)                                                        \
  THRUM_EXPORT void name(type* object) {                                               \
    static auto* const real = reinterpret_cast<void (*)(type*)>(next_function(#name)); \
    drop(object);                                                                      \
    real(object);                                                                      \
  }
#define ASSIGNS(name, type, drop)                                                                    \
  THRUM_EXPORT type* name(type* object, const type* other) {                                         \
    static auto* const real = reinterpret_cast<type* (*)(type*, const type*)>(next_function(#name)); \
    if (object != other) drop(object);                                                               \
    return real(object, other);                                                                      \
  }

// std::logic_error and std::runtime_error; derived classes call them too.
DROPS(_ZNSt11logic_errorD1Ev, MessageError, drop_message)
DROPS(_ZNSt11logic_errorD2Ev, MessageError, drop_message)
ASSIGNS(_ZNSt11logic_erroraSERKS_, MessageError, drop_message)
DROPS(_ZNSt13runtime_errorD1Ev, MessageError, drop_message)
DROPS(_ZNSt13runtime_errorD2Ev, MessageError, drop_message)
ASSIGNS(_ZNSt13runtime_erroraSERKS_, MessageError, drop_message)
DROPS(_ZNSt10filesystem7__cxx1116filesystem_errorD1Ev, FilesystemError, drop_filesystem_error)
DROPS(_ZNSt10filesystem7__cxx1116filesystem_errorD2Ev, FilesystemError, drop_filesystem_error)
DROPS(_ZNSt6localeD1Ev, int*, drop_locale)
DROPS(_ZNSt6localeD2Ev, int*, drop_locale)
ASSIGNS(_ZNSt6localeaSERKS_, int*, drop_locale)

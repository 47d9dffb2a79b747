// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the C++ library counts the owners of: exceptions (copies of an exception_ptr, and whoever has caught
// one), the messages of standard exceptions, which their copies share, and locales.
//
// It counts by atomics that are not instrumented. Whoever gives up the last reference destroys the object,
// after all that the others did with it before they gave up theirs. The others learn nothing of each other,
// so whoever writes to an exception that another thread reads races with it.

#include <unwind.h>

#include <cstddef>

#include "runtime/intercept/intercept.hpp"
#include "runtime/judge/race_judge.hpp"

using namespace thrum;

namespace {

// What stands in front of an exception (Itanium C++ ABI 2.2.1), as libstdc++ has it.
struct Header {
  void* type;  // of one that rethrow_exception() throws: the exception itself, whose header is another
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

// The running thread is about to give up a reference.
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

// std::logic_error and std::runtime_error. The string is preceded by its length, its capacity and how many
// owners it has beside one (the std::string of before C++11).
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

// std::filesystem::filesystem_error, whose copies share all but its message by a std::shared_ptr.
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

// Locales share facets, so that one object stands for them all.
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

// std::exception_ptr::_M_release(), which its destructor calls.
THRUM_EXPORT void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void** exception_ptr) {
  static auto* const real = reinterpret_cast<void (*)(void**)>(
      next_function("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv"));
  drop_exception(*exception_ptr);
  real(exception_ptr);
}

// The end of a catch block, unless the exception is on its way further. The unwinder's own does no more.
THRUM_EXPORT void _Unwind_DeleteException(_Unwind_Exception* unwind) {
  if (unwind->exception_class == kThrown) {
    drop_exception(unwind + 1);
  } else if (unwind->exception_class == kRethrown) {
    drop_exception((reinterpret_cast<const Header*>(unwind + 1) - 1)->type);
  }
  if (unwind->exception_cleanup) unwind->exception_cleanup(_URC_FOREIGN_EXCEPTION_CAUGHT, unwind);
}

// The arguments are those of a destructor, or of an assignment.
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

// std::logic_error and std::runtime_error; derived classes call them, too.
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

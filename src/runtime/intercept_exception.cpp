// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The owners of exceptions: copies of an exception_ptr, and whoever has caught the exception. And those of
// their messages: copies of a logic_error or runtime_error have one string.
//
// The C++ library counts them by atomics that are not instrumented. Whoever gives up the last reference
// destroys the exception, after all that the others did with it before they gave up theirs. The others learn
// nothing of each other, so whoever writes to an exception that another thread reads races with it.

#include <unwind.h>

#include <cstddef>

#include "runtime/intercept.hpp"
#include "runtime/race_judge.hpp"

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

// Destructors and assignments of std::logic_error and std::runtime_error, which derived classes call, too.
#define DROPS_MESSAGE(name)                                                                    \
  THRUM_EXPORT void name(MessageError* error) {                                                \
    static auto* const real = reinterpret_cast<void (*)(MessageError*)>(next_function(#name)); \
    drop_message(error);                                                                       \
    real(error);                                                                               \
  }
#define ASSIGNS_MESSAGE(name)                                                                          \
  THRUM_EXPORT MessageError* name(MessageError* error, const MessageError* other) {                    \
    static auto* const real =                                                                          \
        reinterpret_cast<MessageError* (*)(MessageError*, const MessageError*)>(next_function(#name)); \
    if (error->message != other->message) drop_message(error);                                         \
    return real(error, other);                                                                         \
  }

DROPS_MESSAGE(_ZNSt11logic_errorD1Ev)
DROPS_MESSAGE(_ZNSt11logic_errorD2Ev)
DROPS_MESSAGE(_ZNSt13runtime_errorD1Ev)
DROPS_MESSAGE(_ZNSt13runtime_errorD2Ev)
ASSIGNS_MESSAGE(_ZNSt11logic_erroraSERKS_)
ASSIGNS_MESSAGE(_ZNSt13runtime_erroraSERKS_)

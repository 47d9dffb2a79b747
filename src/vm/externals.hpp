// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that are not in the bitcode: what the machine does in their place (externals.def).
#pragma once

#include <cerrno>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "vm/machine.hpp"

namespace thrum::vm {

// How a call goes on.
enum class Next : std::uint8_t {
  done,     // it is over; the result was set
  again,    // the next phase follows at once
  arrived,  // the thread stands before a visible operation; the next phase follows when it is its turn
  entered,  // a function of the program was entered; the next phase follows when it returns
  started,  // a thread was created, which runs first; then the next phase
  unwound,  // frames were left, and the thread goes on elsewhere
  ended,    // the thread is over
  begins,   // the search begins here; then the call begins
  over,     // the execution is over
};

// One call of such a function. Its registers may move while a function of the program runs, so they are asked
// for again.
struct Call {
  Machine& machine;
  Thread& thread;
  const CallSite& site;

  std::uint64_t* registers() const { return thread.top->registers; }
  std::uint64_t argument(std::size_t number) const { return registers()[site.arguments[number]]; }
  std::int32_t int_argument(std::size_t number) const { return static_cast<std::int32_t>(argument(number)); }
  std::uint32_t phase() const { return thread.phase; }
  Next result(std::uint64_t value) const {
    registers()[site.result] = value;
    return Next::done;
  }
  // Of a function that returns an int.
  Next result_int(int value) const { return result(static_cast<std::uint32_t>(value)); }
  Next over() const { return Next::over; }
};

using ExternalCode = Next (*)(Call& call);

struct External {
  const char* name;
  ExternalCode code;
};

// The number of the function of that name; 0: the machine does not know it.
std::uint32_t find_external(std::string_view name);
// Whether it is void reach_error(): in C, in C++, or in one file only. To call it is a bug, whatever it does.
inline bool is_reach_error(std::string_view name) {
  return name == "reach_error" || name == "_Z11reach_errorv" || name == "_ZL11reach_errorv" ||
         name == "_ZN12_GLOBAL__N_111reach_errorEv";
}
const External& external(std::uint32_t number);
std::uint32_t external_count();

// The size of a variable of the C library that the machine supplies; 0: it does not.
std::uint64_t size_of_external_variable(std::string_view name);
// What it holds at first.
std::uint64_t initial_word_of(std::string_view variable);

// The number by which landing pads know a type of exceptions, by the address of its type_info.
constexpr std::uint32_t selector_of(std::uint64_t type) {
  return static_cast<std::uint32_t>(type - kGlobals) & 0x7fff'ffff;
}

// What the functions that externals.def names are made of.

#define THRUM_VM_EXTERNAL(name, code) Next code(Call& call);
#include "vm/externals.def"
#undef THRUM_VM_EXTERNAL

inline constexpr std::uint64_t kSecond = 1'000'000'000;  // nanoseconds

// The block is new memory, which another thread may have used before.
void note_reuse(const Call& call, std::uint64_t block, std::uint64_t size);

// The bytes up to the final 0; nothing: they are not all there, and the execution has failed.
std::optional<std::string> string_at(Call& call, std::uint64_t address);

// errno of the thread.
void set_errno(Call& call, int error);
int errno_of(const Call& call);
inline Next fail_with(Call& call, int error) {
  set_errno(call, error);
  return call.result_int(-1);
}

// The owner word of a lock that the running thread holds.
inline std::uint32_t owner_word(const Call& call) { return call.thread.id + 1U; }

// In the first phase: the thread stands before that operation, and Next::arrived or Next::over is what the
// call returns. Nothing: it goes on with the operation, at once or because it is its turn.
std::optional<Next> stand(Call& call, std::uint32_t phase, Operation operation, std::uint64_t object,
                          std::uint32_t size = 0, Wait wait = Wait::nothing);
std::optional<Next> stand_until(Call& call, std::uint32_t phase, Operation operation, std::uint64_t object,
                                Wait wait, std::uint64_t deadline_ns);
// There is one thread, which waits for another one.
Next fail_alone(Call& call, Operation operation, std::uint64_t object, Wait wait = Wait::nothing,
                std::uint64_t length_ns = 0);
// The same, at most until the deadline: time passes.
std::optional<Next> wait_alone(Call& call, Operation operation, std::uint64_t object,
                               std::uint64_t deadline_ns, Wait wait = Wait::nothing);

// A write to a synchronization object by its own operation: its bytes must be there.
template <typename State>
State* object_at(Call& call, std::uint64_t address) {
  return call.machine.may_write(address, sizeof(State)) ? &at<State>(address) : nullptr;
}
template <typename T>
void set(Call& call, T& where, T value) {
  call.machine.memory.note(reinterpret_cast<std::uint64_t>(&where), sizeof where);
  where = value;
}

// Virtual time of a deadline that the program gives; nothing: the bytes are not there, and the execution has
// failed.
std::optional<timespec> time_at(Call& call, std::uint64_t address);
inline bool is_valid(const timespec& time) { return time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000; }
std::uint64_t clock_to_virtual(const Call& call, clockid_t clock, const timespec& time);
timespec virtual_to_clock(clockid_t clock, std::uint64_t now_ns);
inline std::uint64_t duration_ns(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * kSecond + static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace thrum::vm

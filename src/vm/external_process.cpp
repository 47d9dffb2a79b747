// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process: its arguments, its end, its failures.
#include <cxxabi.h>

#include <cstdlib>
#include <cstring>

#include "vm/library.hpp"
#include "vm/unwind.hpp"

namespace thrum::vm {

namespace {

// In the program's memory behind its variables.
constexpr std::uint64_t kArguments = kGlobals + kGlobalsSize + (1 << 20);

struct Handler {
  std::uint64_t function;
  std::uint64_t argument;
  std::uint64_t takes_status;  // on_exit: the status comes first
};
Handler& handler(std::uint32_t number) {
  return at<Handler>(kMachine + (std::uint64_t{5} << 32) + number * sizeof(Handler));
}

Next register_handler(Call& call, std::uint64_t function, std::uint64_t argument, bool takes_status = false) {
  Machine& machine = call.machine;
  // Destructors of a library that is not instrumented do not matter.
  if (call.thread.top->function->is_quiet) return call.result_int(0);
  if (Machine::course().exit_handlers == Course::kExitHandlers) return call.result_int(-1);
  Handler& row = handler(machine.change_course().exit_handlers++);
  machine.memory.note(reinterpret_cast<std::uint64_t>(&row), sizeof row);
  row = {function, argument, takes_status};
  return call.result_int(0);
}

}  // namespace

void Machine::add_held(std::vector<std::uint64_t>& addresses) {
  for (std::uint32_t number = 0; number < course().exit_handlers; ++number)
    addresses.push_back(handler(number).argument);
}

std::uint64_t Machine::place_arguments() {
  std::uint64_t strings = kArguments + (settings.arguments.size() + 1) * sizeof(std::uint64_t);
  std::uint64_t row = kArguments;
  memory.set_shadow(kEnvironment, sizeof(std::uint64_t), kAddressable | kDefined);
  memory.set_shadow(kArguments, strings - kArguments, kAddressable | kDefined);
  for (const std::string& argument : settings.arguments) {
    memory.put(at<std::uint64_t>(row), strings);
    memory.set_shadow(strings, argument.size() + 1, kAddressable | kDefined);
    memory.copy(strings, argument.c_str(), argument.size() + 1);
    strings += argument.size() + 1;
    row += sizeof(std::uint64_t);
  }
  return kArguments;
}

bool Machine::run_exit_handler(Thread& me, Then then) {
  if (run_thread_destructor(me, then)) return true;
  while (course().exit_handlers != 0) {
    const Handler last = handler(--change_course().exit_handlers);
    if (Function* const function = function_at_address(last.function); function && function->is_defined) {
      if (last.takes_status != 0)
        push(me, *function, {static_cast<std::uint32_t>(course().exit_status), last.argument}, then);
      else
        push(me, *function, {last.argument}, then);
      return true;
    }
  }
  const std::uint32_t begun = course().destroyed;
  if (begun == code.destructors.size()) return false;
  ++change_course().destroyed;
  push(me, *code.destructors[begun], {}, then);
  return true;
}

// Phases: 0 and while handlers run, 1 it stands before the end.
Next do_exit(Call& call) {
  if (call.phase() == 0) {
    call.machine.change_course().exit_status = call.int_argument(0);
    if (call.machine.run_exit_handler(call.thread, Then::call)) return Next::entered;
  }
  return call.machine.leave_process(call.thread, call.int_argument(0), Exit::in_order);
}

Next do_exit_at_once(Call& call) {
  return call.machine.leave_process(call.thread, call.int_argument(0), Exit::at_once);
}

// Runs what at_quick_exit was given, the newest first.
Next do_quick_exit(Call& call) {
  Machine& machine = call.machine;
  while (call.phase() == 0 && Machine::course().quick_handlers != 0) {
    const Handler last = handler(Course::kExitHandlers + --machine.change_course().quick_handlers);
    Function* const function = machine.function_at_address(last.function);
    if (function == nullptr || !function->is_defined) continue;
    machine.push(call.thread, *function, {}, Then::call);
    return Next::entered;
  }
  return machine.leave_process(call.thread, call.int_argument(0), Exit::at_once);
}
Next do_at_quick_exit(Call& call) {
  Machine& machine = call.machine;
  if (Machine::course().quick_handlers == Course::kExitHandlers) return call.result_int(-1);
  Handler& row = handler(Course::kExitHandlers + machine.change_course().quick_handlers++);
  machine.memory.note(reinterpret_cast<std::uint64_t>(&row), sizeof row);
  row = {call.argument(0), 0, 0};
  return call.result_int(0);
}

Next do_on_exit(Call& call) { return register_handler(call, call.argument(0), call.argument(1), true); }
Next do_atexit(Call& call) { return register_handler(call, call.argument(0), 0); }
// What the C++ library has registered for itself does not matter, as natively.
Next do_cxa_atexit(Call& call) {
  if (call.thread.top->function->is_quiet) return call.result_int(0);
  return register_handler(call, call.argument(0), call.argument(1));
}

// A handler of SIGABRT runs first. Phases: 0 sends the signal, 1 stands before that, 2 it was handled.
Next do_abort(Call& call) {
  Machine& machine = call.machine;
  Thread& me = call.thread;
  if (call.phase() == 0 && Signals::action(SIGABRT).has_handler())
    machine.signals.block(me, Signals::blocked(me) & ~bit_of(SIGABRT));
  if (call.phase() != 2 && Signals::action(SIGABRT).has_handler()) {
    if (const auto next = raise_signal(call, SIGABRT)) return *next;
  }
  call.machine.fail(BugKind::crash, "aborted");
  return Next::over;
}

Next do_assert_fail(Call& call) {
  const std::optional<std::string> expression = string_at(call, call.argument(0));
  if (!expression) return Next::over;
  call.machine.fail(BugKind::assertion, "assertion failed: " + *expression);
  return Next::over;
}

namespace {

std::uint64_t errno_address(const Thread& thread) { return thread_part(thread.slot) + kStackEnd + 64; }

}  // namespace

void Machine::forget_errno(const Thread& former) { memory.put(at<int>(errno_address(former)), 0); }

void set_errno(Call& call, int error) {
  const std::uint64_t place = errno_address(call.thread);
  call.machine.memory.set_shadow(place, sizeof error, kAddressable | kDefined);
  call.machine.memory.put(at<int>(place), error);
}

int errno_of(const Call& call) { return at<int>(errno_address(call.thread)); }

Next do_errno_location(Call& call) {
  const std::uint64_t place = errno_address(call.thread);
  if ((shadow_at<std::uint8_t>(place) & kAddressable) == 0)
    call.machine.memory.set_shadow(place, sizeof(int), kAddressable | kDefined);
  return call.result(place);
}

// The C library's random numbers: glibc's additive generator of 31 words. Threads share the state, so a
// draw_random is a visible operation.

namespace {

struct RandomState {
  static constexpr std::uint32_t kWords = 31;
  static constexpr std::uint32_t kDistance = 3;
  std::uint32_t is_seeded;
  std::uint32_t front;
  std::int32_t words[kWords];
};
RandomState& random_state() { return at<RandomState>(kMachine + (std::uint64_t{6} << 32)); }

std::uint32_t draw_random(RandomState& state) {
  const std::uint32_t rear =
      (state.front + RandomState::kWords - RandomState::kDistance) % RandomState::kWords;
  std::int32_t& word = state.words[state.front];
  word = static_cast<std::int32_t>(static_cast<std::uint32_t>(word) +
                                   static_cast<std::uint32_t>(state.words[rear]));
  state.front = (state.front + 1) % RandomState::kWords;
  return static_cast<std::uint32_t>(word) >> 1;
}

void seed_random(RandomState& state, std::uint32_t number) {
  constexpr std::int64_t kModulus = 2'147'483'647;
  constexpr std::int64_t kFactor = 16'807;
  constexpr int kDiscarded = 310;
  std::int64_t word = static_cast<std::int32_t>(number == 0 ? 1 : number);
  for (std::int32_t& one : state.words) {
    one = static_cast<std::int32_t>(word);
    word = kFactor * word % kModulus;
    if (word < 0) word += kModulus;
  }
  state.is_seeded = 1;
  state.front = RandomState::kDistance;
  for (int i = 0; i < kDiscarded; ++i) draw_random(state);
}

}  // namespace

Next do_rand(Call& call) {
  Machine& machine = call.machine;
  if (const auto next = stand(call, 0, Operation::random_draw, kRandomObject)) return *next;
  RandomState& state = random_state();
  machine.memory.note(reinterpret_cast<std::uint64_t>(&state), sizeof state);
  if (state.is_seeded == 0) seed_random(state, 1);
  const std::uint64_t value = draw_random(state);
  machine.done(true, value);
  return machine.over ? Next::over : call.result(value);
}

Next do_srand(Call& call) {
  if (const auto next = stand(call, 0, Operation::random_draw, kRandomObject)) return *next;
  RandomState& state = random_state();
  call.machine.memory.note(reinterpret_cast<std::uint64_t>(&state), sizeof state);
  seed_random(state, static_cast<std::uint32_t>(call.argument(0)));
  call.machine.done(true);
  return call.machine.over ? Next::over : Next::done;
}

// The exception's own cleanup frees it (struct _Unwind_Exception of the Itanium C++ ABI, 1.2.1: the class
// comes first, then the cleanup). The library's asks for _URC_FOREIGN_EXCEPTION_CAUGHT, as libgcc passes.
Next do_delete_exception(Call& call) {
  if (call.phase() != 0) return Next::done;
  call.thread.phase = 1;
  Machine& machine = call.machine;
  const std::uint64_t exception = call.argument(0);
  if (is_forced_exception(call.thread, exception)) {
    machine.fail(BugKind::crash, "FATAL: exception not rethrown");
    return Next::over;
  }
  constexpr std::uint64_t kCleanup = 8;
  constexpr std::uint64_t kForeignExceptionCaught = 1;
  if (!machine.may_read(exception + kCleanup, sizeof(std::uint64_t))) return Next::over;
  const auto address = at<std::uint64_t>(exception + kCleanup);
  if (address == 0) return Next::done;
  Function* const cleanup = machine.function_at_address(address);
  if (cleanup == nullptr || !cleanup->is_defined) {
    machine.fail(BugKind::crash, "segmentation fault");
    return Next::over;
  }
  machine.push(call.thread, *cleanup, {kForeignExceptionCaught, exception}, Then::call);
  return Next::entered;
}

// std::terminate: the type of the exception that is being handled is named, as far as it is known.
Next do_terminate(Call& call) {
  Machine& machine = call.machine;
  if (call.phase() == 0) {
    call.thread.phase = 1;
    Function* const asks = machine.code.find("__cxa_current_exception_type");
    if (asks != nullptr && asks->is_defined) {
      machine.push(call.thread, *asks, {}, Then::call);
      return Next::entered;
    }
    call.thread.result = 0;
  }
  const std::uint64_t type = call.thread.result;
  if (type == 0) {
    machine.fail(BugKind::crash, "std::terminate without an exception");
    return Next::over;
  }
  // A std::type_info holds its name behind its vtable pointer (Itanium C++ ABI 2.9.5).
  const std::optional<std::string> mangled = string_at(call, at<std::uint64_t>(type + 8));
  if (!mangled) return Next::over;
  const char* const name = mangled->c_str() + (mangled->starts_with('*') ? 1 : 0);
  int status = 0;
  char* const plain = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  machine.fail(BugKind::uncaught_exception,
               std::string("uncaught exception of type ") + (plain ? plain : name));
  std::free(plain);
  return Next::over;
}

}  // namespace thrum::vm

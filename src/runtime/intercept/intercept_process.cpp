// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process: its beginning, its end, and its failures.

#include <cxxabi.h>
#include <dlfcn.h>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "runtime/base/page.hpp"
#include "runtime/drive/native_program.hpp"
#include "runtime/intercept/intercept.hpp"
#include "runtime/judge/leaks.hpp"
#include "runtime/judge/warnings.hpp"
#include "runtime/kernel/process_state.hpp"
#include "runtime/kernel/signals.hpp"

using namespace thrum;

extern "C" void* __dso_handle __attribute__((visibility("hidden")));

namespace {

using Main = int (*)(int, char**, char**);
Main g_main = nullptr;
bool g_terminating = false;  // std::terminate was called

ThreadId running_id() { return world.running ? scheduler().current().id : kMainThread; }

// The name of the exception that is being handled, or "". A std::type_info holds its name behind its vtable
// pointer (Itanium C++ ABI 2.9.5).
std::string current_exception_name() {
  auto* current_type = reinterpret_cast<void* (*)()>(dlsym(RTLD_DEFAULT, "__cxa_current_exception_type"));
  void* type = current_type ? current_type() : nullptr;
  if (!type) return {};
  const char* mangled = static_cast<const char**>(type)[1];
  if (*mangled == '*') ++mangled;
  char* name = abi::__cxa_demangle(mangled, nullptr, nullptr, nullptr);
  return name ? name : mangled;
}

void on_terminate() {
  g_terminating = true;
  std::string name = current_exception_name();
  if (name.empty()) fail({BugKind::crash, "std::terminate without an exception", running_id(), 0, {}});
  fail({BugKind::uncaught_exception, "uncaught exception of type " + name, running_id(), 0, {}});
}

void install_terminate_handler() {
  using Handler = void (*)();
  auto* set = reinterpret_cast<Handler (*)(Handler)>(dlsym(RTLD_DEFAULT, "_ZSt13set_terminatePFvvE"));
  if (set) set(on_terminate);
}

// In a function that begins with __builtin_unwind_init() the caller's registers are saved above this address.
// One of them may hold the only pointer to a block.
[[gnu::always_inline]] inline const void* stack_pointer() {
  const void* pointer;
  asm volatile("mov %%rsp, %0" : "=r"(pointer));
  return pointer;
}

void flush_output() {
  static auto* const real_fflush = reinterpret_cast<int (*)(FILE*)>(next_function("fflush"));
  real_fflush(nullptr);
}

// Ends the process, which is an event that depends on all events.
[[noreturn]] void leave_process(int status, std::uint64_t code) {
  if (world.running) {
    scheduler().arrive(Operation::process_exit, 0, 0, code);
    scheduler().done(Scheduler::Effect::change, static_cast<std::uint64_t>(status));
    if (status == 0) look_at_exit();
  }
  exit_process(status);
}

}  // namespace

void thrum::end_test(std::uint64_t code) {
  __builtin_unwind_init();
  leak_search().arm(stack_pointer());
  if (!world.running || world.job->replay) flush_output();
  leave_process(0, code);
}

namespace thrum {

void exit_under_search(int status, std::uint64_t code, const void* frames) {
  leak_search().arm(frames);
  destroy_thread_locals(scheduler().current());
  process_state().run_exit_handlers(status, [] { return live_threads().size() == 1; });
  // Output that libc has not written yet is lost with the execution; only under replay would anybody see it.
  if (!world.running || world.job->replay) flush_output();
  leave_process(status, code);
}

}  // namespace thrum

namespace {

int main_under_search(int argc, char** argv, char** environment) {
  world.channel->phase.store(Channel::Phase::preamble, std::memory_order_release);
  install_terminate_handler();
  // The memory above (environment and so on) shares no page with the frames that each execution restores. Its
  // length does not matter, since addresses in main's frames are counted from here.
  constexpr std::size_t kNotZero = 16;
  void* gap =
      __builtin_alloca(reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)) % kPage + kNotZero);
  asm volatile("" : "+r"(gap));
  process_state().main_frame = gap;
  exit_under_search(g_main(argc, argv, environment), 0, __builtin_frame_address(0));
}

}  // namespace

THRUM_EXPORT int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(),
                                   void (*loader_fini)(), void* stack_end) {
  static auto* const real =
      reinterpret_cast<decltype(&__libc_start_main)>(next_function("__libc_start_main"));
  if (searching()) {
    g_main = main;
    main = main_under_search;
  }
  return real(main, argc, argv, init, fini, loader_fini, stack_end);
}

THRUM_EXPORT void exit(int status) {
  if (!searching()) {
    THRUM_REAL(exit);
    real(status);
    __builtin_unreachable();
  }
  __builtin_unwind_init();
  exit_under_search(status, THRUM_CALLER, stack_pointer());
}

THRUM_EXPORT void _exit(int status) {
  if (!searching()) {
    static auto* const real = reinterpret_cast<void (*)(int)>(next_function("_exit"));
    real(status);
    __builtin_unreachable();
  }
  leave_process(status, THRUM_CALLER);
}

THRUM_EXPORT void _Exit(int status) {
  if (!searching()) {
    THRUM_REAL(_Exit);
    real(status);
    __builtin_unreachable();
  }
  leave_process(status, THRUM_CALLER);
}

THRUM_EXPORT void quick_exit(int status) {
  if (!searching()) {
    THRUM_REAL(quick_exit);
    real(status);
    __builtin_unreachable();
  }
  process_state().run_quick_exit_handlers();
  leave_process(status, THRUM_CALLER);
}

// Each file that includes <iostream> registers std::ios_base::Init::~Init(), which writes what the streams
// hold.
static bool is_end_of_streams(void (*function)(void*)) {
  Dl_info symbol{};
  return dladdr(reinterpret_cast<void*>(function), &symbol) != 0 && symbol.dli_sname != nullptr &&
         std::string_view(symbol.dli_sname).starts_with("_ZNSt8ios_base4InitD");
}

THRUM_EXPORT int __cxa_atexit(void (*function)(void*), void* argument, void* module) {
  // The runtime's own globals are never destroyed.
  if (module == &__dso_handle) return 0;
  if (!searching()) {
    static auto* const real =
        reinterpret_cast<int (*)(void (*)(void*), void*, void*)>(next_function("__cxa_atexit"));
    return real(function, argument, module);
  }
  // What libraries that are not instrumented have registered does not matter, and would cost time in every
  // execution. The function may be such a library's all the same: a global condition variable's destructor.
  const auto registrar = reinterpret_cast<std::uint64_t>(module);
  if (!is_instrumented(registrar != 0 ? registrar : THRUM_CALLER)) return 0;
  const bool is_librarys = !is_instrumented(reinterpret_cast<std::uint64_t>(function));
  const bool ends_streams = is_librarys && is_end_of_streams(function);
  if (!ends_streams || world.job->replay)
    process_state().at_exit(function, argument, is_librarys && !ends_streams);
  return 0;
}

THRUM_EXPORT int on_exit(void (*function)(int, void*), void* argument) {
  THRUM_FORWARD(on_exit, function, argument)
  process_state().at_exit(function, argument);
  return 0;
}

// Called by at_quick_exit.
extern "C" int __cxa_at_quick_exit(void (*function)(void*), void* module);
THRUM_EXPORT int __cxa_at_quick_exit(void (*function)(void*), void* module) {
  THRUM_FORWARD(__cxa_at_quick_exit, function, module)
  process_state().at_quick_exit(function);
  return 0;
}

THRUM_EXPORT void abort() {
  if (!searching()) {
    THRUM_REAL(abort);
    real();
    __builtin_unreachable();
  }
  // Runs the program's handler, if it has one; then the process ends in any case.
  if (signals().action(SIGABRT).has_handler()) {
    std::uint32_t slot = scheduler().current().slot;
    signals().block(slot, signals().blocked(slot) & ~signal_bit(SIGABRT));
    raise(SIGABRT);
  }
  fail({BugKind::crash, "aborted", running_id(), THRUM_CALLER, {}});
}

THRUM_EXPORT void __assert_fail(const char* expression, const char* file, unsigned line,
                                const char* function) {
  if (!searching()) {
    static auto* const real = reinterpret_cast<void (*)(const char*, const char*, unsigned, const char*)>(
        next_function("__assert_fail"));
    real(expression, file, line, function);
    __builtin_unreachable();
  }
  fail({BugKind::assertion, std::string("assertion failed: ") + expression, running_id(), THRUM_CALLER, {}});
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qsort reads and writes the whole array, as an access of the program; the machine's library, which calls the
// program's function, sorts it.
#include "vm/library.hpp"

namespace thrum::vm {

namespace {

// Phases: 0 before, 1 sorted.
Next sort(Call& call, const char* name, std::initializer_list<std::uint64_t> arguments) {
  std::uint64_t size = 0;
  if (__builtin_mul_overflow(call.argument(1), call.argument(2), &size)) size = kArenaSize + 1;
  if (call.phase() != 0) return writes<char>(call, call.argument(0), size) ? Next::done : Next::over;
  Function* const function = call.machine.code.find(name);
  if (function == nullptr || !function->has_body)
    return refuse(call, std::string(name) + " without the machine's library");
  if (!reads<char>(call, call.argument(0), size)) return Next::over;
  ++call.thread.phase;
  call.machine.push(call.thread, *function, arguments, Then::call);
  return Next::entered;
}

}  // namespace

Next do_qsort(Call& call) {
  return sort(call, "qsort", {call.argument(0), call.argument(1), call.argument(2), call.argument(3)});
}
Next do_qsort_r(Call& call) {
  return sort(call, "qsort_r",
              {call.argument(0), call.argument(1), call.argument(2), call.argument(3), call.argument(4)});
}

}  // namespace thrum::vm

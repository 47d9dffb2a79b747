// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// include/thrum/thrum.h, and the conventions of other tools.
#include "vm/externals.hpp"

namespace thrum::vm {

namespace {

// The object that represents all atomic sections; no address of the program.
constexpr std::uint64_t kSections = 2;

// One of n values; all of them are tried.
Next choose_among(Call& call, std::uint32_t count) {
  Machine& machine = call.machine;
  if (!machine.in_execution) return Next::begins;
  if (const auto next = stand(call, 0, Operation::choose, 0)) return *next;
  const std::uint16_t value =
      count < 2 ? std::uint16_t{0} : machine.choose_value(static_cast<std::uint16_t>(count));
  if (machine.over) return Next::over;
  machine.done(false, value);
  return machine.over ? Next::over : call.result(value);
}

Next fail_verifier(Call& call, const char* message) {
  call.machine.fail(BugKind::assertion, message);
  return Next::over;
}

}  // namespace

Next do_choose(Call& call) {
  const auto count = static_cast<std::uint32_t>(call.argument(0));
  if (!call.machine.in_execution && count < 2) return call.result_int(0);
  constexpr std::uint32_t kMax = 0xfff0;
  if (count > kMax) {
    call.machine.fail_misuse("thrum_choose of more than 65,520 values");
    return Next::over;
  }
  return choose_among(call, count);
}

Next do_assume(Call& call) {
  if ((call.argument(0) & 0xffff'ffff) != 0) return Next::done;
  call.machine.finish(End::assumption);
  return Next::over;
}

Next do_point(Call& call) {
  if (!call.machine.in_execution) return Next::done;
  if (const auto next = stand(call, 0, Operation::point, 0)) return *next;
  call.machine.done(false);
  return call.machine.over ? Next::over : Next::done;
}

Next do_section_begin(Call& call) {
  if (call.machine.in_execution && call.thread.atomic_depth == 0) {
    if (const auto next = stand(call, 0, Operation::atomic_section, kSections)) return *next;
    call.machine.done(true);
    if (call.machine.over) return Next::over;
  }
  ++call.thread.atomic_depth;
  return Next::done;
}

Next do_section_end(Call& call) {
  if (call.thread.atomic_depth == 0) {
    call.machine.fail_misuse("the end of an atomic section that was not begun");
    return Next::over;
  }
  if (--call.thread.atomic_depth != 0) return Next::done;
  call.machine.end_section();
  if (call.machine.judges) call.machine.races.release(call.thread.number, kSections, true);
  return Next::done;
}

Next do_progress(Call& call) {
  call.machine.note_change(call.thread);
  call.machine.note_hidden_change();
  call.machine.cycle_traits.comes_further = true;
  return Next::done;
}

Next do_is_active(Call& call) { return call.result_int(1); }

Next do_verifier_assert(Call& call) {
  if ((call.argument(0) & 0xffff'ffff) != 0) return Next::done;
  return fail_verifier(call, "assertion failed: __VERIFIER_assert");
}
Next do_verifier_error(Call& call) { return fail_verifier(call, "__VERIFIER_error was reached"); }
Next do_reach_error(Call& call) { return fail_verifier(call, "reach_error was reached"); }
Next do_nondet_bool(Call& call) { return choose_among(call, 2); }
Next do_nondet_char(Call& call) { return choose_among(call, 256); }

}  // namespace thrum::vm

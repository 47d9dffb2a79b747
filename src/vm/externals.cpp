// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/externals.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "objects/objects.hpp"
#include "support/duration.hpp"

namespace thrum::vm {

namespace {

constexpr External kExternals[] = {
    {"", nullptr},  // number 0: not known
#define THRUM_VM_EXTERNAL(name, code) {#name, code},
#include "vm/externals.def"
#undef THRUM_VM_EXTERNAL
};

}  // namespace

std::uint32_t find_external(std::string_view name) {
  static const std::unordered_map<std::string_view, std::uint32_t> numbers = [] {
    std::unordered_map<std::string_view, std::uint32_t> all;
    for (std::uint32_t i = 1; i < std::size(kExternals); ++i) all.emplace(kExternals[i].name, i);
    return all;
  }();
  const auto found = numbers.find(name);
  return found == numbers.end() ? 0 : found->second;
}

const External& external(std::uint32_t number) { return kExternals[number]; }
std::uint32_t external_count() { return static_cast<std::uint32_t>(std::size(kExternals)); }

std::uint64_t size_of_external_variable(std::string_view name) {
  if (name == "stdin" || name == "stdout" || name == "stderr" || name == "environ" || name == "__environ" ||
      name == "__dso_handle")
    return sizeof(void*);
  if (name == "__libc_single_threaded") return 1;
  return 0;
}

Next Machine::call_external(Thread& me) {
  const Frame& frame = *me.top;
  const Instruction& instruction = frame.next[-1];
  const auto at = static_cast<std::size_t>(&instruction - frame.function->code.data());
  const CallSite& site = frame.function->calls[static_cast<std::size_t>(instruction.immediate)];
  const Function* callee = site.callee;
  if (frame.function->opcodes[at] == Opcode::call_indirect)
    callee = function_at_address(frame.registers[instruction.a]);
  me.in_call = true;
  if (callee->external == 0) {
    refused =
        "a call of " + callee->name + ", which is neither in the program's bitcode nor known to the machine";
    finish(End::refused);
    return Next::over;
  }
  if (__builtin_expect(checks_ != nullptr, 0) && !may_call_in_invariant(*callee)) return Next::over;
  Call call{*this, me, site};
  Next next = Next::again;
  while (next == Next::again) next = external(callee->external).code(call);
  if (__builtin_expect(heap.exceeds_limit(), 0)) finish(End::memory);
  if (over) return Next::over;
  if (__builtin_expect(me.fault != 0, 0)) return Next::arrived;  // the call begins again (fault_in_call())
  if (next == Next::begins && in_execution) return Next::over;
  if (next == Next::done) {
    me.in_call = false;
    me.phase = 0;
  }
  return next;
}

std::optional<Next> stand(Call& call, std::uint32_t phase, Operation operation, std::uint64_t object,
                          std::uint32_t size, Wait wait) {
  if (call.thread.phase != phase) return std::nullopt;
  ++call.thread.phase;
  if (!call.machine.in_execution) return std::nullopt;
  if (call.machine.arrive(operation, object, size, wait)) return Next::arrived;
  if (call.machine.over) return Next::over;
  return std::nullopt;
}

std::optional<Next> stand_until(Call& call, std::uint32_t phase, Operation operation, std::uint64_t object,
                                Wait wait, std::uint64_t deadline_ns) {
  if (call.thread.phase != phase) return std::nullopt;
  ++call.thread.phase;
  if (call.machine.arrive_until(operation, object, wait, deadline_ns)) return Next::arrived;
  return Next::over;
}

Next fail_alone(Call& call, Operation operation, std::uint64_t object, Wait wait, std::uint64_t length_ns) {
  Machine& machine = call.machine;
  Thread& me = call.thread;
  if (length_ns == 0) {
    me.wait = wait;
    me.object = object;
    if (const char* const misuse = machine.self_lock(me)) {
      machine.fail_misuse(misuse);
      return Next::over;
    }
  }
  Failure failure{BugKind::deadlock, "no thread can go on", kMainThread, machine.code_of(me), {}};
  if (length_ns != 0) failure.message += "; only a time-out of " + length_words(length_ns) + " would end it";
  failure.waiters.push_back({kMainThread, operation, object, kNoThread, false, machine.code_of(me)});
  machine.fail(std::move(failure));
  return Next::over;
}

std::optional<Next> wait_alone(Call& call, Operation operation, std::uint64_t object,
                               std::uint64_t deadline_ns, Wait wait) {
  constexpr std::uint64_t kHour = 3600 * kSecond;
  Course& course = call.machine.change_course();
  const std::uint64_t length = deadline_ns > course.now_ns ? deadline_ns - course.now_ns : 0;
  if (deadline_ns == kNoDeadline) return fail_alone(call, operation, object, wait);
  if (length >= kHour && length > call.machine.settings.early_timeouts_ns)
    return fail_alone(call, operation, object, wait, length);
  course.now_ns = std::max(course.now_ns, deadline_ns);
  return std::nullopt;
}

}  // namespace thrum::vm
